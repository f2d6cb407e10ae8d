/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: one filesystem with a store filled anew, and all its trials. Where the filesystem comes
 * from is another's business: a fresh one on the target (run/fresh.h), or a directory (run/directory.h).
 */
#ifndef BLITBENCH_RUN_SESSION_H
#define BLITBENCH_RUN_SESSION_H

#include "fs/filesystem.h"
#include "lib/progress.h"
#include "machine/hold.h"
#include "measure/counters.h"
#include "report/journal.h"
#include "run/plan.h"
#include "run/watch.h"

struct session_request {
	const struct plan *plan;
	const struct workload *workload;
	const struct filesystem *fs; /* of the table, or as much as is known of another */
	const struct fanout *fanout;
	const char *name; /* as the progress calls it: "ext4", of several stores "ext4 2x2" */
	struct journal *journal;
	const struct progress *progress;
	const char *path;	/* where everything is made */
	int directory_fd;	/* as in run/site.h */
	const char *stat_path;	/* as in run/site.h */
	const char *node;	/* of the target, to remount; NULL = it is not remounted */
	bool can_freeze;	/* as in run/site.h */
	struct hold *hold;	/* of the clock speed; NULL = nobody asks for a governor */
	double run_started;	/* by clock_boot_seconds() */
	unsigned round;		/* from 1 */
	const struct watch *watch; /* NULL = nobody looks */
	unsigned *unverified;	/* counts up for each trial that failed or left a wrong tree */
};

/* What a session has made in its place: nobody else's may be taken away. */
enum { SESSION_MADE_STORE = 1, SESSION_MADE_USR = 2 }; /* .moss, usr */

/* How the filesystem comes to be there, and what becomes of it. Both add to the session's record and
 * return 0, or a negative errno with a sentence. */
struct session_place {
	/* path is then there, with nothing in it that would be in the way. */
	int (*enter)(const struct session_place *place, const struct session_request *request,
		     json_t *record);
	/* In any case; made: SESSION_MADE_... Nothing below path is open any more. */
	int (*leave)(const struct session_place *place, const struct session_request *request,
		     unsigned made, json_t *record);
	void *context;
	/* enter's: what the filesystem held in memory before anything was made. */
	struct cache_counters *pinned;
};

/*
 * Runs it. Its record and its trials' are in the journal in any case. Returns a negative errno with
 * a sentence when the session could not be finished; -ESTALE and -EBUSY mean that nothing may be
 * written there any more.
 */
int session_run(const struct session_request *request, const struct session_place *place);

/* Tells the progress what the session comes to now. -EINTR where it asks to stop. */
int session_phase(const struct session_request *request, const char *what);

#endif
