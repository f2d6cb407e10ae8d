/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/values.h"
#include "measure/statistics.h"
#include "report/fields.h"
#include "report/json.h"
#include "report/latency.h"

static bool cell_equal(const struct cell_key *left, const struct cell_key *right)
{
	return !strcmp(left->filesystem, right->filesystem) &&
	       !strcmp(left->variant, right->variant) && !strcmp(left->engine, right->engine) &&
	       !strcmp(left->strategy, right->strategy) && !strcmp(left->store, right->store) &&
	       !strcmp(left->cache, right->cache) && !strcmp(left->operation, right->operation) &&
	       left->threads == right->threads;
}

static double seconds(const struct trial_record *trial)
{
	return trial->seconds;
}

static double entries_per_second(const struct trial_record *trial)
{
	return trial->seconds > 0 ? (double)trial->entries / trial->seconds : NAN;
}

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
	double (*value)(const struct trial_record *trial);
} figures[] = {
	{ "median_entries_per_second", entries_per_second },
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

/* The valid trials of one cell, with room for their values and their sessions' medians. */
struct cell_trials {
	const struct trial_record **trials;
	size_t count;
	double *values, *medians;
};

/* The medians of the cell's sessions, sorted; returns how many sessions have one. */
static size_t session_medians(struct cell_trials *cell,
			      double (*value)(const struct trial_record *trial))
{
	size_t sessions = 0;

	for (size_t i = 0; i < cell->count; i++) {
		unsigned round = cell->trials[i]->round;
		bool seen = false;
		size_t used = 0;

		for (size_t j = 0; j < i && !seen; j++)
			seen = cell->trials[j]->round == round;
		if (seen)
			continue;
		for (size_t j = i; j < cell->count; j++)
			if (cell->trials[j]->round == round)
				cell->values[used++] = value(cell->trials[j]);
		used = statistics_sort(cell->values, used);
		if (used)
			cell->medians[sessions++] = statistics_median(cell->values, used);
	}
	return statistics_sort(cell->medians, sessions);
}

static json_t *interval_to_json(const double *sorted, size_t count)
{
	double interval[2];

	if (!statistics_median_interval(sorted, count, interval))
		return json_null();
	return json_pack("[f, f]", interval[0], interval[1]);
}

static json_t *cell_to_json(const struct cell_key *key, struct cell_trials *cell)
{
	size_t sessions;
	json_t *json;

	for (size_t i = 0; i < cell->count; i++)
		cell->values[i] = cell->trials[i]->seconds;
	statistics_sort(cell->values, cell->count);
	json = json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:I, s:I, s:n, s:o, s:o}",
		"filesystem", json_text(key->filesystem),
		"variant", json_text(*key->variant ? key->variant : NULL),
		"engine", json_text(*key->engine ? key->engine : NULL),
		"strategy", json_text(*key->strategy ? key->strategy : NULL),
		"threads", (json_int_t)key->threads,
		"store", json_text(*key->store ? key->store : NULL),
		"cache", json_text(key->cache),
		"operation", json_text(key->operation),
		"n", (json_int_t)cell->count,
		"sessions", (json_int_t)0,
		"median_seconds",
		"min_seconds", json_measured(statistics_minimum(cell->values, cell->count)),
		"max_seconds", json_measured(statistics_maximum(cell->values, cell->count)));

	sessions = session_medians(cell, seconds);
	json_object_set_new(json, "sessions", json_integer((json_int_t)sessions));
	json_object_set_new(json, "median_seconds",
			    json_measured(statistics_median(cell->medians, sessions)));
	json_object_set_new(json, "ci95_seconds", interval_to_json(cell->medians, sessions));
	for (size_t i = 0; i < ARRAY_LENGTH(figures); i++) {
		sessions = session_medians(cell, figures[i].value);
		json_object_set_new(json, figures[i].key,
				    json_measured(statistics_median(cell->medians, sessions)));
	}
	json_object_set_new(json, "latency", latency_summary(cell->trials, cell->count));
	return json;
}

static bool first_of_its_cell(const struct trial_record *trials, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (cell_equal(&trials[i].cell, &trials[index].cell))
			return false;
	return true;
}

json_t *summary_build(const struct trial_record *trials, size_t count)
{
	_cleanup_free_ const struct trial_record **members = calloc(count + 1, sizeof(*members));
	_cleanup_free_ double *values = calloc(count + 1, sizeof(*values));
	_cleanup_free_ double *medians = calloc(count + 1, sizeof(*medians));
	json_t *summary = json_array();

	if (!members || !values || !medians || !summary) {
		json_decref(summary);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		struct cell_trials cell = { .trials = members,
					    .values = values,
					    .medians = medians };

		if (!first_of_its_cell(trials, i))
			continue;
		for (size_t j = i; j < count; j++)
			if (cell_equal(&trials[i].cell, &trials[j].cell) &&
			    trial_valid(&trials[j]) && isfinite(trials[j].seconds))
				members[cell.count++] = &trials[j];
		if (json_array_append_new(summary, cell_to_json(&trials[i].cell, &cell))) {
			json_decref(summary);
			return NULL;
		}
	}
	return summary;
}
