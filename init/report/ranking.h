/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which filesystem is fastest, and how sure that is: the cells that differ in nothing but
 * filesystem and variant, in the order of their medians. Whether two of them differ is decided by
 * the test of Mann and Whitney on their sessions, corrected after Holm for all the pairs of a
 * table: the same engine, strategy, threads, store and governor with every cache and operation
 * (docs/statistics.md).
 */
#ifndef BLITBENCH_REPORT_RANKING_H
#define BLITBENCH_REPORT_RANKING_H

#include <stdio.h>

#include "report/cells.h"

/* Below so many sessions there is no interval and no ranking. */
enum { RANKING_SESSIONS_MIN = 6 };
#define RANKING_TOO_FEW "fewer than six sessions"

/* The report's ranking array; NULL when memory is short. Caller owns. */
json_t *ranking_build(const struct cells *cells);

/* The ranking of a report as a table, or the sentence why there is none; nothing where only one
 * filesystem was measured. */
void ranking_print(FILE *out, const json_t *report);

#endif
