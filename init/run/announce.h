/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is about to be formatted, in words a person knows a disk by. */
#ifndef BLITBENCH_RUN_ANNOUNCE_H
#define BLITBENCH_RUN_ANNOUNCE_H

#include "run/run.h"

/* Of the longest labels and names that there can be, all of it. */
enum { ANNOUNCEMENT_BYTES = 1536 };

/* A paragraph for people, of a target that was chosen: which disk and partition, what is on it now,
 * and that it will be lost. */
const char *run_announcement(const struct run *run, char buffer[ANNOUNCEMENT_BYTES]);

/* In the place of the sessions of a dry run: it ends complete, with what would have been formatted
 * as its reason. Nothing is written. */
int run_dry(struct run *run);

#endif
