/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether something has become slower, for a machine that has to say yes or no. */
#include "report/compare.h"

#include <math.h>

#include "lib/cleanup.h"
#include "measure/rank_test.h"
#include "report/fields.h"

struct judgement {
	double limit;
	bool raw;
	bool forced; /* some comparison is */
	json_t *slower, *unknown;
};

static void add(json_t *list, const json_t *comparison, const json_t *cell, json_t *why)
{
	json_t *copy = json_deep_copy(cell);

	json_object_set(copy, "in", json_object_get(field(comparison, "report"), "name"));
	json_object_set(copy, "forced", json_object_get(comparison, "forced"));
	json_object_set_new(copy, "why", why);
	json_array_append_new(list, copy);
}

static void judge_cell(const struct judgement *judgement, const json_t *comparison,
		       const json_t *cell)
{
	double ratio = field_number(cell, "ratio");
	bool tested = json_is_boolean(field(cell, "star"));
	bool possible = field_number(comparison, "tests.least_p_corrected") <= RANK_TEST_LEVEL;

	if (isnan(ratio))
		add(judgement->unknown, comparison, cell, json_string("no valid trial"));
	else if (!judgement->raw && !tested)
		add(judgement->unknown, comparison, cell, json_string("too few sessions"));
	else if (!judgement->raw && !possible)
		add(judgement->unknown, comparison, cell,
		    json_string("too many cells for so few sessions"));
	else if (ratio > 1 + judgement->limit &&
		 (judgement->raw || json_is_true(field(cell, "star"))))
		add(judgement->slower, comparison, cell, json_null());
}

static void judge_comparison(const struct judgement *judgement, const json_t *comparison)
{
	const json_t *cell;
	size_t index;

	json_array_foreach(field(comparison, "cells"), index, cell)
		judge_cell(judgement, comparison, cell);
	json_array_foreach(field(comparison, "only_in_baseline"), index, cell)
		add(judgement->unknown, comparison, cell, json_string("not in the report"));
}

enum compare_result compare_judge(json_t *comparison, double limit, bool raw)
{
	static const char *const names[] = {
		[COMPARE_FINE] = "fine", [COMPARE_SLOWER] = "slower", [COMPARE_UNKNOWN] = "unknown"
	};
	struct judgement judgement = {
		.limit = limit, .raw = raw, .slower = json_array(), .unknown = json_array(),
	};
	enum compare_result result = COMPARE_FINE;
	const json_t *one;
	size_t index;

	json_array_foreach(field(comparison, "comparisons"), index, one) {
		judge_comparison(&judgement, one);
		judgement.forced = judgement.forced || json_is_true(field(one, "forced"));
	}
	if (json_array_size(judgement.slower))
		result = COMPARE_SLOWER;
	else if (json_array_size(judgement.unknown))
		result = COMPARE_UNKNOWN;
	json_object_set_new(comparison, "verdict", json_pack("{s:s, s:f, s:b, s:b, s:o, s:o}",
		"result", names[result],
		"limit", limit,
		"raw", raw,
		"forced", judgement.forced,
		"slower", judgement.slower,
		"unknown", judgement.unknown));
	return result;
}
