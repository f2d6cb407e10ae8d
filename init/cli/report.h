/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blitbench report: renders a journal again, on any machine. */
#ifndef BLITBENCH_CLI_REPORT_H
#define BLITBENCH_CLI_REPORT_H

/* argv[0] is "report". Returns the exit status: 0, 1 when something failed, 2 for wrong usage. */
int command_report(int argc, char **argv);

#endif
