/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/tables.h"

#include <math.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/columns.h"
#include "report/fields.h"
#include "report/numbers.h"
#include "report/pieces.h"
#include "report/setup.h"

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

static void print_blit_line(FILE *out, const json_t *hot, const json_t *cold)
{
	double hot_seconds = field_number(hot, "median_seconds");
	double cold_seconds = field_number(cold, "median_seconds");

	print_name(out, hot ? hot : cold);
	number_print(out, 8, SECONDS, hot_seconds);
	number_print(out, 8, THOUSANDS, field_number(hot, "median_entries_per_second"));
	number_print(out, 9, SECONDS, cold_seconds);
	number_print(out, 8, THOUSANDS, field_number(cold, "median_entries_per_second"));
	number_print(out, 10, RATIO, cold_seconds / hot_seconds);
	number_print(out, 8, PER_ENTRY, field_number(hot, "median_reads_per_entry"));
	number_print(out, 8, PER_ENTRY, field_number(cold, "median_reads_per_entry"));
	fputc('\n', out);
}

static void print_blit_block(FILE *out, const json_t *summary, const json_t *block)
{
	const json_t *cell;
	size_t index;

	json_array_foreach(summary, index, cell)
		if (fields_equal(cell, block, setup_keys) && first_with(summary, index, line_keys))
			print_blit_line(out, cell_with_cache(summary, cell, "hot"),
					cell_with_cache(summary, cell, "cold"));
}

static void print_blocks(FILE *out, const json_t *summary,
			 void (*print_block)(FILE *, const json_t *, const json_t *))
{
	const json_t *block;
	size_t index;

	json_array_foreach(summary, index, block) {
		if (!first_with(summary, index, setup_keys))
			continue;
		setup_heading(out, summary, block);
		print_block(out, summary, block);
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

void table_blit(FILE *out, const json_t *report)
{
	const json_t *summary = field(report, "summary");
	const char *status = field_text(report, "run.status", "partial");
	_cleanup_free_ char *entries = field_words(report, "workload.entries");

	if (!json_array_size(summary)) {
		fputs("No trial was made.\n", out);
		return;
	}
	columns_wrap(out, "", 0,
		     "Workload %s, %s entries: median seconds until the last one exists.",
		     field_text(report, "workload.name", "unknown"), entries ? entries : "unknown");
	setup_print_common(out, summary);
	fputs("\n                              hot             cold              reads per entry\n"
	      "                     seconds     k/s  seconds     k/s  cold:hot     hot    cold\n",
	      out);
	print_blocks(out, summary, print_blit_block);
	fputc('\n', out);
	print_conditions(out, report);
	print_interval_line(out, summary);
	print_left_out_line(out, report);
	if (strcmp(status, "complete"))
		columns_wrap(out, "", 0, "%s run: not all of the plan was measured", status);
}

/* Operation and cache of a line whose caches stand below each other. */
static void print_long_name(FILE *out, const json_t *cell)
{
	print_name(out, cell);
	columns_print(out, field_text(cell, "cache", ""), 5);
}

/* A line for each cell of the block: its long name and what print_cell adds. */
static void print_block_cells(FILE *out, const json_t *summary, const json_t *block,
			      void (*print_cell)(FILE *out, const json_t *cell))
{
	const json_t *cell;
	size_t index;

	json_array_foreach(summary, index, cell) {
		if (!fields_equal(cell, block, setup_keys))
			continue;
		print_long_name(out, cell);
		print_cell(out, cell);
		fputc('\n', out);
	}
}

static void print_transaction(FILE *out, const json_t *cell)
{
	number_print(out, 9, SECONDS, field_number(cell, "median_durable_seconds"));
	number_print(out, 10, SECONDS, field_number(cell, "median_quiesced_seconds"));
	number_print(out, 9, SECONDS, field_number(cell, "median_swap_seconds"));
	number_print(out, 9, SECONDS, field_number(cell, "median_archive_seconds"));
	number_print(out, 9, SECONDS, field_number(cell, "median_prune_seconds"));
	number_print(out, 9, MEBIBYTES, field_number(cell, "median_write_bytes"));
}

static void print_transaction_block(FILE *out, const json_t *summary, const json_t *block)
{
	print_block_cells(out, summary, block, print_transaction);
}

void table_transactions(FILE *out, const json_t *report)
{
	fputs("The whole transaction: median seconds, and MiB written to the disk\n"
	      "                           durable  quiesced     swap  archive    prune  written\n",
	      out);
	print_blocks(out, field(report, "summary"), print_transaction_block);
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

static void print_spread(FILE *out, const json_t *cell)
{
	number_print(out, 6, COUNT, field_number(cell, "n"));
	number_print(out, 9, COUNT, field_number(cell, "sessions"));
	number_print(out, 8, SECONDS, field_number(cell, "min_seconds"));
	number_print(out, 8, SECONDS, field_number(cell, "median_seconds"));
	number_print(out, 9, SECONDS, field_number(cell, "max_seconds"));
	print_interval(out, field(cell, "ci95_seconds"));
}

static void print_spread_block(FILE *out, const json_t *summary, const json_t *block)
{
	print_block_cells(out, summary, block, print_spread);
}

void table_spread(FILE *out, const json_t *report)
{
	fputs("Spread of the blit's seconds\n"
	      "                         trials sessions   least  median greatest  95 % interval\n",
	      out);
	print_blocks(out, field(report, "summary"), print_spread_block);
	fputc('\n', out);
	columns_wrap(out, "", 0,
		     "A session is %s. median: of the sessions' medians; least and greatest: of all "
		     "valid trials. 95 %% interval: holds the true median with at least 95 %% "
		     "certainty; given from six sessions on.",
		     table_in_directory(report) ? "one filling of the store"
						: "one fresh filesystem");
}
