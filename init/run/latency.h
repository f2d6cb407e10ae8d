/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trial tells about how long its calls took, and about the clock that said so. */
#ifndef BLITBENCH_RUN_LATENCY_H
#define BLITBENCH_RUN_LATENCY_H

#include "measure/latency.h"
#include "report/record.h"

/* Whether this source of the kernel's clock can be read without a system call, from the vDSO. */
bool latency_clock_is_cheap(const char *clocksource);

/* Puts the histograms, TIMED_KINDS of them (blit/timed.h), into the details, with what timing cost.
 * root as in lib/sysfs.h. */
void latency_tell(const struct latency *histograms, struct trial_record *record, const char *root);

/* A note where each reading of the clock is a system call. */
void latency_judge_clock(struct trial_record *record, const char *root);

#endif
