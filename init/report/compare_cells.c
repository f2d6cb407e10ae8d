/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cells that two reports have in common, and how they differ. */
#include "report/compare_cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/values.h"
#include "measure/rank_test.h"
#include "measure/statistics.h"
#include "report/contest.h"

static double seconds_per_entry(const struct trial_record *trial)
{
	return trial->seconds / (double)trial->entries;
}

/* --- which cells ---------------------------------------------------------------------------- */

static const struct cell *find_key(const struct cells *cells, const struct cell_key *key)
{
	for (size_t i = 0; i < cells->count; i++)
		if (cell_key_equal(cells->list[i].key, key))
			return &cells->list[i];
	return NULL;
}

/* A baseline that tells of no governor, such as the published table, stands for any; that they differ
 * is among the differences. */
static const struct cell *find_in_baseline(const struct versus *versus, const struct cell *cell)
{
	const struct cells *cells = &versus->baseline->cells;
	const struct cell *found = find_key(cells, cell->key);
	struct cell_key without = *cell->key;

	without.governor[0] = '\0';
	return found ? found : find_key(cells, &without);
}

static bool is_in_report(const struct versus *versus, const struct cell *cell)
{
	const struct cells *cells = &versus->report->cells;

	for (size_t i = 0; i < cells->count; i++)
		if (find_in_baseline(versus, &cells->list[i]) == cell)
			return true;
	return false;
}

json_t *matches_only_in_baseline(const struct versus *versus)
{
	const struct cells *cells = &versus->baseline->cells;
	json_t *list = json_array();

	for (size_t i = 0; i < cells->count; i++)
		if (!is_in_report(versus, &cells->list[i]))
			json_array_append_new(list, cell_key_to_json(cells->list[i].key));
	return list;
}

json_t *matches_only_in_report(const struct versus *versus)
{
	const struct cells *cells = &versus->report->cells;
	json_t *list = json_array();

	for (size_t i = 0; i < cells->count; i++)
		if (!find_in_baseline(versus, &cells->list[i]))
			json_array_append_new(list, cell_key_to_json(cells->list[i].key));
	return list;
}

/* --- what they come to ---------------------------------------------------------------------- */

static double *medians_of(const struct cells *cells, const struct cell *cell, trial_value value,
			  size_t *count)
{
	double *medians = calloc(cell->count + 1, sizeof(*medians));

	*count = medians ? cells_medians(cells, cell, value, medians) : 0;
	return medians;
}

static void match_free(struct match *match)
{
	free(match->left);
	free(match->right);
}

static int match_make(struct match *match, const struct versus *versus,
		      const struct cell *baseline, const struct cell *report)
{
	trial_value value = versus->per_entry ? seconds_per_entry : trial_seconds;

	*match = (struct match){ .baseline = baseline, .report = report, .p = NAN };
	match->left = medians_of(&versus->baseline->cells, baseline, value, &match->left_count);
	match->right = medians_of(&versus->report->cells, report, value, &match->right_count);
	if (!match->left || !match->right)
		return error_set(-ENOMEM, "out of memory");
	match->p = contest_test(match->left, match->left_count, match->right, match->right_count);
	return 0;
}

static double median_of(const struct cells *cells, const struct cell *cell, trial_value value)
{
	size_t count;
	_cleanup_free_ double *medians = medians_of(cells, cell, value, &count);

	return statistics_median(medians, count);
}

static json_t *side_to_json(const struct cells *cells, const struct cell *cell, size_t sessions)
{
	json_t *seconds = json_measured(median_of(cells, cell, trial_seconds));
	json_t *per_entry = json_measured(median_of(cells, cell, seconds_per_entry));
	json_t *per_second = json_measured(median_of(cells, cell, trial_entries_per_second));

	return json_pack("{s:I, s:o, s:o, s:o}",
		"sessions", (json_int_t)sessions,
		"median_seconds", seconds,
		"median_seconds_per_entry", per_entry,
		"median_entries_per_second", per_second);
}

static json_t *match_to_json(const struct versus *versus, const struct match *match, bool forced)
{
	json_t *json = cell_key_to_json(match->report->key), *between = json_null();
	double interval[2], ratio = rank_ratio(match->left, match->left_count, match->right,
					       match->right_count, interval);
	bool tested = !isnan(match->p);

	if (tested && !isnan(interval[0]))
		between = json_pack("[f, f]", interval[0], interval[1]);
	json_object_set_new(json, "baseline", side_to_json(&versus->baseline->cells,
							   match->baseline, match->left_count));
	json_object_set_new(json, "report", side_to_json(&versus->report->cells, match->report,
							 match->right_count));
	json_object_set_new(json, "ratio", json_measured(ratio));
	json_object_set_new(json, "ratio_ci95", between);
	json_object_set_new(json, "p", json_measured(match->p));
	json_object_set_new(json, "p_corrected", json_measured(match->corrected));
	json_object_set_new(json, "star", tested ? json_boolean(match->corrected <= RANK_TEST_LEVEL)
						 : json_null());
	json_object_set_new(json, "forced", json_boolean(forced));
	return json;
}

void matches_free(struct matches *matches)
{
	for (size_t i = 0; i < matches->count; i++)
		match_free(&matches->list[i]);
	free(matches->list);
}

int matches_make(struct matches *matches, const struct versus *versus)
{
	const struct cells *cells = &versus->report->cells;
	_cleanup_free_ double *p = calloc(cells->count + 1, sizeof(*p));
	int error = 0;

	matches->list = calloc(cells->count + 1, sizeof(*matches->list));
	if (!p || !matches->list)
		return error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; i < cells->count && !error; i++) {
		const struct cell *baseline = find_in_baseline(versus, &cells->list[i]);

		if (baseline)
			error = match_make(&matches->list[matches->count++], versus, baseline,
					   &cells->list[i]);
	}
	for (size_t i = 0; i < matches->count; i++)
		p[i] = matches->list[i].p;
	if (!error && holm_correct(p, matches->count))
		error = error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; i < matches->count; i++)
		matches->list[i].corrected = p[i];
	return error;
}

json_t *matches_to_json(const struct matches *matches, const struct versus *versus, bool forced)
{
	json_t *cells = json_array();

	for (size_t i = 0; i < matches->count; i++)
		json_array_append_new(cells, match_to_json(versus, &matches->list[i], forced));
	return cells;
}

/* The least p, corrected, that any of them could come to, whatever was measured. */
static double least_p(const struct matches *matches, size_t tests)
{
	double least = 1;

	for (size_t i = 0; i < matches->count; i++)
		if (!isnan(matches->list[i].p))
			least = fmin(least, rank_test_least(matches->list[i].left_count,
							    matches->list[i].right_count));
	return least * (double)tests;
}

/* The number of tests, and whether there are so many that none could be significant. */
json_t *matches_tests(const struct matches *matches)
{
	size_t tests = 0;

	for (size_t i = 0; i < matches->count; i++)
		tests += !isnan(matches->list[i].p);
	return json_pack("{s:I, s:o, s:o}",
		"count", (json_int_t)tests,
		"least_p_corrected", tests ? json_measured(least_p(matches, tests)) : json_null(),
		"sessions_needed",
		tests ? json_integer((json_int_t)rank_test_sessions_for(tests)) : json_null());
}
