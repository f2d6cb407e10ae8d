/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting until the target's partition is quiet, so that one trial's background work does not fall
 * into the next. */
#ifndef BLITBENCH_RUN_QUIET_H
#define BLITBENCH_RUN_QUIET_H

#include <stdbool.h>

enum { QUIET_SECONDS = 2, QUIET_LIMIT_SECONDS = 60 };

/* Returns when nothing was read, written or discarded at the partition for 2 s. *quiet is false
 * when that had not come after 60 s. stat_path as in measure/counters.h. */
int quiet_wait(const char *stat_path, bool *quiet);

#endif
