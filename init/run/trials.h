/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All trials of a session: by engine, governor and strategy, by the state of the caches, and the operations in
 * turn. */
#ifndef BLITBENCH_RUN_TRIALS_H
#define BLITBENCH_RUN_TRIALS_H

#include "measure/counters.h"
#include "run/session.h"
#include "run/site.h"

/*
 * Each trial is told to the progress and is in the journal before the next begins. pinned is what
 * the empty, mounted filesystem held in memory. Returns a negative errno with a sentence when the
 * session cannot go on.
 */
int trials_run(const struct session_request *request, struct site *site,
	       const struct cache_counters *pinned);

#endif
