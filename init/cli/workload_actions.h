/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions of "blitbench workload", one file each. argv[0] is the action; they return the exit
 * status. */
#ifndef BLITBENCH_CLI_WORKLOAD_ACTIONS_H
#define BLITBENCH_CLI_WORKLOAD_ACTIONS_H

#include "workload/tree_items.h"
#include "workload/workload.h"

int workload_inspect(int argc, char **argv);
int workload_capture(int argc, char **argv);
int workload_import(int argc, char **argv);
int workload_subset(int argc, char **argv);

/* --- what they share --- */

/* As command_option, for a number of entries, from 1 on. */
int workload_option_entries(uint64_t *entries, int argc, char **argv, int *at);

/* Of a capture and a subset alike: one source, one output, and options that not both have. */
struct workload_arguments {
	const char *source, *output;
	uint64_t entries;
	bool anonymise;
};

/* Returns 0 or the exit status of a wrong use. with_entries: --entries is needed, else refused. */
int workload_parse(struct workload_arguments *arguments, bool with_entries, int argc, char **argv);

/* The stream for what people read: standard output, unless a manifest goes there. delta may be
 * NULL. */
FILE *workload_notes(const char *base, const char *delta);

/* Prints the figures of the manifests that were just written (delta may be NULL), which shows that
 * they can be read; nothing where one went to a stream. */
int workload_print_written(const char *base, const char *delta);

/* Prints what of a tree was left out or not read, where anything was. */
void workload_print_tree(FILE *out, const struct tree_counts *counts);

#endif
