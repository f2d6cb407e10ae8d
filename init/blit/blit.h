/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One blit: what an engine works on, and what it tells afterwards. */
#ifndef BLITBENCH_BLIT_BLIT_H
#define BLITBENCH_BLIT_BLIT_H

#include "workload/layout.h"
#include "workload/store.h"

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

/* How a file with content comes from its asset. AUTO is a wish, which probing turns into one of the
 * others. */
enum strategy { STRATEGY_AUTO, STRATEGY_HARDLINK, STRATEGY_REFLINK, STRATEGY_COPY, STRATEGIES };

enum { BLIT_THREADS_MAX = 256, BLIT_FIGURES_MAX = 8 };

/* So many threads may an engine bring in beside the one that calls it. */
enum { BLIT_HELPERS_MAX = 16 };

struct crew;
struct latency;
struct walk;

/* Where a blit stopped: which entry, which call, its errno. Formatted only after the timer. */
struct blit_failure {
	uint32_t entry;   /* index in the layout */
	const char *call; /* NULL: it did not stop at an entry */
	int error;
};

/* What only this engine tells, such as the bytes of a table that it keeps. */
struct blit_figure {
	const char *name; /* with its unit */
	double value;
};

struct blit {
	const struct layout *layout;
	const char (*asset_paths)[STORE_PATH_BYTES]; /* below store_fd, by asset index */
	uint32_t asset_count;
	int store_fd;   /* .moss/assets/v2 */
	int staging_fd; /* where "usr" is to be made */
	enum strategy strategy;
	unsigned threads; /* 1 to BLIT_THREADS_MAX */
	/* NULL, or TIMED_KINDS histograms, to which blit_end adds how long each call of the blit
	 * took (blit/timed.h). */
	struct latency *latency;

	struct blit_failure failure;
	struct blit_figure figures[BLIT_FIGURES_MAX];
	unsigned figure_count;

	void *own; /* the engine's */

	/* blit_begin's */
	bool root; /* who blits is root */
	struct crew *crew;
	struct walk *walk;
	struct rlimit descriptors; /* as they were */
	bool failed;               /* atomic: the first failure is the one that is told */
	struct latency *timed;     /* the histograms of each thread, helpers last; or NULL */
};

/*
 * What must be there before the timer starts: the threads (moss's are started within its timer,
 * some ten microseconds each), the table of open directories, and as many descriptors as the hard
 * limit allows, and the histograms, where calls are timed. blit_end, by the same thread, gives all
 * of it back, also where begin failed. -ENOMEM, -EAGAIN with a sentence.
 */
int blit_begin(struct blit *blit);
void blit_end(struct blit *blit);

/* For each thread of a crew that an engine brings in, by its number there, which is at most
 * BLIT_HELPERS_MAX: so that its calls are timed where the blit's are. */
void blit_join(const struct blit *blit, unsigned helper);

/* Remembers errno of a call for an entry, unless another thread failed before; returns -errno. */
int blit_failed(struct blit *blit, const struct entry *entry, const char *call);

/* For the one thread that returns from an engine's function: remembers a figure. */
void blit_tell(struct blit *blit, const char *name, double value);

#endif
