/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engines: the ways to blit. Each is one file and one row of the table; each makes exactly the
 * system calls that it is named for and declares, as pure functions, what it must leave behind.
 */
#ifndef BLITBENCH_BLIT_ENGINE_H
#define BLITBENCH_BLIT_ENGINE_H

#include "blit/blit.h"

struct engine;

/* A way to blit, as a trial uses it. */
struct blit_method {
	const struct engine *engine;
	enum strategy strategy; /* a wish until engine_probe has settled it */
	unsigned threads;
};

/* What the mode of an asset is where it depends on which thread came last: one of those that the
 * layout lists for it. Added to one of them. */
enum { MODE_ANY_LISTED = 1 << 15 };

struct engine {
	const char *name;
	mode_t umask;        /* that of the process while it blits */
	bool parallel;       /* threads may be more than one */
	unsigned strategies; /* that it knows, by 1u << STRATEGY_... */

	/* Whether kernel and filesystem can do it: 0, or -EOPNOTSUPP with a sentence. AUTO becomes
	 * the strategy that moss would choose. Both may be written to and are left as found. */
	int (*probe)(enum strategy *strategy, int store_fd, int staging_fd);

	/* NULL, or what the engine does once when the store has been filled. Not timed. 0, or a
	 * negative errno with a sentence. */
	int (*prepare)(const struct blit *blit);

	/* NULL, or what it does before the blit, timed apart. 0, or a negative errno with a
	 * sentence. */
	int (*prime)(struct blit *blit);

	/* The timed region and nothing else. 0, or a negative errno with blit->failure filled in or
	 * else a sentence. */
	int (*blit)(struct blit *blit);

	/* asset_modes, by asset index and & 07777: in, as they were; out, as the blit of this
	 * layout leaves them, with MODE_ANY_LISTED where that depends on the threads. */
	void (*expect_asset_modes)(const struct blit_method *method, const struct layout *layout,
				   uint16_t *asset_modes);

	/* The mode of an entry that has an inode of its own: a directory, an empty file, a file
	 * that is no link. */
	uint16_t (*made_mode)(const struct entry *entry);
};

/* NULL for a name that is not in the table. */
const struct engine *engine_find(const char *name);

/* "moss-2025, moss-2025-parallel, ..." for messages. */
const char *engine_names(void);

/* "hardlink"; and back, false for a name that is none. */
const char *strategy_name(enum strategy strategy);
bool strategy_find(const char *name, enum strategy *strategy);

/* Whether there is a choice between strategies. */
bool engine_chooses(const struct engine *engine);

/* Asks the engine, after what holds for all: settles the strategy. */
int engine_probe(struct blit_method *method, int store_fd, int staging_fd);

/* Whether a file with content is the same inode as its asset. */
static inline bool method_links(const struct blit_method *method)
{
	return method->strategy == STRATEGY_HARDLINK;
}

#endif
