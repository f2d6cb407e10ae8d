/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work on several threads. The calling thread only waits and tells the progress, some ten times a
 * second, so that neither a screen nor a person who asks to stop waits for a long piece.
 */
#ifndef BLITBENCH_WORKLOAD_WORKERS_H
#define BLITBENCH_WORKLOAD_WORKERS_H

#include "lib/progress.h"

#include <stdbool.h>
#include <stdint.h>

enum { WORKERS_MAX = 64 };

struct workers;

struct workers_job {
	/*
	 * Runs in each thread until nothing is left to do, or workers_stopped. 0, or a negative
	 * errno with a sentence, after which the others are stopped.
	 */
	int (*work)(void *context, struct workers *workers);
	void *context;
	unsigned count;      /* of threads, 1 to WORKERS_MAX */
	const char *phase;   /* for the progress */
	const char *stopped; /* the sentence for -EINTR, where the progress asks to stop */
	uint64_t total;      /* of what workers_advance counts */
	const struct progress *progress;
};

/* 0; the first error of a worker, with its sentence; -EINTR. All threads have ended when it
 * returns. */
int workers_run(const struct workers_job *job);

/* For the work: counts what was done; and whether there is no point in going on. */
void workers_advance(struct workers *workers, uint64_t amount);
bool workers_stopped(const struct workers *workers);

/* One thread for each processor that is online, but no more than most. */
unsigned workers_processors(unsigned most);

#endif
