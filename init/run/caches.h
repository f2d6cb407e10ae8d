/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making the caches cold, and proving it. */
#ifndef BLITBENCH_RUN_CACHES_H
#define BLITBENCH_RUN_CACHES_H

#include "measure/counters.h"

#include <stdbool.h>

enum {
	CACHES_DROP_ATTEMPTS_MAX = 5,
	/* Beyond what an empty mounted filesystem pins: the directories that are held open, and the
	 * tables of the results volume. */
	CACHES_MARGIN_INODES = 32,
	CACHES_MARGIN_BUFFER_BYTES = 1024 * 1024,
};

struct caches_drop_result {
	struct cache_counters cold;
	unsigned attempts;
	bool proven;
	char detail[160]; /* what stayed, where it is not proven */
};

/*
 * sync, then 3 into drop_caches (dirty objects are skipped, hence the sync), repeated until the
 * counts prove it (caches_cold) or the attempts are used up. 0 also when it is not proven: the
 * trial then carries a flag. An error where the files cannot be read or written.
 */
int caches_drop(struct caches_drop_result *result, const char *inode_slab,
		const struct cache_counters *warm, const struct cache_counters *pinned,
		const char *root);

/*
 * The pure rule of "proven": inodes below 1 % and buffers below 2 % of warm, what is pinned not
 * counted. pinned: what the same filesystem held right after it was mounted empty; ext4 alone keeps
 * the blocks of its orphan file, up to 2 MiB.
 */
bool caches_cold(const struct cache_counters *warm, const struct cache_counters *pinned,
		 const struct cache_counters *now);

#endif
