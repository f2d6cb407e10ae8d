/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A comparison as one page that needs nothing else. */
#include "report/compare.h"

#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/compare_words.h"
#include "report/fields.h"
#include "report/numbers.h"
#include "report/pieces.h"
#include "report/setup.h"

static const char style[] =
	"body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
	"color:#1a1a1a;background:#fff;overflow-wrap:anywhere}"
	"h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2rem}"
	".wide{overflow-x:auto}table{border-collapse:collapse;overflow-wrap:normal}"
	"th,td{padding:.25rem .75rem;text-align:right;border-bottom:1px solid #ccc;"
	"font-variant-numeric:tabular-nums;white-space:nowrap}"
	"th:first-child{text-align:left}"
	".forced{border:3px double currentColor;padding:.5rem 1rem}"
	"@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}"
	"th,td{border-color:#555}}";

/* All that comes from a report goes through this. */
static void print_escaped(FILE *out, const char *text)
{
	for (; *text; text++) {
		unsigned char byte = (unsigned char)*text;

		if (byte == '<' || byte == '>' || byte == '&' || byte == '"' || byte == '\'')
			fprintf(out, "&#%u;", byte);
		else if (byte < ' ' || byte == 0x7f)
			fputc(' ', out);
		else
			fputc(byte, out);
	}
}

/* <tag>text</tag>; the tag may have attributes. */
static void print_element(FILE *out, const char *tag, const char *text)
{
	fprintf(out, "<%s>", tag);
	print_escaped(out, text ? text : "");
	fprintf(out, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

static void print_list(FILE *out, const json_t *sentences)
{
	const json_t *sentence;
	size_t index;

	if (!json_array_size(sentences))
		return;
	fputs("<ul>\n", out);
	json_array_foreach(sentences, index, sentence)
		print_element(out, "li", json_string_value(sentence));
	fputs("</ul>\n", out);
}

static void print_paragraphs(FILE *out, const json_t *sentences)
{
	const json_t *sentence;
	size_t index;

	json_array_foreach(sentences, index, sentence)
		print_element(out, "p", json_string_value(sentence));
}

static void print_side(FILE *out, const char *label, const json_t *side)
{
	_cleanup_free_ char *words = compare_side_words(side);

	fprintf(out, "<p><b>%s:</b> ", label);
	print_escaped(out, words ? words : "");
	fputs("</p>\n", out);
	print_list(out, field(side, "caveats"));
}

static void print_differences(FILE *out, const json_t *comparison)
{
	const json_t *difference;
	json_t *sentences = json_array();
	size_t index;

	json_array_foreach(field(comparison, "differences"), index, difference) {
		_cleanup_free_ char *words = compare_difference_words(difference);

		json_array_append_new(sentences, json_string(words ? words : ""));
	}
	print_element(out, "h2", "What differs");
	if (!index)
		print_element(out, "p", "Nothing that both tell: the same machine, kernel, image, "
					"features and settings.");
	print_list(out, sentences);
	json_decref(sentences);
	if (!json_is_true(field(comparison, "forced")))
		return;
	fputs("<div class=\"forced\">\n", out);
	print_element(out, "h2", "Not comparable, and compared by force");
	print_list(out, field(comparison, "obstacles"));
	fputs("</div>\n", out);
}

static void print_number(FILE *out, enum number_kind kind, double value)
{
	fputs("<td>", out);
	number_print(out, 0, kind, value);
	fputs("</td>", out);
}

static void print_interval(FILE *out, const json_t *interval)
{
	fputs("<td>", out);
	if (json_array_size(interval) == 2) {
		number_print(out, 0, FINE_RATIO, json_number_value(json_array_get(interval, 0)));
		fputs(" to ", out);
		number_print(out, 0, FINE_RATIO, json_number_value(json_array_get(interval, 1)));
	}
	fputs("</td>", out);
}

static void print_row(FILE *out, const json_t *comparison, const json_t *cell)
{
	bool seconds = !strcmp(field_text(comparison, "measure", ""), "seconds");
	const char *key = seconds ? "median_seconds" : "median_seconds_per_entry";
	_cleanup_free_ char *words = compare_cell_words(cell);
	double factor = seconds ? 1 : 1e6;

	fputs("<tr>", out);
	print_element(out, "th scope=\"row\"", words);
	print_number(out, seconds ? SECONDS : PER_ENTRY,
		     field_number(field(cell, "baseline"), key) * factor);
	print_number(out, seconds ? SECONDS : PER_ENTRY,
		     field_number(field(cell, "report"), key) * factor);
	print_number(out, FINE_RATIO, field_number(cell, "ratio"));
	print_interval(out, field(cell, "ratio_ci95"));
	fprintf(out, "<td>%s</td>", json_is_true(field(cell, "star")) ? "* differs" : "");
	if (json_is_true(field(cell, "forced")))
		fputs("<td>forced: not comparable</td>", out);
	fputs("</tr>\n", out);
}

static void print_comparison(FILE *out, const json_t *baseline, const json_t *comparison)
{
	_cleanup_free_ char *legend = compare_legend(comparison);
	json_t *remarks = compare_remarks(baseline, comparison);
	const json_t *cell;
	size_t index;

	fputs("<section>\n", out);
	print_side(out, "Report", field(comparison, "report"));
	print_differences(out, comparison);
	print_element(out, "h2", "Ratios");
	fprintf(out, "<div class=\"wide\"><table>\n<tr><th scope=\"col\">cell</th>"
		     "<th scope=\"col\">baseline</th><th scope=\"col\">report</th>"
		     "<th scope=\"col\">ratio</th><th scope=\"col\">95 %% interval</th>"
		     "<th scope=\"col\">significant</th>%s</tr>\n",
		json_is_true(field(comparison, "forced")) ? "<th scope=\"col\">forced</th>" : "");
	json_array_foreach(field(comparison, "cells"), index, cell)
		print_row(out, comparison, cell);
	fputs("</table></div>\n", out);
	print_paragraphs(out, remarks);
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
		fprintf(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			     "<meta name=\"viewport\" content=\"width=device-width\">\n"
			     "<title>blitbench compare</title>\n<style>%s</style>\n</head>\n<body>\n"
			     "<h1>blitbench compare</h1>\n", style);
		print_side(out, "Baseline", baseline);
		print_paragraphs(out, verdict);
		json_array_foreach(field(comparison, "comparisons"), index, one)
			print_comparison(out, baseline, one);
		fputs("</body>\n</html>\n", out);
		fclose(out);
	}
	json_decref(verdict);
	return text;
}
