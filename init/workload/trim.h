/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Merging packages up to an exact number of entries. Packages are merged whole as long as there is
 * room for all that is new in them; of the first that has more, entries are merged in moss's order
 * (depth-first, bytewise) while there is room, so all directories but the last one passed through
 * are whole.
 */
#ifndef BLITBENCH_WORKLOAD_TRIM_H
#define BLITBENCH_WORKLOAD_TRIM_H

#include "workload/gather.h"
#include "workload/layout_build.h"

#define NO_LIMIT UINT64_MAX

struct trim {
	struct layout_build *build;       /* what is merged into */
	const struct layout_build *below; /* NULL, or a layout whose entries are not new either */
	uint64_t room;                    /* entries that may still be added, or NO_LIMIT */
};

/*
 * Merges the numbered package that gather holds. *merged counts the package's entries that were
 * taken; fewer than it has mean that the room is used up. 0, or a negative errno with a sentence
 * that names the entry.
 */
int trim_merge(struct trim *trim, const struct gather *gather, uint64_t *merged);

#endif
