/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Takes a workload from whatever it is kept in, to look at it. */
#ifndef BLITBENCH_WORKLOAD_EXAMINE_H
#define BLITBENCH_WORKLOAD_EXAMINE_H

#include "workload/archive.h"
#include "workload/tree_items.h"
#include "workload/workload.h"

struct examined {
	const char *kind;              /* "manifest", "archive", "stone" or "directory" */
	struct archive_counts archive; /* of all but a directory, else all 0 */
	struct tree_counts tree;       /* of a directory, else all 0 */
	struct workload workload;      /* both layouts are the same; its contents are not named */
};

/* file may be a directory, and "-" is the standard input. After 0 the workload is to be freed. */
int examine(struct examined *examined, const char *file, const struct progress *progress);

#endif
