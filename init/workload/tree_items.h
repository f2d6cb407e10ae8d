/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the tree of a live system as if it were a package. */
#ifndef BLITBENCH_WORKLOAD_TREE_ITEMS_H
#define BLITBENCH_WORKLOAD_TREE_ITEMS_H

#include "workload/archive.h"
#include "workload/escape.h"

struct tree_counts {
	uint64_t taken;
	uint64_t special;            /* devices, pipes and sockets, left out */
	uint64_t unreadable_files;   /* each counts as a content of its own, of the size it has */
	uint64_t closed_directories; /* that could not be read, and are taken as if they were empty
				      */
	uint64_t mounts;   /* directories on which something is mounted, taken as if empty */
	uint64_t vanished; /* what was gone when its turn came */
	/* Path of the first such file or directory, safe to print, or "". */
	char first_unreadable[SENTENCE_NAME_BYTES];
};

/*
 * Hands the directory, as usr, and all that it holds to take. Mounts are not crossed: neither other
 * filesystems nor bind mounts. Symlinks are never followed, but directory itself may be one.
 * Negative errno with a sentence that names the directory or path: it cannot be opened, a path has
 * over 4,095 bytes, -EINTR.
 */
int tree_read_items(const char *directory, take_item *take, void *context,
		    struct tree_counts *counts, const struct progress *progress);

#endif
