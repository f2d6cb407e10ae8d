/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as one page that needs nothing else, in the dress of report.html. */
#include "report/compare.h"

#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/compare_words.h"
#include "report/fields.h"
#include "report/html_write.h"
#include "report/numbers.h"
#include "report/setup.h"

static bool is_forced(const json_t *comparison)
{
	return json_is_true(field(comparison, "forced"));
}

/* The tag, the words, and its end. */
static void print_element(FILE *out, const char *tag, const char *words)
{
	fprintf(out, "<%s>", tag);
	html_text(out, words ? words : "");
	fprintf(out, "</%s>\n", tag);
}

static void print_elements(FILE *out, const char *tag, const json_t *sentences)
{
	const json_t *sentence;
	size_t index;

	json_array_foreach(sentences, index, sentence)
		print_element(out, tag, json_string_value(sentence));
}

static void print_list(FILE *out, const json_t *sentences)
{
	if (!json_array_size(sentences))
		return;
	fputs("<ul>\n", out);
	print_elements(out, "li", sentences);
	fputs("</ul>\n", out);
}

static void print_side(FILE *out, const char *label, const json_t *side)
{
	_cleanup_free_ char *words = compare_side_words(side);

	fprintf(out, "<p><b>%s:</b> ", label);
	html_text(out, words ? words : "");
	fputs("</p>\n", out);
	print_list(out, field(side, "caveats"));
}

static void print_left_out(FILE *out, size_t count)
{
	if (count)
		fprintf(out, "<p class=note>%zu more are left out to keep this page small; compare "
			     "--json has them.</p>\n", count);
}

static void print_differences(FILE *out, const json_t *comparison)
{
	const json_t *differences = field(comparison, "differences"), *difference;
	size_t index;

	print_element(out, "h3", "What differs");
	if (!json_array_size(differences))
		print_element(out, "p", COMPARE_NOTHING_DIFFERS);
	fputs("<ul>\n", out);
	json_array_foreach(differences, index, difference) {
		_cleanup_free_ char *words = compare_difference_words(difference);

		if (!html_room(out))
			break;
		print_element(out, "li", words);
	}
	fputs("</ul>\n", out);
	print_left_out(out, json_array_size(differences) - index);
	if (!is_forced(comparison))
		return;
	fputs("<div class=status><p><strong>Not comparable, and compared by force.</strong></p>\n",
	      out);
	print_list(out, field(comparison, "obstacles"));
	fputs("</div>\n", out);
}

static void print_number(FILE *out, enum number_kind kind, double value)
{
	fputs("<td>", out);
	number_print(out, 0, kind, value);
}

static void print_interval(FILE *out, const json_t *interval)
{
	fputs("<td>", out);
	if (json_array_size(interval) != 2)
		return;
	number_print(out, 0, FINE_RATIO, json_number_value(json_array_get(interval, 0)));
	fputs(" to ", out);
	number_print(out, 0, FINE_RATIO, json_number_value(json_array_get(interval, 1)));
}

static void print_row(FILE *out, const json_t *comparison, const json_t *cell)
{
	const struct compare_measure measure = compare_measure(comparison);
	bool star = json_is_true(field(cell, "star"));
	char name[64];

	filesystem_label(name, sizeof(name), cell);
	html_cell(out, "tr><th scope=row", "%s %s %s", name, field_text(cell, "operation", ""),
		  field_text(cell, "cache", ""));
	print_number(out, measure.kind, compare_figure(measure, cell, "baseline"));
	print_number(out, measure.kind, compare_figure(measure, cell, "report"));
	print_number(out, FINE_RATIO, field_number(cell, "ratio"));
	print_interval(out, field(cell, "ratio_ci95"));
	fprintf(out, "<td class=words>%s", !star ? "" :
		field_number(cell, "ratio") > 1 ? "* slower" : "* faster");
	if (is_forced(comparison))
		fputs("<td class=words>forced: not comparable", out);
	fputc('\n', out);
}

/* The rows of one setup, below its name where there are several. */
static void print_block(FILE *out, const json_t *comparison, const struct setups *setups,
			size_t setup)
{
	const char *label = setups->labels[setup];
	const json_t *cell;
	size_t index;

	if (*label)
		html_cell(out, "tr><th colspan=6 class=group", "%s", label);
	json_array_foreach(setups->cells, index, cell)
		if (setups->by.of[index] == setup && html_room(out))
			print_row(out, comparison, cell);
}

static void print_cells(FILE *out, const json_t *comparison)
{
	_cleanup_free_ char *common = compare_common(comparison);
	_cleanup_setups_ struct setups setups = { 0 };

	if (setups_make(&setups, field(comparison, "cells")))
		return;
	print_element(out, "p", common);
	html_table_begin(out, compare_measure(comparison).caption);
	fprintf(out,
		"<thead><tr><th scope=col class=words>cell<th scope=col>baseline"
		"<th scope=col>report<th scope=col>ratio<th scope=col>95&nbsp;%% interval"
		"<th scope=col class=words>significantly%s</thead>\n<tbody>\n",
		is_forced(comparison) ? "<th scope=col class=words>forced" : "");
	for (size_t i = 0; i < setups.by.count; i++)
		print_block(out, comparison, &setups, i);
	fputs("</tbody>\n", out);
	html_table_end(out);
	if (!html_room(out))
		fputs("<p class=note>Cells may be left out above to keep this page small; compare "
		      "--json has them all.</p>\n", out);
}

static void print_comparison(FILE *out, const json_t *baseline, const json_t *comparison)
{
	_cleanup_free_ char *legend = compare_legend(comparison);
	_cleanup_free_ char *answer = compare_answer(comparison);
	json_t *remarks = compare_remarks(baseline, comparison);

	fputs("<section>\n", out);
	fprintf(out, "<h2>%s", is_forced(comparison) ? "Forced: " : "");
	html_text(out, answer ? answer : "");
	fputs("</h2>\n", out);
	print_side(out, "Report", field(comparison, "report"));
	print_differences(out, comparison);
	print_element(out, "h3", "Ratios");
	print_cells(out, comparison);
	print_elements(out, "p", remarks);
	print_element(out, "p", legend);
	fputs("</section>\n", out);
	json_decref(remarks);
}

char *compare_html(const json_t *comparison)
{
	const json_t *baseline = field(comparison, "baseline"), *one;
	json_t *verdict = compare_verdict_words(field(comparison, "verdict"));
	char *text = NULL;
	size_t size, index;
	FILE *out = open_memstream(&text, &size);

	if (out) {
		html_begin(out, "blitbench compare", "");
		fputs("<main>\n<h1>blitbench compare</h1>\n", out);
		print_side(out, "Baseline", baseline);
		if (json_array_size(field(comparison, "only")))
			print_element(out, "p", "Only cells of:");
		print_list(out, field(comparison, "only"));
		print_elements(out, "p", verdict);
		json_array_foreach(field(comparison, "comparisons"), index, one)
			print_comparison(out, baseline, one);
		fputs("</main>\n</body>\n</html>\n", out);
		fclose(out);
	}
	json_decref(verdict);
	return text;
}
