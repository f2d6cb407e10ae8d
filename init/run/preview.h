/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan would do, for whoever wants to know before anything is done. */
#ifndef BLITBENCH_RUN_PREVIEW_H
#define BLITBENCH_RUN_PREVIEW_H

#include "run/needs.h"

#include <jansson.h>
#include <stdio.h>

void preview_print(FILE *out, const struct plan *plan, const struct workload *workload,
		   const struct needs *needs);

/*
 * The same for programs, with all figures in seconds and bytes: {profile, workload {...}, engines
 * [...], ..., sessions, trials, memory_bytes, seconds {metal {...}, emulated {...}},
 * written_bytes [low, high], order [[{filesystem, store}]]}. Caller owns.
 */
json_t *preview_json(const struct plan *plan, const struct workload *workload,
		     const struct needs *needs);

#endif
