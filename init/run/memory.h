/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much memory a hot cache needs: all that a blit looks at must stay in it. */
#ifndef BLITBENCH_RUN_MEMORY_H
#define BLITBENCH_RUN_MEMORY_H

#include "run/plan.h"

struct memory_need {
	uint64_t store_directories; /* that are to be expected: names make them */
	uint64_t tree_inodes;       /* that a tree has of its own: all but links to assets */
	/* While a blit makes a second tree beside the live one. */
	uint64_t inodes, dentries;
	uint64_t object_bytes; /* the kernel's, of these */
	uint64_t cached_bytes; /* of the filesystem's inodes and directories; contents need not stay
				*/
	uint64_t bytes;        /* altogether, with the kernel and the program */
};

/* What one session of the plan needs. An estimate, by some percent. */
void memory_need(struct memory_need *need, const struct plan *plan, const struct workload *workload,
		 const struct filesystem *fs, const struct fanout *fanout);

/* The most that any session needs, or any on this filesystem where fs is not NULL. */
uint64_t memory_most(const struct plan *plan, const struct workload *workload,
		     const struct filesystem *fs);

/*
 * A sentence where a machine with so much memory has less than the plan's hot trials need, and on
 * which filesystems; "" where it has enough, or there are no hot trials.
 */
const char *memory_warning(const struct plan *plan, const struct workload *workload,
			   uint64_t machine_bytes, char *buffer, size_t size);

#endif
