/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Going on with a run that was cut short: its finished sessions are taken over into this run's
 * journal. */
#ifndef BLITBENCH_RUN_RESUME_H
#define BLITBENCH_RUN_RESUME_H

#include "run/run.h"

/*
 * A step of the run, once its target is confirmed. With resume=yes, and where this is the same
 * program on the same kernel, machine and target, with the same configuration and workload, the
 * finished sessions of the unfinished run are copied into the journal. Where anything differs,
 * which is told, or nothing was finished, this run begins at its beginning.
 */
int run_resume(struct run *run);

/* Whether the session at that place (from 0) of a round (from 1) was taken over. */
bool resume_has(const struct run *run, unsigned round, unsigned place);

/* How many of the trials that were taken over were not verified. */
unsigned resume_unverified(const struct run *run);

#endif
