/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run in a directory of a filesystem that is mounted already: the steps of blitbench run, beside
 * those that it shares with a run on a machine of its own (run/run.h). Nothing is formatted, mounted or
 * frozen; all is made below the directory, which is left empty, as it was found.
 */
#ifndef BLITBENCH_RUN_DIRECTORY_H
#define BLITBENCH_RUN_DIRECTORY_H

#include "run/run.h"
#include "workload/escape.h"

struct directory {
	const char *path;		 /* as the person named it */
	char shown[SENTENCE_NAME_BYTES]; /* likewise, fit for sentences */
	int fd, mount_id;
	dev_t number; /* of the block device that the filesystem is on; 0 where its counters are not known */
	struct filesystem fs;       /* a row of the table, or what is known of another */
	char type[32], slab[48];    /* fs's strings where it is none of the table */
	char options[1024];	    /* that are in force */
	char stat_path[64];	    /* "" where no block device stands behind it */
	const struct room *room;    /* that the session under way needs */
	struct cache_counters pinned;
};

/* Opens it: -ENOENT, -ENOTDIR, -EACCES, -ENOTEMPTY with a sentence. directory_close also then. */
int directory_open(struct directory *directory, const char *path);
void directory_close(struct directory *directory);

/* Makes the folder of the results, which must not be there and not be in the directory, and opens it:
 * a descriptor, or a negative errno with a sentence. */
int directory_output(const struct directory *directory, const char *folder);

/* The steps of struct run that are others here, in this order; run->directory is set and run->plan is
 * of plan_make_in_directory. */
int directory_start(struct run *run); /* the journal, in results.run_fd or in memory */
int directory_sessions(struct run *run);

#endif
