/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/blit.h"

#include "blit/crew.h"
#include "blit/timed.h"
#include "blit/walk.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void allow_descriptors(struct blit *blit)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &blit->descriptors))
		return;
	most = blit->descriptors;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
}

/* --- times of calls --- */

static unsigned histograms(const struct blit *blit)
{
	return (blit->threads + BLIT_HELPERS_MAX) * TIMED_KINDS;
}

static void time_calls(void *context, unsigned number)
{
	const struct blit *blit = context;

	timed_mine = blit->timed + number * TIMED_KINDS;
}

void blit_join(const struct blit *blit, unsigned helper)
{
	if (blit->timed && helper)
		timed_mine = blit->timed + (blit->threads + helper - 1) * TIMED_KINDS;
}

static int begin_timing(struct blit *blit)
{
	size_t bytes = histograms(blit) * sizeof(*blit->timed);

	if (!blit->latency)
		return 0;
	blit->timed = malloc(bytes);
	if (!blit->timed)
		return error_set(-ENOMEM, "out of memory for the latencies of %u threads",
				 blit->threads);
	/* Written to, so that the timer sees no page of it for the first time. */
	memset(blit->timed, 0, bytes);
	crew_run(blit->crew, time_calls, blit);
	return 0;
}

static void end_timing(struct blit *blit)
{
	timed_mine = NULL;
	for (unsigned i = 0; blit->timed && i < histograms(blit); i++)
		latency_merge(&blit->latency[i % TIMED_KINDS], &blit->timed[i]);
	free(take_pointer(blit->timed));
}

/* --- before and after --- */

int blit_begin(struct blit *blit)
{
	int result = walk_new(&blit->walk, blit);

	blit->root = !geteuid();
	allow_descriptors(blit);
	if (!result)
		result = crew_start(&blit->crew, blit->threads);
	return result ? result : begin_timing(blit);
}

void blit_end(struct blit *blit)
{
	crew_end(&blit->crew);
	end_timing(blit);
	walk_free(&blit->walk);
	if (blit->descriptors.rlim_max)
		setrlimit(RLIMIT_NOFILE, &blit->descriptors);
}

int blit_failed(struct blit *blit, const struct entry *entry, const char *call)
{
	int error = errno;

	if (!__atomic_exchange_n(&blit->failed, true, __ATOMIC_ACQ_REL))
		blit->failure = (struct blit_failure){
			.entry = (uint32_t)(entry - blit->layout->entries),
			.call = call,
			.error = error,
		};
	return -error;
}

void blit_tell(struct blit *blit, const char *name, double value)
{
	if (blit->figure_count < BLIT_FIGURES_MAX)
		blit->figures[blit->figure_count++] = (struct blit_figure){ name, value };
}
