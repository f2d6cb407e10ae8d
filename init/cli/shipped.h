/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a command finds the workloads and profiles that come with the program. */
#ifndef BLITBENCH_CLI_SHIPPED_H
#define BLITBENCH_CLI_SHIPPED_H

#include "config/config.h"

#include <limits.h>

/* The folder of workloads, with profiles/ in it: of a source tree's build/, or of what is
 * installed. NULL where there is none. */
const char *shipped_workloads(char folder[PATH_MAX]);

/* Reads the profile that the configuration names; that there is none becomes a mistake. workloads
 * NULL = the folder is not known. */
void shipped_read_profile(struct config *config, const char *workloads);

#endif
