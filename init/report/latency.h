/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long calls took, by kind: as a trial tells it, of all trials of a cell, and as a table. */
#ifndef BLITBENCH_REPORT_LATENCY_H
#define BLITBENCH_REPORT_LATENCY_H

#include "measure/latency.h"
#include "report/page.h"
#include "report/record.h"

/* One element of "calls": name, count, percentiles and the buckets that are not empty. */
json_t *latency_call_json(const char *name, const struct latency *latency);

/* The summary's "latency": that of these trials merged; null where none has any. */
json_t *latency_summary(const struct trial_record *const *trials, size_t count);

/* True where some cell of the summary has it. */
bool latency_recorded(const json_t *summary);

/* A table of it for each cell that has it. */
void table_latency(FILE *out, const struct page *page);

#endif
