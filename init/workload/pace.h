/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeps loops that turn a million times a second from telling their progress more than some ten
 * times a second. */
#ifndef BLITBENCH_WORKLOAD_PACE_H
#define BLITBENCH_WORKLOAD_PACE_H

#include "lib/progress.h"

#include <time.h>

struct pace {
	uint64_t last_milliseconds;
};

static inline int pace_update(struct pace *pace, const struct progress *progress, const char *phase,
			      uint64_t done, uint64_t total)
{
	enum { INTERVAL_MILLISECONDS = 100 };
	struct timespec now;
	uint64_t milliseconds;

	if (!progress)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	milliseconds = (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
	if (pace->last_milliseconds &&
	    milliseconds - pace->last_milliseconds < INTERVAL_MILLISECONDS)
		return 0;
	pace->last_milliseconds = milliseconds;
	return progress_update(progress, phase, done, total);
}

#endif
