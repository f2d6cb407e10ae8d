/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/summary.h"

#include <math.h>
#include <stdlib.h>

#include "lib/cleanup.h"
#include "lib/values.h"
#include "measure/statistics.h"
#include "report/cells.h"
#include "report/fields.h"
#include "report/json.h"
#include "report/latency.h"

static double durable_seconds(const struct trial_record *trial)
{
	return trial->durable_seconds;
}

static double quiesced_seconds(const struct trial_record *trial)
{
	return trial->quiesced_seconds;
}

static double swap_seconds(const struct trial_record *trial)
{
	return trial->swap_seconds;
}

static double archive_seconds(const struct trial_record *trial)
{
	return trial->archive_seconds;
}

static double prune_seconds(const struct trial_record *trial)
{
	return trial->prune_seconds;
}

static double reads_per_entry(const struct trial_record *trial)
{
	if (trial->io.reads == COUNT_UNKNOWN || !trial->entries)
		return NAN;
	return (double)trial->io.reads / (double)trial->entries;
}

static double write_bytes(const struct trial_record *trial)
{
	return trial->io.write_bytes == COUNT_UNKNOWN ? NAN : (double)trial->io.write_bytes;
}

static double primed_seconds(const struct trial_record *trial)
{
	return trial->seconds + field_number(trial->details, "prime_seconds");
}

static double primed_reads_per_entry(const struct trial_record *trial)
{
	return reads_per_entry(trial) + field_number(trial->details, "prime_reads") / (double)trial->entries;
}

/* The figures that are medians of the sessions' medians and nothing else. */
static const struct {
	const char *key;
	trial_value value;
} figures[] = {
	{ "median_entries_per_second", trial_entries_per_second },
	{ "median_durable_seconds", durable_seconds },
	{ "median_quiesced_seconds", quiesced_seconds },
	{ "median_swap_seconds", swap_seconds },
	{ "median_archive_seconds", archive_seconds },
	{ "median_prune_seconds", prune_seconds },
	{ "median_reads_per_entry", reads_per_entry },
	{ "median_write_bytes", write_bytes },
	{ "median_primed_seconds", primed_seconds },
	{ "median_primed_reads_per_entry", primed_reads_per_entry },
};

static json_t *interval_to_json(const double *sorted, size_t count)
{
	double interval[2];

	if (!statistics_median_interval(sorted, count, interval))
		return json_null();
	return json_pack("[o, o]", json_measured(interval[0]), json_measured(interval[1]));
}

/* Of one session nobody can say how far sessions lie apart. */
static double spread(const double *sorted, size_t count)
{
	return count > 1 ? statistics_mad(sorted, count) : NAN;
}

/* The medians have room for all of the cell's sessions. */
static json_t *cell_to_json(const struct cells *cells, const struct cell *cell, double *medians)
{
	json_t *json = cell_key_to_json(cell->key);
	size_t sessions = cells_medians(cells, cell, trial_seconds, medians);
	double least = INFINITY, greatest = -INFINITY;

	for (size_t i = 0; i < cell->count; i++) {
		least = fmin(least, cell->trials[i]->seconds);
		greatest = fmax(greatest, cell->trials[i]->seconds);
	}
	json_object_set_new(json, "n", json_integer((json_int_t)cell->count));
	json_object_set_new(json, "sessions", json_integer((json_int_t)sessions));
	json_object_set_new(json, "median_seconds",
			    json_measured(statistics_median(medians, sessions)));
	json_object_set_new(json, "min_seconds", json_measured(least));
	json_object_set_new(json, "max_seconds", json_measured(greatest));
	json_object_set_new(json, "ci95_seconds", interval_to_json(medians, sessions));
	json_object_set_new(json, "mad_seconds", json_measured(spread(medians, sessions)));
	for (size_t i = 0; i < ARRAY_LENGTH(figures); i++) {
		sessions = cells_medians(cells, cell, figures[i].value, medians);
		json_object_set_new(json, figures[i].key,
				    json_measured(statistics_median(medians, sessions)));
	}
	json_object_set_new(json, "latency", latency_summary(cell->trials, cell->count));
	return json;
}

json_t *summary_build(const struct cells *cells)
{
	_cleanup_free_ double *medians = calloc(cells->trial_count + 1, sizeof(*medians));
	json_t *summary = json_array();
	bool whole = medians && summary;

	for (size_t i = 0; whole && i < cells->count; i++)
		whole = !json_array_append_new(summary,
					       cell_to_json(cells, &cells->list[i], medians));
	if (whole)
		return summary;
	json_decref(summary);
	return NULL;
}
