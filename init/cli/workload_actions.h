/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions of "blitbench workload", one file each. argv[0] is the action; they return the exit
 * status. */
#ifndef BLITBENCH_CLI_WORKLOAD_ACTIONS_H
#define BLITBENCH_CLI_WORKLOAD_ACTIONS_H

#include "workload/workload.h"

int workload_import(int argc, char **argv);

/* --- what they share --- */

/* Takes the value of the option argv[*at] and moves *at there; 0, or the exit status of a wrong
 * use: what it needs is missing, or it was given before. */
int workload_option(const char **value, const char *needs, int argc, char **argv, int *at);

/* The same for a number of entries, from 1 on. */
int workload_option_entries(uint64_t *entries, int argc, char **argv, int *at);

/* Prints what a layout consists of. 0 or -ENOMEM with a sentence. */
int workload_print_figures(const char *title, const struct layout *layout,
			   const struct contents *contents);

#endif
