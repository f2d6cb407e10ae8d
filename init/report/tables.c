/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/tables.h"

#include <math.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/columns.h"
#include "report/fields.h"
#include "report/numbers.h"
#include "report/pieces.h"

bool table_in_directory(const json_t *report)
{
	return !strcmp(field_text(report, "run.mode", ""), "directory");
}

const char *table_outcome(const json_t *report)
{
	const char *status = field_text(report, "run.status", "partial");
	bool dry = json_is_true(field(report, "run.dry_run"));

	return dry && !strcmp(status, "complete") ? "dry run" : status;
}

static void print_name(FILE *out, const json_t *cell)
{
	char name[64];

	filesystem_label(name, sizeof(name), cell);
	columns_print(out, name, 11);
	fputc(' ', out);
	columns_print(out, field_text(cell, "operation", ""), 8);
}

/* A line for both caches, which the first of its cells prints. */
static void print_blit(FILE *out, const struct page *page, const struct page_cell *cell)
{
	const struct page_cell *hot = page_beside(page, cell, "hot");
	const struct page_cell *cold = page_beside(page, cell, "cold");
	double hot_seconds = page_number(hot, "median_seconds");
	double cold_seconds = page_number(cold, "median_seconds");

	if (!cell->begins_line)
		return;
	print_name(out, cell->cell);
	number_print(out, 8, SECONDS, hot_seconds);
	number_print(out, 8, THOUSANDS, page_number(hot, "median_entries_per_second"));
	number_print(out, 9, SECONDS, cold_seconds);
	number_print(out, 8, THOUSANDS, page_number(cold, "median_entries_per_second"));
	number_print(out, 10, RATIO, cold_seconds / hot_seconds);
	number_print(out, 8, PER_ENTRY, page_number(hot, "median_reads_per_entry"));
	number_print(out, 8, PER_ENTRY, page_number(cold, "median_reads_per_entry"));
	fputc('\n', out);
}

/* What print tells of each cell, below the headings of their setups. */
static void print_blocks(FILE *out, const struct page *page,
			 void (*print)(FILE *out, const struct page *page,
				       const struct page_cell *cell))
{
	for (size_t setup = 0; setup < page->setups.by.count; setup++) {
		setups_heading(out, &page->setups, setup);
		for (size_t i = 0; i < page->cell_count; i++)
			if (page->cells[i].setup == setup)
				print(out, page, &page->cells[i]);
	}
}

/* Where the figures hold, and what they cannot tell. */
static void print_conditions(FILE *out, const json_t *report)
{
	const json_t *sessions = field(report, "sessions"), *session;
	const char *content = field_text(report, "workload.content", "full");
	_cleanup_pieces_ struct pieces words = pieces_begin();
	double age = 0;
	size_t index;

	json_array_foreach(sessions, index, session)
		age = fmax(age, field_number(session, "age"));
	/* A run cut short in its first session does not say how old the filesystem was. */
	if (age > 0)
		add_words(&words, "aged %.0f", age);
	else if (json_array_size(sessions))
		add_words(&words, table_in_directory(report) ? "filesystem of unknown age"
							     : "fresh filesystem");
	if (strcmp(content, "full"))
		add_words(&words, "content %s", content);
	add_piece(&words, "virtual machine (", report, "machine.virtual", ")");
	if (*pieces_words(&words))
		columns_wrap(out, "", 0, "%s", pieces_words(&words));
}

static void print_interval_line(FILE *out, const json_t *summary)
{
	size_t cells = json_array_size(summary), without = 0, index;
	const json_t *cell;

	json_array_foreach(summary, index, cell)
		without += json_is_null(field(cell, "ci95_seconds"));
	if (without == cells)
		columns_wrap(out, "", 0, "no interval: fewer than six sessions");
	else if (without)
		columns_wrap(out, "", 0, "no interval for %zu of %zu rows: fewer than six sessions",
			     without, cells);
}

static void print_left_out_line(FILE *out, const json_t *report)
{
	const json_t *summary = field(report, "summary"), *cell;
	size_t trials = json_array_size(field(report, "trials")), index;
	double valid = 0;

	json_array_foreach(summary, index, cell)
		valid += field_number(cell, "n");
	if (valid < (double)trials)
		columns_wrap(out, "", 0, "not valid, and out of these figures: %.0f of %zu trials",
			     (double)trials - valid, trials);
}

