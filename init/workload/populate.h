/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filling the store. Each asset is made by openat of <digest>.part (0666 & ~umask), write in pieces
 * of POPULATE_WRITE_BYTES, close and renameat; before it, mkdirat of those directories that no
 * asset has needed yet. No other call is made for an asset.
 */
#ifndef BLITBENCH_WORKLOAD_POPULATE_H
#define BLITBENCH_WORKLOAD_POPULATE_H

#include "lib/progress.h"
#include "workload/store.h"

/* moss takes up to eight packages at once. */
enum { POPULATE_WRITE_BYTES = 1 << 20, POPULATE_MOSS_WRITERS = 8 };

struct populate_request {
	int store_fd; /* the store's top, …/v2 */
	const struct fanout *fanout;
	const struct contents *contents; /* named */
	uint64_t seed;
	unsigned writers; /* 1 to WORKERS_MAX */
	const struct progress *progress;
};

struct populate_result {
	uint64_t assets, bytes, directories; /* that were made */
	double seconds;                      /* CLOCK_MONOTONIC_RAW */
};

/*
 * A writer takes one package after the other, that is the contents of equal number >> 20, and
 * writes each package's contents in the order of their numbers, largest first. One writer alone
 * writes all contents in the order of their numbers. What an interrupted fill has left is gone on
 * from. The first error stops all writers; its sentence names the asset and the call; no .part is
 * left. -EINTR where the progress asks to stop. result tells what was made in any case.
 */
int store_populate(const struct populate_request *request, struct populate_result *result);

#endif
