/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/compare_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "measure/rank_test.h"
#include "report/fields.h"
#include "report/pieces.h"
#include "report/setup.h"

static char *words_of(struct pieces *pieces)
{
	const char *words = pieces_words(pieces);

	return *words ? strdup(words) : NULL;
}

char *compare_side_words(const json_t *side)
{
	_cleanup_pieces_ struct pieces words = pieces_begin();
	const char *source = field_text(side, "source", NULL);
	const char *status = field_text(side, "status", "of unknown status");

	if (source) {
		add_words(&words, "the table published for moss (%s)", source);
		return words_of(&words);
	}
	add_words(&words, "run %s (%s)", field_text(side, "id", "without an id"),
		  field_text(side, "name", ""));
	if (strcmp(status, "complete"))
		add_words(&words, "which is %s", status);
	add_piece(&words, "profile ", side, "profile", "");
	add_piece(&words, "started ", side, "started", "");
	return words_of(&words);
}

const char *compare_mark(const json_t *forced)
{
	return json_is_true(field(forced, "forced")) ? COMPARE_FORCED : "";
}

static bool holds(const json_t *list, const json_t *value)
{
	const json_t *element;
	size_t index;

	json_array_foreach(list, index, element)
		if (json_equal(element, value))
			return true;
	return false;
}

/* What of the list is not in the other; all of it where the other is no list, or where they hold
 * the same in another order. */
static json_t *rest_of(const json_t *value, const json_t *other)
{
	json_t *rest = json_array(), *element;
	size_t index;

	json_array_foreach(value, index, element)
		if (!holds(other, element))
			json_array_append(rest, element);
	return rest;
}

static char *value_words(const json_t *value)
{
	_cleanup_free_ char *words = NULL;
	json_t *holder = json_pack("{s:O}", "it", value);

	words = field_words(holder, "it");
	json_decref(holder);
	return words && *words ? take_pointer(words) : strdup("nothing");
}

char *compare_difference_words(const json_t *difference)
{
	json_t *left = json_incref((json_t *)field(difference, "baseline"));
	json_t *right = json_incref((json_t *)field(difference, "report"));
	_cleanup_free_ char *left_words = NULL, *right_words = NULL;
	char *words = NULL;

	if (json_is_array(left) && json_is_array(right)) {
		json_t *only_left = rest_of(left, right), *only_right = rest_of(right, left);

		if (json_array_size(only_left) || json_array_size(only_right)) {
			json_decref(left);
			json_decref(right);
			left = json_incref(only_left);
			right = json_incref(only_right);
		}
		json_decref(only_left);
		json_decref(only_right);
	}
	left_words = value_words(left);
	right_words = value_words(right);
	json_decref(left);
	json_decref(right);
	if (asprintf(&words, "%s: baseline %s | report %s", field_text(difference, "what", ""),
		     left_words ? left_words : "", right_words ? right_words : "") < 0)
		return NULL;
	return words;
}

char *compare_cell_words(const json_t *cell)
{
	_cleanup_pieces_ struct pieces how = pieces_begin();
	char name[64], *words;

	filesystem_label(name, sizeof(name), cell);
	add_piece(&how, "", cell, "engine", "");
	add_piece(&how, "", cell, "strategy", "");
	add_count(&how, cell, "threads", "thread");
	add_piece(&how, "store ", cell, "store", "");
	add_piece(&how, "governor ", cell, "governor", "");
	if (asprintf(&words, "%s %s %s (%s)", name, field_text(cell, "operation", ""),
		     field_text(cell, "cache", ""), pieces_words(&how)) < 0)
		return NULL;
	return words;
}

char *compare_common(const json_t *comparison)
{
	_cleanup_setups_ struct setups setups = { 0 };
	char *words = NULL;
	size_t size;
	FILE *out = open_memstream(&words, &size);

	if (!out)
		return NULL;
	if (!setups_make(&setups, field(comparison, "cells")))
		setups_print_common(out, &setups);
	fclose(out);
	return words;
}

struct compare_measure compare_measure(const json_t *comparison)
{
	static const struct compare_measure seconds = {
		.key = "median_seconds",
		.caption = "Seconds of the blit",
		.factor = 1,
		.kind = SECONDS,
	};
	static const struct compare_measure per_entry = {
		.key = "median_seconds_per_entry",
		.caption = "Microseconds for each entry that was made, since the work is not known "
			   "to be the same",
		.factor = 1e6,
		.kind = PER_ENTRY,
	};

	return strcmp(field_text(comparison, "measure", ""), "seconds") ? per_entry : seconds;
}

double compare_figure(struct compare_measure measure, const json_t *cell, const char *side)
{
	return field_number(field(cell, side), measure.key) * measure.factor;
}

char *compare_answer(const json_t *comparison)
{
	double tests = field_number(comparison, "tests.count"), least = INFINITY, greatest = 0;
	unsigned slower = 0, faster = 0;
	const json_t *cell;
	size_t index;
	char *words;

	json_array_foreach(field(comparison, "cells"), index, cell) {
		double ratio = field_number(cell, "ratio");

		least = fmin(least, ratio);
		greatest = fmax(greatest, ratio);
		slower += json_is_true(field(cell, "star")) && ratio > 1;
		faster += json_is_true(field(cell, "star")) && ratio <= 1;
	}
	if (least > greatest)
		return strdup("No cell has valid trials in both.");
	if (tests > 0 ? asprintf(&words,
				 "Of %.0f cell%s tested, %u are significantly slower and %u "
				 "faster.",
				 tests, tests > 1 ? "s" : "", slower, faster) < 0
		      : asprintf(&words, "No cell can be tested. The ratios go from %.3f to %.3f.",
				 least, greatest) < 0)
		return NULL;
	return words;
}

