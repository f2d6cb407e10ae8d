/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blitbench run: the workload in a directory of a mounted filesystem. */
#ifndef BLITBENCH_CLI_RUN_H
#define BLITBENCH_CLI_RUN_H

int command_run(int argc, char **argv);

#endif
