/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan would do, for a person who reads it before anything is done. */
#ifndef BLITBENCH_RUN_PREVIEW_H
#define BLITBENCH_RUN_PREVIEW_H

#include "run/needs.h"

#include <stdio.h>

/* How many timed trials there are at most: a strategy that comes to the same as an earlier one is
 * left out, and one that a filesystem cannot do is only told. */
unsigned preview_trials(const struct plan *plan);

void preview_print(FILE *out, const struct plan *plan, const struct workload *workload,
		   const struct needs *needs);

#endif
