/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BLITBENCH_CLI_COMPARE_BY_H
#define BLITBENCH_CLI_COMPARE_BY_H

/* `blitbench compare --by KEY ...`: one table over many reports. Returns the exit status. */
int compare_by(int argc, char **argv);

#endif
