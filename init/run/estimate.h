/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a plan would take, and how much it would write: ranges, from what is known beforehand
 * (run/facts.h). */
#ifndef BLITBENCH_RUN_ESTIMATE_H
#define BLITBENCH_RUN_ESTIMATE_H

#include "run/facts.h"
#include "run/needs.h"

enum part {
	PART_FILL,   /* contents named once; discard, mkfs, store filled, aged */
	PART_TRIALS, /* timed and untimed transactions */
	PART_WAITS,  /* trees verified, caches emptied, the disk left alone */
	PART_CHECK,  /* fsck */
	PARTS
};

struct estimate {
	unsigned sessions; /* of all rounds */
	/* Where kernel and filesystems can do what the plan wants: under each governor, and where
	 * there is no cpufreq driver, so that all of them come to the same. */
	unsigned trials, trials_without_cpufreq;
	struct range seconds[WHERES][PARTS];
	struct range written_bytes;
};

void estimate_make(struct estimate *estimate, const struct plan *plan,
		   const struct workload *workload, const struct needs *needs);

/* Of all parts. */
struct range estimate_seconds(const struct estimate *estimate, enum where where);

#endif
