/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/ratios.h"

#include <math.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/columns.h"
#include "report/fields.h"
#include "report/numbers.h"
#include "report/setup.h"

enum { LABEL_COLUMNS = 36 };

/* What is compared: cells that are alike but for the key, with the one whose key has that value. */
struct comparison {
	const char *title, *key, *value;
	const char *const *alike; /* the keys that both have the same */
	const char *const *order; /* rows that have these keys alike stand together */
};

static const char *const alike_engines[] = {
	"filesystem", "variant", "store", "governor", "cache", "operation", NULL
};

static const char *const alike_stores[] = {
	"filesystem", "variant", "engine", "strategy", "threads", "governor", "cache", "operation",
	NULL
};

static const char *const alike_governors[] = {
	"filesystem", "variant", "engine", "strategy", "threads", "store", "cache", "operation",
	NULL
};

static const struct comparison comparisons[] = {
	{ .title = "Engines: times as fast as moss-2025 with the same cache and store",
	  .key = "engine",
	  .value = "moss-2025",
	  .alike = alike_engines,
	  .order = (const char *const[]){ "store", "governor", NULL } },
	{ .title = "Stores: times as fast as with moss's own, 3x2, with the same engine and cache",
	  .key = "store",
	  .value = "3x2",
	  .alike = alike_stores,
	  .order = (const char *const[]){ "engine", "strategy", "threads", "governor", NULL } },
	{ .title = "Governors: times as fast as with performance, with the same engine and store",
	  .key = "governor",
	  .value = "performance",
	  .alike = alike_governors,
	  .order = (const char *const[]){ "engine", "strategy", "threads", "store", NULL } },
};

/* A table has a group of rows for each. */
static const char *const group_keys[] = { "filesystem", "variant", "operation", NULL };

static bool is_base(const struct comparison *comparison, const json_t *cell)
{
	return !strcmp(field_text(cell, comparison->key, ""), comparison->value);
}

static bool can_compare(const struct comparison *comparison, const json_t *summary)
{
	bool base = false, other = false;
	const json_t *cell;
	size_t index;

	json_array_foreach(summary, index, cell) {
		base = base || is_base(comparison, cell);
		other = other || !is_base(comparison, cell);
	}
	return base && other;
}

/* The seconds of what the cell is compared with; NaN where there is no such cell. */
static double base_seconds(const struct comparison *comparison, const json_t *summary,
			   const json_t *cell)
{
	const json_t *other;
	size_t index;

	json_array_foreach(summary, index, other)
		if (is_base(comparison, other) && fields_equal(other, cell, comparison->alike))
			return field_number(other, "median_seconds");
	return NAN;
}

static void print_half(FILE *out, double seconds, double reads, double base)
{
	number_print(out, 8, SECONDS, seconds);
	number_print(out, 7, PER_ENTRY, reads);
	number_print(out, 7, RATIO, base / seconds);
}

/* Seconds and reads are those of the two keys. */
static void print_line(FILE *out, const struct comparison *comparison, const json_t *summary,
		       const json_t *row, const char *seconds_key, const char *reads_key)
{
	static const char *const caches[] = { "hot", "cold" };

	for (size_t i = 0; i < 2; i++) {
		const json_t *cell = cell_with_cache(summary, row, caches[i]);

		print_half(out, field_number(cell, seconds_key), field_number(cell, reads_key),
			   base_seconds(comparison, summary, cell));
	}
	fputc('\n', out);
}

static bool primes(const json_t *summary, const json_t *row)
{
	const json_t *hot = cell_with_cache(summary, row, "hot");
	const json_t *cold = cell_with_cache(summary, row, "cold");

	return isfinite(field_number(hot, "median_primed_seconds")) ||
	       isfinite(field_number(cold, "median_primed_seconds"));
}

static void print_row(FILE *out, const struct comparison *comparison, const json_t *summary,
		      const json_t *row)
{
	char label[192];

	setup_label(label, sizeof(label), summary, row);
	columns_print(out, label, LABEL_COLUMNS);
	print_line(out, comparison, summary, row, "median_seconds", "median_reads_per_entry");
	if (!primes(summary, row))
		return;
	columns_print(out, "  and the priming before it", LABEL_COLUMNS);
	print_line(out, comparison, summary, row, "median_primed_seconds",
		   "median_primed_reads_per_entry");
}

static bool in_group(const json_t *cell, const json_t *group)
{
	return fields_equal(cell, group, group_keys);
}

/* The rows of the group that belong beside this first one. */
static void print_rows_like(FILE *out, const struct comparison *comparison, const json_t *summary,
			    const json_t *first)
{
	const json_t *row;
	size_t index;

	json_array_foreach(summary, index, row)
		if (in_group(row, first) && fields_equal(row, first, comparison->order) &&
		    first_with(summary, index, line_keys))
			print_row(out, comparison, summary, row);
}

/* True where no earlier cell of its group has the same keys of the order. */
static bool begins_rows(const struct comparison *comparison, const json_t *summary, size_t index)
{
	const json_t *cell = json_array_get(summary, index);

	for (size_t i = 0; i < index; i++) {
		const json_t *earlier = json_array_get(summary, i);

		if (in_group(earlier, cell) && fields_equal(earlier, cell, comparison->order))
			return false;
	}
	return true;
}

static void print_group(FILE *out, const struct comparison *comparison, const json_t *summary,
			const json_t *group)
{
	char name[64], title[96];
	const json_t *cell;
	size_t index;

	filesystem_label(name, sizeof(name), group);
	snprintf(title, sizeof(title), "%s, %s", name, field_text(group, "operation", ""));
	fputc('\n', out);
	columns_print(out, title, LABEL_COLUMNS);
	fputs(" seconds  reads  times seconds  reads  times\n", out);
	json_array_foreach(summary, index, cell)
		if (in_group(cell, group) && begins_rows(comparison, summary, index))
			print_rows_like(out, comparison, summary, cell);
}

static void print_comparison(FILE *out, const struct comparison *comparison, const json_t *summary)
{
	const json_t *cell;
	size_t index;

	fprintf(out, "\n%s\n%*s%12s%22s\n", comparison->title, LABEL_COLUMNS, "", "hot", "cold");
	json_array_foreach(summary, index, cell)
		if (first_with(summary, index, group_keys))
			print_group(out, comparison, summary, cell);
}

void ratios_print(FILE *out, const json_t *report)
{
	const json_t *summary = field(report, "summary");

	for (size_t i = 0; i < ARRAY_LENGTH(comparisons); i++)
		if (can_compare(&comparisons[i], summary))
			print_comparison(out, &comparisons[i], summary);
}