char *compare_legend(const json_t *comparison)
{
	double tests = field_number(comparison, "tests.count");
	_cleanup_free_ char *stars = NULL;
	char *words;

	if (tests > 0 &&
	    asprintf(&stars,
		     " The interval holds the true one with at least 95 %% certainty. *: they "
		     "differ, and not by chance: Mann and Whitney's test, exact, with a p of at "
		     "most %.2f after Holm's correction for the %.0f cells tested.",
		     RANK_TEST_LEVEL, tests) < 0)
		return stars = NULL;
	if (asprintf(&words,
		     "%s; medians of the sessions' medians. ratio: the report's time by the "
		     "baseline's, so that above 1 is slower: the median of the ratios of all pairs "
		     "of sessions.%s",
		     compare_measure(comparison).caption, stars ? stars : "") < 0)
		return NULL;
	return words;
}

static void remark_few(json_t *remarks, const json_t *baseline, const json_t *comparison)
{
	const json_t *cells = field(comparison, "cells"), *cell;
	_cleanup_pieces_ struct pieces few = pieces_begin();
	size_t count = 0, index;

	json_array_foreach(cells, index, cell) {
		if (!json_is_null(field(cell, "star")))
			continue;
		_cleanup_free_ char *name = compare_cell_words(cell);

		count++;
		add_words(&few, "%s: %.0f and %.0f", name ? name : "",
			  field_number(cell, "baseline.sessions"),
			  field_number(cell, "report.sessions"));
	}
	if (count && json_array_size(field(baseline, "caveats")))
		json_array_append_new(remarks, json_string("No interval and no star: the published "
							   "table has one run for each cell."));
	else if (count && count == json_array_size(cells))
		json_array_append_new(remarks, json_sprintf(
			"No interval and no star: they take from 6 to %d sessions in both, and no "
			"cell has them.", RANK_TEST_MAX));
	else if (count)
		json_array_append_new(remarks, json_sprintf(
			"No interval and no star, which take from 6 to %d sessions in both: %s.",
			RANK_TEST_MAX, pieces_words(&few)));
}

static void remark_many(json_t *remarks, const json_t *comparison)
{
	double least = field_number(comparison, "tests.least_p_corrected");

	if (!(least > RANK_TEST_LEVEL))
		return;
	json_array_append_new(remarks, json_sprintf(
		"No star is possible: %.0f cells are tested, and with so few sessions the least p "
		"there can be is %.2g after the correction, however large the difference. %.0f "
		"sessions of each, or fewer cells (--only), would do.",
		field_number(comparison, "tests.count"), least,
		field_number(comparison, "tests.sessions_needed")));
}

static void remark_only(json_t *remarks, const json_t *cells, const char *where)
{
	_cleanup_pieces_ struct pieces names = pieces_begin();
	const json_t *cell;
	size_t index;

	json_array_foreach(cells, index, cell) {
		_cleanup_free_ char *name = compare_cell_words(cell);

		add_words(&names, "%s", name ? name : "");
	}
	if (index)
		json_array_append_new(remarks, json_sprintf("Only in the %s, and not compared: %s.",
							    where, pieces_words(&names)));
}

json_t *compare_remarks(const json_t *baseline, const json_t *comparison)
{
	json_t *remarks = json_array();

	remark_few(remarks, baseline, comparison);
	remark_many(remarks, comparison);
	remark_only(remarks, field(comparison, "only_in_baseline"), "baseline");
	remark_only(remarks, field(comparison, "only_in_report"), "report");
	return remarks;
}

static void add_verdict(json_t *words, const json_t *cells, const char *what)
{
	const json_t *cell;
	size_t index;

	json_array_foreach(cells, index, cell) {
		_cleanup_free_ char *name = compare_cell_words(cell);
		const char *in = field_text(cell, "in", ""), *why = field_text(cell, "why", NULL);
		const char *mark = compare_mark(cell);

		json_array_append_new(
			words,
			why ? json_sprintf("%s%s: %s of %s: %s", mark, what, name ? name : "", in, why)
			    : json_sprintf("%s%s: %s of %s: %.3f times as long", mark, what,
					   name ? name : "", in, field_number(cell, "ratio")));
	}
}

json_t *compare_verdict_words(const json_t *verdict)
{
	static const struct {
		const char *result, *sentence;
	} sentences[] = {
		{ "fine", "no cell is" },
		{ "slower", "at least one cell is" },
		{ "unknown", "cannot be told whether a cell is" },
	};
	json_t *words = json_array();

	for (size_t i = 0; i < ARRAY_LENGTH(sentences); i++)
		if (!strcmp(field_text(verdict, "result", ""), sentences[i].result))
			json_array_append_new(words, json_sprintf(
				"%sVerdict: %s %sslower by more than %g %%.",
				compare_mark(verdict), sentences[i].sentence,
				json_is_true(field(verdict, "raw")) ? "(by the ratio alone) "
								    : "significantly ",
				field_number(verdict, "limit") * 100));
	add_verdict(words, field(verdict, "slower"), "slower");
	add_verdict(words, field(verdict, "unknown"), "not judged");
	return words;
}
