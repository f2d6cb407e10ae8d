/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ageing: what a store and its filesystem go through before the trials, so that the figures are not
 * those of a fresh one only.
 *
 * It goes through N updates of the system. In each, one in eight runs of up to 64 contents of a
 * package gets a new version, chosen by a hash of seed, run and update: its assets are written into
 * the store, a transaction lays out the tree anew with them, and once the last state that refers to
 * an old version has been pruned, that asset is unlinked and the directories that it leaves empty
 * are removed. The last version of each content is the workload's own, so that the store has at the
 * end what a fresh one has, beside the assets of the old states that stay. Older versions are made
 * from other seeds and are up to 3/16 shorter. The same seed ages in the same way each time.
 */
#ifndef BLITBENCH_RUN_AGE_H
#define BLITBENCH_RUN_AGE_H

#include "fs/room.h"
#include "run/site.h"

struct ageing {
	const struct workload *workload;
	unsigned updates;
	uint64_t seed;
	struct contents now; /* what the store has of each of the workload's contents */
};

/* With now as the versions that the store begins with, named, for it to be filled with. The
 * workload's contents must be named. -ENOMEM, -EINTR. */
int ageing_start(struct ageing *ageing, const struct workload *workload, unsigned updates,
		 uint64_t seed, const struct progress *progress);

struct ageing_result {
	uint64_t assets_written, bytes_written, assets_removed;
	double seconds;
};

/*
 * All updates, on a site whose store has been filled with ageing->now; where then fewer states are
 * archived than stay, more transactions without an update. Afterwards site_learn_assets says
 * whether all of the workload's assets are there. Negative errno with a sentence; -EINTR.
 */
int ageing_run(struct ageing *ageing, struct site *site, const struct blit_method *method,
	       unsigned writers, const struct progress *progress, struct ageing_result *result);

/*
 * Adds what old versions take at most beside the workload's contents, where so many archived states
 * stay. directories is what those of the store take without them. -ENOMEM with a sentence.
 */
int ageing_add_room(struct room *room, const struct filesystem *fs, const struct contents *contents,
		    const struct room *directories, unsigned updates, unsigned keep_states,
		    uint64_t seed);

void ageing_free(struct ageing *ageing);

#endif
