/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blitbench prepare: makes the labelled partition that is a target. The only command that writes to
 * a disk, and the only one that asks. */
#ifndef BLITBENCH_CLI_PREPARE_H
#define BLITBENCH_CLI_PREPARE_H

/* argv[0] is "prepare". Returns the exit status: 0, 1 when something failed or nobody agreed, 2 for
 * wrong usage. */
int command_prepare(int argc, char **argv);

#endif
