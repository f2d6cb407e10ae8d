/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blitbench compare: reports against a baseline. */
#ifndef BLITBENCH_CLI_COMPARE_H
#define BLITBENCH_CLI_COMPARE_H

/* argv[0] is "compare". Returns the exit status, which docs/compare.md lists: 0, 1 slower, 2 wrong
 * usage or an unreadable report, 3 cannot be told, 4 not comparable. */
int command_compare(int argc, char **argv);

#endif
