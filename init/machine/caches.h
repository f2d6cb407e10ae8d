/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making the caches cold, and proving it. */
#ifndef BLITBENCH_MACHINE_CACHES_H
#define BLITBENCH_MACHINE_CACHES_H

#include "measure/counters.h"

#include <stdbool.h>

enum {
	CACHES_DROP_ATTEMPTS_MAX = 5,
	/* What a mounted filesystem and its open directories hold on to themselves never counts
	 * against cold: its system inodes, superblocks and group descriptors, and the results
	 * volume's tables. */
	CACHES_PINNED_INODES = 32,
	CACHES_PINNED_BUFFER_BYTES = 1024 * 1024,
};

struct caches_drop_result {
	struct cache_counters warm, cold;
	unsigned attempts;
	bool proven;      /* caches_cold(&warm, &cold) */
	char detail[160]; /* what stayed, where it is not proven */
};

/*
 * sync, then 3 into drop_caches (dirty objects are skipped, hence the sync), repeated until the
 * counts prove it or the attempts are used up. 0 also when it is not proven: the trial then carries
 * a flag. An error where the files cannot be read or written.
 */
int caches_drop(struct caches_drop_result *result, const char *inode_slab, const char *root);

/* The pure rule of "proven": inodes below 1 % and buffers below 2 % of warm, or no more than what
 * is pinned anyway. */
bool caches_cold(const struct cache_counters *warm, const struct cache_counters *now);

#endif
