/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BLITBENCH_CLI_WORKLOAD_H
#define BLITBENCH_CLI_WORKLOAD_H

int command_workload(int argc, char **argv);

#endif
