/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting until the target's partition is quiet, so that one trial's background work does not fall
 * into the next. */
#ifndef BLITBENCH_RUN_QUIET_H
#define BLITBENCH_RUN_QUIET_H

#include "lib/progress.h"
#include "measure/counters.h"

#include <stdbool.h>

enum { QUIET_SECONDS = 2, QUIET_LIMIT_SECONDS = 60 };

/* Since when a partition is being looked at, and what it had done until then. */
struct quiet {
	struct disk_counters counters;
	double since; /* of clock_seconds() */
};

/* Begins to look. stat_path as in measure/counters.h. */
int quiet_begin(const char *stat_path, struct quiet *quiet);

/* Returns when nothing was read, written or discarded at the partition for 2 s, of which some may be
 * over already: since quiet_begin. *reached is false when that had not come after 60 s. -EINTR where
 * the progress, to which phase is told meanwhile, asks to stop. */
int quiet_wait(const char *stat_path, const struct quiet *quiet, const struct progress *progress,
	       const char *phase, bool *reached);

#endif