void table_blit(FILE *out, const struct page *page)
{
	const json_t *report = page->report;
	const char *status = field_text(report, "run.status", "partial");
	_cleanup_free_ char *entries = field_words(report, "workload.entries");

	if (!page->cell_count) {
		fputs("No trial was made.\n", out);
		return;
	}
	columns_wrap(out, "", 0,
		     "Workload %s, %s entries: median seconds until the last one exists.",
		     field_text(report, "workload.name", "unknown"), entries ? entries : "unknown");
	setups_print_common(out, &page->setups);
	fputs("\n                              hot             cold              reads per entry\n"
	      "                     seconds     k/s  seconds     k/s  cold:hot     hot    cold\n",
	      out);
	print_blocks(out, page, print_blit);
	fputc('\n', out);
	print_conditions(out, report);
	print_interval_line(out, page->summary);
	print_left_out_line(out, report);
	if (strcmp(status, "complete"))
		columns_wrap(out, "", 0, "%s run: not all of the plan was measured", status);
}

/* With the cache, where those stand below each other. */
static void print_long_name(FILE *out, const json_t *cell)
{
	print_name(out, cell);
	columns_print(out, field_text(cell, "cache", ""), 5);
}

static void print_transaction(FILE *out, const struct page *page, const struct page_cell *cell)
{
	(void)page;
	print_long_name(out, cell->cell);
	number_print(out, 9, SECONDS, page_number(cell, "median_durable_seconds"));
	number_print(out, 10, SECONDS, page_number(cell, "median_quiesced_seconds"));
	number_print(out, 9, SECONDS, page_number(cell, "median_swap_seconds"));
	number_print(out, 9, SECONDS, page_number(cell, "median_archive_seconds"));
	number_print(out, 9, SECONDS, page_number(cell, "median_prune_seconds"));
	number_print(out, 9, MEBIBYTES, page_number(cell, "median_write_bytes"));
	fputc('\n', out);
}

void table_transactions(FILE *out, const struct page *page)
{
	fputs("The whole transaction: median seconds, and MiB written to the disk\n"
	      "                           durable  quiesced     swap  archive    prune  written\n",
	      out);
	print_blocks(out, page, print_transaction);
	fputs("\n"
	      "durable: from the start of the blit until syncfs has returned. quiesced: until\n"
	      "the filesystem has also been frozen, when nothing is left to write; written:\n"
	      "what had gone to the disk by then. swap, archive and prune are timed on their\n"
	      "own: exchanging /usr, putting the old tree away, removing an old state.\n", out);
}

static void print_interval(FILE *out, const json_t *interval)
{
	if (json_array_size(interval) != 2)
		return;
	number_print(out, 8, SECONDS, json_number_value(json_array_get(interval, 0)));
	number_print(out, 7, SECONDS, json_number_value(json_array_get(interval, 1)));
}

static void print_spread(FILE *out, const struct page *page, const struct page_cell *cell)
{
	(void)page;
	print_long_name(out, cell->cell);
	number_print(out, 6, COUNT, page_number(cell, "n"));
	number_print(out, 9, COUNT, page_number(cell, "sessions"));
	number_print(out, 8, SECONDS, page_number(cell, "min_seconds"));
	number_print(out, 8, SECONDS, page_number(cell, "median_seconds"));
	number_print(out, 9, SECONDS, page_number(cell, "max_seconds"));
	print_interval(out, field(cell->cell, "ci95_seconds"));
	fputc('\n', out);
}

void table_spread(FILE *out, const struct page *page)
{
	fputs("Spread of the blit's seconds\n"
	      "                         trials sessions   least  median greatest  95 % interval\n",
	      out);
	print_blocks(out, page, print_spread);
	fputc('\n', out);
	columns_wrap(out, "", 0,
		     "A session is %s. median: of the sessions' medians; least and greatest: of all "
		     "valid trials. 95 %% interval: holds the true median with at least 95 %% "
		     "certainty; given from six sessions on.",
		     table_in_directory(page->report) ? "one filling of the store"
						      : "one fresh filesystem");
}
