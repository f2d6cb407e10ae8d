/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all that write manifests share: other names where they are wanted, progress, and that files
 * which belong together appear together. */
#ifndef BLITBENCH_WORKLOAD_OUTPUT_H
#define BLITBENCH_WORKLOAD_OUTPUT_H

#include "lib/progress.h"
#include "workload/anonymise.h"
#include "workload/pace.h"

enum { OUTPUT_FILES = 2 };

struct output {
	struct mtree_writer *writers[OUTPUT_FILES];
	unsigned files;                /* that were begun */
	struct anonymiser *anonymiser; /* NULL: names stay */
	const struct progress *progress;
	struct pace pace;
	uint64_t entries;
};

/*
 * Both are asked before the work begins. -EINVAL with a sentence where the output is the same file
 * as one of the sources; "-" is the standard output and input.
 */
int output_check_sources(const char *file, char *const *sources, size_t count);

/* Refuses, with a sentence, what a manifest must not replace: a file that is no manifest (an empty
 * one has nothing to lose), a directory, and a block device, for that would be somebody's disk. */
int output_check(const char *file);

/* progress may be NULL. 0 or -ENOMEM; after either output_free is due. */
int output_start(struct output *output, bool anonymise, const struct progress *progress);

/* Begins a file that was checked, "-" for the standard output; what is put from now on goes there.
 */
int output_begin(struct output *output, const char *file);

/* A take_entry; context is a struct output. -EINTR where progress asks to stop. */
take_entry output_put;

/* All files are whole: they get their names. */
int output_finish(struct output *output);

/* Leaves nothing of files that were not finished. */
void output_free(struct output *output);

#endif
