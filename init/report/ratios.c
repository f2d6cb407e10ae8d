/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/ratios.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/columns.h"
#include "report/fields.h"
#include "report/numbers.h"

enum { LABEL_COLUMNS = 36 };

/* What is compared: cells that are alike but for the key, with the one whose key has that value. */
struct comparison {
	const char *title, *key, *value;
	const char *const *alike; /* the keys that both have the same */
	const char *const *rows;  /* rows of a group (group_keys) that have these alike stand together */
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
	  .rows = (const char *const[]){ "filesystem", "variant", "operation", "store", "governor",
					 NULL } },
	{ .title = "Stores: times as fast as with moss's own, 3x2, with the same engine and cache",
	  .key = "store",
	  .value = "3x2",
	  .alike = alike_stores,
	  .rows = (const char *const[]){ "filesystem", "variant", "operation", "engine", "strategy",
					 "threads", "governor", NULL } },
	{ .title = "Governors: times as fast as with performance, with the same engine and store",
	  .key = "governor",
	  .value = "performance",
	  .alike = alike_governors,
	  .rows = (const char *const[]){ "filesystem", "variant", "operation", "engine", "strategy",
					 "threads", "store", NULL } },
};

/* A table has a group of rows for each. */
static const char *const group_keys[] = { "filesystem", "variant", "operation", NULL };

/* A comparison of the cells of a page. */
struct ratios {
	const struct page *page;
	struct numbering groups, rows, alike;
	double *bases; /* of those alike, the seconds of the one that they are compared with, or NaN */
};

static bool is_base(const struct comparison *comparison, const struct page_cell *cell)
{
	return !strcmp(field_text(cell->cell, comparison->key, ""), comparison->value);
}

static void ratios_free(struct ratios *ratios)
{
	numbering_free(&ratios->groups);
	numbering_free(&ratios->rows);
	numbering_free(&ratios->alike);
	free(ratios->bases);
}

/* False where memory is short, and where there is nothing to compare or nothing to compare it with. */
static bool ratios_make(struct ratios *ratios, const struct comparison *comparison,
			const struct page *page)
{
	size_t bases = 0;

	*ratios = (struct ratios){ .page = page };
	if (numbering_make(&ratios->groups, page->summary, group_keys) ||
	    numbering_make(&ratios->rows, page->summary, comparison->rows) ||
	    numbering_make(&ratios->alike, page->summary, comparison->alike))
		return false;
	ratios->bases = calloc(ratios->alike.count + 1, sizeof(*ratios->bases));
	if (!ratios->bases)
		return false;
	for (size_t i = 0; i < ratios->alike.count; i++)
		ratios->bases[i] = NAN;
	/* Backwards: of several the first is the one. */
	for (size_t i = page->cell_count; i--;) {
		if (!is_base(comparison, &page->cells[i]))
			continue;
		ratios->bases[ratios->alike.of[i]] = page_number(&page->cells[i], "median_seconds");
		bases++;
	}
	return bases && bases < page->cell_count;
}

/* The seconds of what the cell is compared with; NaN where there is no such cell. */
static double base_seconds(const struct ratios *ratios, const struct page_cell *cell)
{
	return cell ? ratios->bases[ratios->alike.of[cell - ratios->page->cells]] : NAN;
}

static void print_half(FILE *out, double seconds, double reads, double base)
{
	number_print(out, 8, SECONDS, seconds);
	number_print(out, 7, PER_ENTRY, reads);
	number_print(out, 7, RATIO, base / seconds);
}

/* Seconds and reads are those of the two keys; the cells are hot and cold. */
static void print_line(FILE *out, const struct ratios *ratios,
		       const struct page_cell *const cells[2], const char *seconds_key,
		       const char *reads_key)
{
	for (size_t i = 0; i < 2; i++)
		print_half(out, page_number(cells[i], seconds_key), page_number(cells[i], reads_key),
			   base_seconds(ratios, cells[i]));
	fputc('\n', out);
}

static void print_row(FILE *out, const struct ratios *ratios, const struct page_cell *row)
{
	const struct page_cell *const cells[2] = {
		page_beside(ratios->page, row, "hot"),
		page_beside(ratios->page, row, "cold"),
	};

	columns_print(out, ratios->page->setups.labels[row->setup], LABEL_COLUMNS);
	print_line(out, ratios, cells, "median_seconds", "median_reads_per_entry");
	if (!isfinite(page_number(cells[0], "median_primed_seconds")) &&
	    !isfinite(page_number(cells[1], "median_primed_seconds")))
		return;
	columns_print(out, "  and the priming before it", LABEL_COLUMNS);
	print_line(out, ratios, cells, "median_primed_seconds", "median_primed_reads_per_entry");
}

/* The rows that belong together. */
static void print_rows(FILE *out, const struct ratios *ratios, size_t rows)
{
	const struct page *page = ratios->page;

	for (size_t i = ratios->rows.first[rows]; i < page->cell_count; i++)
		if (ratios->rows.of[i] == rows && page->cells[i].begins_line)
			print_row(out, ratios, &page->cells[i]);
}

static void print_group(FILE *out, const struct ratios *ratios, size_t group)
{
	const json_t *cell = ratios->page->cells[ratios->groups.first[group]].cell;
	char name[64], title[96];

	filesystem_label(name, sizeof(name), cell);
	snprintf(title, sizeof(title), "%s, %s", name, field_text(cell, "operation", ""));
	fputc('\n', out);
	columns_print(out, title, LABEL_COLUMNS);
	fputs(" seconds  reads  times seconds  reads  times\n", out);
	for (size_t i = 0; i < ratios->rows.count; i++)
		if (ratios->groups.of[ratios->rows.first[i]] == group)
			print_rows(out, ratios, i);
}

static void print_comparison(FILE *out, const struct comparison *comparison,
			     const struct page *page)
{
	__attribute__((cleanup(ratios_free))) struct ratios ratios;

	if (!ratios_make(&ratios, comparison, page))
		return;
	fprintf(out, "\n%s\n%*s%12s%22s\n", comparison->title, LABEL_COLUMNS, "", "hot", "cold");
	for (size_t i = 0; i < ratios.groups.count; i++)
		print_group(out, &ratios, i);
}

void ratios_print(FILE *out, const struct page *page)
{
	for (size_t i = 0; i < ARRAY_LENGTH(comparisons); i++)
		print_comparison(out, &comparisons[i], page);
}
