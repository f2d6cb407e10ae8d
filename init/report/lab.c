/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The report as signals of LAVA, the lab software: it takes results from the lines of a serial console,
 * as its own shell's lava-test-case prints them. Names are lower-case letters, digits and underscores
 * only: its "monitors" make that of any other, its pages take little more. docs/lab.md has an example.
 */
#include "report/report.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/fields.h"
#include "report/page.h"

/* What LAVA keeps has ten digits before the point and ten behind. */
#define MEASUREMENT_MAX 1e10

enum { CASE_BYTES = 256 };

/* What is measured of each cell; the unit ends the name of the test case as well. */
static const struct {
	const char *path, *unit;
} figures[] = {
	{ "median_seconds", "seconds" },
	{ "median_entries_per_second", "entries_per_second" },
	{ "median_reads_per_entry", "reads_per_entry" },
};

/* Without an exponent, and without zeros that say nothing. */
static void put_measurement(FILE *out, double value)
{
	char text[32];
	size_t length = (size_t)snprintf(text, sizeof(text), "%.9f", value);

	while (text[length - 1] == '0')
		length--;
	length -= text[length - 1] == '.';
	fprintf(out, " MEASUREMENT=%.*s", (int)length, text);
}

static void put_signal(FILE *out, const char *name, const char *result, double value, const char *unit)
{
	fprintf(out, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=%s RESULT=%s", name, result);
	if (fabs(value) < MEASUREMENT_MAX) {
		put_measurement(out, value);
		fprintf(out, " UNITS=%s", unit);
	}
	fputs(">\n", out);
}

/* Adds a word to the name, with an underscore between and for all that is no letter or digit. */
static void add_word(char name[CASE_BYTES], const char *word)
{
	size_t used = strlen(name);
	bool gap = used > 0;

	for (; *word && used + 2 < CASE_BYTES; word++) {
		if (!isalnum((unsigned char)*word)) {
			gap = used > 0;
			continue;
		}
		if (gap)
			name[used++] = '_';
		gap = false;
		name[used++] = (char)tolower((unsigned char)*word);
	}
	name[used] = '\0';
}

/* All of a cell but what is the default anyway, so that a name stays the same from run to run. */
static void name_cell(char name[CASE_BYTES], const json_t *cell)
{
	static const char *const words[] = { "variant", "engine",   "strategy", "threads",
					     "store",   "governor", "cache",    "operation" };
	char number[24];

	name[0] = '\0';
	add_word(name, field_text(cell, "filesystem", "unknown"));
	for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
		const json_t *value = field(cell, words[i]);

		snprintf(number, sizeof(number), "t%" JSON_INTEGER_FORMAT, json_integer_value(value));
		if (json_is_integer(value))
			add_word(name, number);
		else if (json_is_string(value) && strcmp(json_string_value(value), "default"))
			add_word(name, json_string_value(value));
	}
}

/* Hostile names may come down to the same: the second gets a number. */
static void make_unique(char name[CASE_BYTES], json_t *seen)
{
	json_int_t count = json_integer_value(json_object_get(seen, name)) + 1;

	json_object_set_new(seen, name, json_integer(count));
	if (count > 1) {
		size_t used = strnlen(name, CASE_BYTES - 24);

		snprintf(name + used, CASE_BYTES - used, "_%" JSON_INTEGER_FORMAT, count);
	}
}

static bool has_flag(const json_t *trial, const char *name)
{
	const json_t *flag;
	size_t index;

	json_array_foreach(field(trial, "flags"), index, flag)
		if (!strcmp(field_text(flag, "name", ""), name))
			return true;
	return false;
}

/* What the kernel or the filesystem cannot do is no failure. */
static bool is_unsupported(const struct page_cell *cell)
{
	for (size_t i = 0; i < cell->trial_count; i++)
		if (!has_flag(cell->trials[i], "unsupported"))
			return false;
	return true;
}

static void put_cell(FILE *out, const struct page_cell *cell, json_t *seen)
{
	bool valid = page_number(cell, "n") > 0;
	const char *without = !valid && !is_unsupported(cell) ? "fail" : "skip";
	char name[CASE_BYTES];

	name_cell(name, cell->cell);
	make_unique(name, seen);
	for (size_t i = 0; i < ARRAY_LENGTH(figures); i++) {
		double value = page_number(cell, figures[i].path);
		char full[CASE_BYTES + 32];

		snprintf(full, sizeof(full), "%s_%s", name, figures[i].unit);
		put_signal(out, full, valid && fabs(value) < MEASUREMENT_MAX ? "pass" : without,
			   value, figures[i].unit);
	}
}

char *report_lava(const json_t *report)
{
	bool complete = !strcmp(field_text(report, "run.status", ""), "complete");
	_cleanup_page_ struct page page = { 0 };
	char *text = NULL;
	json_t *seen;
	size_t size;
	FILE *out;

	if (page_build(&page, report))
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	seen = json_object();
	fputs("<LAVA_SIGNAL_STARTTC blitbench_run>\n", out);
	put_signal(out, "blitbench_run", complete ? "pass" : "fail",
		   field_number(report, "run.seconds"), "seconds");
	for (size_t i = 0; i < page.cell_count; i++)
		put_cell(out, &page.cells[i], seen);
	fputs("<LAVA_SIGNAL_ENDTC blitbench_run>\n", out);
	json_decref(seen);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
