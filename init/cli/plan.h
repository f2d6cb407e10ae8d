/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BLITBENCH_CLI_PLAN_H
#define BLITBENCH_CLI_PLAN_H

int command_plan(int argc, char **argv);

#endif
