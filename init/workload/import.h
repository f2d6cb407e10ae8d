/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a workload of packages: merges them as a package manager would, numbers their contents,
 * writes manifests. */
#ifndef BLITBENCH_WORKLOAD_IMPORT_H
#define BLITBENCH_WORKLOAD_IMPORT_H

#include "workload/archive.h"

struct import_job {
	char **archives, **deltas; /* names of files; in the order in which they are merged, later
				      ones win */
	size_t archive_count, delta_count;
	const char *output, *delta_output; /* the second only with deltas */
	/* Called after each archive, may be NULL. */
	void (*archive_done)(void *context, const char *file, const struct archive_counts *counts);
	void *context;
};

struct import_counts {
	struct archive_counts archives; /* all of them together */
	uint64_t replaced_parents;      /* something else that became a directory, because a later
					   package has entries in it */
	uint64_t kept_directories; /* directories with entries that a later package has as something
				      else */
};

/*
 * Content numbers are package * 2^20 + rank: packages count from 1, base and deltas together; the
 * rank orders the distinct contents of a package by size, largest first, then bytewise by path. A
 * content that an earlier package has (equal in size and XXH3-128) keeps that number. Empty files
 * have none. The output is the same, byte for byte, for the same archives.
 */
int import_packages(const struct import_job *job, struct import_counts *counts);

#endif
