/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison in at most 80 columns. */
#include "report/compare.h"

#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/columns.h"
#include "report/compare_words.h"
#include "report/fields.h"
#include "report/numbers.h"
#include "report/setup.h"

enum { LABEL_COLUMNS = 12 };

static void print_list(FILE *out, const char *mark, const json_t *sentences)
{
	const json_t *sentence;
	size_t index;

	json_array_foreach(sentences, index, sentence)
		columns_wrap(out, mark, strlen(mark), "%s", json_string_value(sentence));
}

static void print_items(FILE *out, const json_t *items)
{
	const json_t *item;
	size_t index;

	json_array_foreach(items, index, item)
		columns_wrap(out, "-", 2, "%s", json_string_value(item));
}

static void print_rule(FILE *out, char mark, size_t length)
{
	while (length--)
		fputc(mark, out);
	fputc('\n', out);
}

static void print_side(FILE *out, const char *label, const json_t *side)
{
	_cleanup_free_ char *words = compare_side_words(side);

	columns_wrap(out, label, LABEL_COLUMNS, "%s", words ? words : "");
	print_items(out, field(side, "caveats"));
}

static void print_only(FILE *out, const json_t *only)
{
	const json_t *one;
	size_t index;

	json_array_foreach(only, index, one)
		columns_wrap(out, index ? "" : "Only", LABEL_COLUMNS, "%s",
			     json_string_value(one));
}

static void print_heading(FILE *out, const char *heading)
{
	fprintf(out, "\n%s\n", heading);
	print_rule(out, '-', strlen(heading));
}

static void print_differences(FILE *out, const json_t *comparison)
{
	const json_t *differences = field(comparison, "differences"), *difference;
	size_t index;

	print_heading(out, "What differs");
	json_array_foreach(differences, index, difference) {
		_cleanup_free_ char *words = compare_difference_words(difference);

		columns_wrap(out, "-", 2, "%s", words ? words : "");
	}
	if (!index)
		columns_wrap(out, "", 0, "%s", COMPARE_NOTHING_DIFFERS);
	if (!json_is_true(field(comparison, "forced")))
		return;
	print_heading(out, "NOT COMPARABLE, and compared by force");
	print_items(out, field(comparison, "obstacles"));
}

static void print_interval(FILE *out, const json_t *interval)
{
	if (json_array_size(interval) != 2)
		return;
	number_print(out, 8, FINE_RATIO, json_number_value(json_array_get(interval, 0)));
	number_print(out, 7, FINE_RATIO, json_number_value(json_array_get(interval, 1)));
}

static void print_cell(FILE *out, const json_t *comparison, const json_t *cell)
{
	const struct compare_measure measure = compare_measure(comparison);
	char name[64];

	filesystem_label(name, sizeof(name), cell);
	fputs(compare_mark(comparison), out);
	columns_print(out, name, 11);
	fputc(' ', out);
	columns_print(out, field_text(cell, "operation", ""), 8);
	columns_print(out, field_text(cell, "cache", ""), 5);
	number_print(out, 9, measure.kind, compare_figure(measure, cell, "baseline"));
	number_print(out, 9, measure.kind, compare_figure(measure, cell, "report"));
	number_print(out, 8, FINE_RATIO, field_number(cell, "ratio"));
	print_interval(out, field(cell, "ratio_ci95"));
	fputs(json_is_true(field(cell, "star")) ? " *\n" : "\n", out);
}

static void print_block(FILE *out, const json_t *comparison, const struct setups *setups,
			size_t setup)
{
	const char *mark = compare_mark(comparison), *label = setups->labels[setup];
	const json_t *cell;
	size_t index;

	if (*label) {
		fputc('\n', out);
		columns_wrap(out, mark, strlen(mark), "%s:", label);
	}
	json_array_foreach(setups->cells, index, cell)
		if (setups->by.of[index] == setup)
			print_cell(out, comparison, cell);
}

static void print_cells(FILE *out, const json_t *comparison)
{
	const char *mark = compare_mark(comparison);
	_cleanup_free_ char *common = compare_common(comparison);
	_cleanup_setups_ struct setups setups = { 0 };

	print_heading(out, *mark ? "Ratios, forced" : "Ratios");
	if (common)
		columns_wrap(out, mark, strlen(mark), "%s", common);
	if (setups_make(&setups, field(comparison, "cells")))
		return;
	fprintf(out, "\n%s%25s%9s%9s%8s  95 %% interval\n", mark, "", "baseline", "report",
		"ratio");
	for (size_t i = 0; i < setups.by.count; i++)
		print_block(out, comparison, &setups, i);
	fputc('\n', out);
}

static void print_comparison(FILE *out, const json_t *baseline, const json_t *comparison)
{
	_cleanup_free_ char *legend = compare_legend(comparison);
	_cleanup_free_ char *answer = compare_answer(comparison);
	json_t *remarks = compare_remarks(baseline, comparison);
	const char *mark = compare_mark(comparison);

	fputc('\n', out);
	print_side(out, "Report", field(comparison, "report"));
	print_differences(out, comparison);
	print_cells(out, comparison);
	columns_wrap(out, mark, strlen(mark), "%s", answer ? answer : "");
	print_list(out, mark, remarks);
	columns_wrap(out, mark, strlen(mark), "%s", legend ? legend : "");
	json_decref(remarks);
}

/* Its sentences bring their marks. */
static void print_verdict(FILE *out, const json_t *sentences)
{
	static const size_t length = sizeof(COMPARE_FORCED) - 1;
	const json_t *sentence;
	size_t index;

	json_array_foreach(sentences, index, sentence) {
		const char *words = json_string_value(sentence);
		bool forced = !strncmp(words, COMPARE_FORCED, length);

		columns_wrap(out, forced ? COMPARE_FORCED : "", forced ? length : 0, "%s",
			     words + (forced ? length : 0));
	}
}

char *compare_text(const json_t *comparison)
{
	const json_t *baseline = field(comparison, "baseline"), *one;
	json_t *verdict = compare_verdict_words(field(comparison, "verdict"));
	char *text = NULL;
	size_t size, index;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		fputs("blitbench compare\n", out);
		print_rule(out, '=', COLUMNS_MAX);
		print_side(out, "Baseline", baseline);
		print_only(out, field(comparison, "only"));
		json_array_foreach(field(comparison, "comparisons"), index, one)
			print_comparison(out, baseline, one);
		if (json_array_size(verdict))
			fputc('\n', out);
		print_verdict(out, verdict);
		fclose(out);
	}
	json_decref(verdict);
	return text;
}
