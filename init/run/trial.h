/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A trial: one transaction, prepared hot or cold, measured, verified, and told as a record with its
 * flags. */
#ifndef BLITBENCH_RUN_TRIAL_H
#define BLITBENCH_RUN_TRIAL_H

#include "measure/counters.h"
#include "report/record.h"
#include "run/plan.h"
#include "run/site.h"
#include "run/vitals.h"

/* At the device, of one trial. */
struct trial_reads {
	uint64_t count, bytes;
};

/* What the trials of one method in one session share. */
struct trial_series {
	const struct plan *plan;
	const struct filesystem *fs;
	struct blit_method method; /* the engine with its strategy and threads */
	struct site *site;
	const char *node; /* of the target, to remount */
	const struct watch *watch; /* NULL = nobody looks */
	const struct progress *progress;
	char phase[64]; /* what it is told now */
	bool said_lasting; /* to the progress: flags that each trial here has */
	const char *governor; /* that is set; "" = none was */
	double run_started;   /* by clock_boot_seconds() */
	struct vitals vitals;
	unsigned round;
	const struct cache_counters *pinned; /* what the empty, mounted filesystem held */
	struct trial_reads first_cold[2]; /* by operation; none = there was none yet */
};

/*
 * Runs trial number (from 1) and fills the record; the caller frees it with trial_record_free. What
 * goes wrong with the blit or the tree is a flag of the trial and 0 is returned; an error means
 * that the session cannot go on (the filesystem is not usable any more).
 */
int trial_run(struct trial_series *series, enum cache_state cache, enum operation operation,
	      unsigned number, struct trial_record *record);

/* The record of a trial that was not to be had: flag says why in a word, reason in a sentence. */
void trial_not_run(const struct trial_series *series, enum cache_state cache,
		   enum operation operation, const char *flag, const char *reason,
		   struct trial_record *record);

enum { TRIAL_BLIT_FAILED = 1 };

/* A transaction that is not timed: it makes the caches warm, or the first usr. TRIAL_BLIT_FAILED
 * with a sentence where the blit failed and the filesystem is as it was before, but for modes. */
int trial_warm_up(struct trial_series *series, enum operation operation);

/* The pure rules of two flags. More than 0.01 device reads per entry is not hot. No reads at all, or
 * reads that differ from the session's first cold trial by more than 3 % both in number and in bytes
 * and by more than a hot trial may make, are not cold: where several threads read, the kernel does
 * not always merge the same ones, nor read ahead the same. */
bool trial_is_hot(uint64_t reads, uint64_t entries);
bool trial_is_cold(const struct trial_reads *reads, const struct trial_reads *first,
		   uint64_t entries);

#endif
