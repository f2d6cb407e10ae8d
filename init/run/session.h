/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session: one fresh filesystem on the target, from discard to check, with all its trials. */
#ifndef BLITBENCH_RUN_SESSION_H
#define BLITBENCH_RUN_SESSION_H

#include "disk/target.h"
#include "fs/room.h"
#include "lib/progress.h"
#include "report/journal.h"
#include "run/plan.h"

struct session_request {
	const struct plan *plan;
	const struct workload *workload;
	const struct target *target;
	const struct filesystem *fs;
	const struct fanout *fanout;
	const char *name; /* as the progress calls it: "ext4", of several stores "ext4 2x2" */
	const struct room *room; /* that it needs there */
	struct journal *journal;
	const struct progress *progress;
	const char *mountpoint;
	unsigned round; /* from 1 */
	unsigned *unverified; /* counts up for each trial that failed or left a wrong tree */
};

/*
 * Runs it. Its record and its trials' are in the journal in any case. Returns a negative errno with
 * a sentence when the session could not be finished; -ESTALE and -EBUSY from the last look mean
 * that nothing may be written to the target any more.
 */
int session_run(const struct session_request *request);

/* Tells the progress what the session comes to now. -EINTR where it asks to stop. */
int session_phase(const struct session_request *request, const char *what);

#endif
