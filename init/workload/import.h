/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes a workload of packages: merges them as a package manager would, numbers their contents,
 * writes manifests. */
#ifndef BLITBENCH_WORKLOAD_IMPORT_H
#define BLITBENCH_WORKLOAD_IMPORT_H

#include "workload/archive.h"

/* Some of the archives, in the order in which they are merged: later ones win. */
struct import_part {
	char **archives; /* names of files */
	size_t archive_count;
	uint64_t entries;   /* exactly so many are made (trim.h says which); 0: all */
	const char *output; /* name of the manifest */
};

struct import_job {
	struct import_part base;  /* its entries count usr and made parents */
	struct import_part delta; /* may have no archives; its entries are those that the base has
				     not */
	bool anonymise;           /* see anonymise.h */
	const struct progress *progress; /* may be NULL; hears bytes of all archives */
};

/* What a part's limit of entries did. */
struct import_trimmed {
	const char *archive;     /* the one that was not merged whole, or NULL */
	uint64_t merged, listed; /* its entries that were taken, and all that it has below usr/ */
	size_t unread;           /* archives after it */
};

struct import_counts {
	struct archive_counts archives; /* all of them together */
	uint64_t replaced_parents;      /* something else that became a directory, because a later
					   package has entries in it */
	uint64_t kept_directories; /* directories with entries that a later package has as something
				      else */
	struct import_trimmed base, delta;
};

/*
 * Contents are numbered as gather.h says, base and delta together. The output is the same, byte for
 * byte, for the same archives. -EINVAL where the archives have fewer entries than were asked for.
 */
int import_packages(const struct import_job *job, struct import_counts *counts);

#endif
