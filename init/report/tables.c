/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/tables.h"

#include <math.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/columns.h"
#include "report/fields.h"
#include "report/pieces.h"

const char *const setup_keys[] = {
	"filesystem", "variant", "engine", "strategy", "threads", "store", NULL
};

const char *const cell_keys[] = {
	"filesystem", "variant", "engine", "strategy", "threads", "store", "cache", "operation",
	NULL
};

enum number_kind { SECONDS, THOUSANDS, RATIO, PER_ENTRY, MEBIBYTES, COUNT };

/* A number in width columns, right-aligned; a dash for what is not measured. */
static void print_number(FILE *out, int width, enum number_kind kind, double value)
{
	char text[32];
	int digits = 0;

	switch (kind) {
	case SECONDS:
		digits = fabs(value) < 1 ? 3 : fabs(value) < 1000 ? 2 : 0;
		break;
	case PER_ENTRY:
		digits = fabs(value) < 100 ? 3 : 1;
		break;
	case THOUSANDS:
		value /= 1000;
		digits = fabs(value) < 1 ? 3 : 1;
		break;
	case MEBIBYTES:
		value /= 1024 * 1024;
		digits = 1;
		break;
	case RATIO:
		digits = 1;
		break;
	case COUNT:
		break;
	}
	if (!isfinite(value))
		snprintf(text, sizeof(text), "-");
	else if (fabs(value) >= 1e4 * (digits ? 1 : 10))
		snprintf(text, sizeof(text), "%.0e", value);
	else
		snprintf(text, sizeof(text), "%.*f", digits, value);
	fprintf(out, "%*s", width, text);
}

void setup_print(char *text, size_t size, const json_t *cell)
{
	const char *strategy = field_text(cell, "strategy", NULL);
	double threads = field_number(cell, "threads");

	snprintf(text, size, "engine %s%s%s, %.0f thread%s, variant %s, store %s",
		 field_text(cell, "engine", "unknown"), strategy ? ", " : "",
		 strategy ? strategy : "", threads, threads == 1 ? "" : "s",
		 field_text(cell, "variant", "unknown"), field_text(cell, "store", "unknown"));
}

bool setup_is_common(const json_t *summary)
{
	const json_t *cell;
	size_t index;

	json_array_foreach(summary, index, cell)
		if (!fields_equal(cell, json_array_get(summary, 0), setup_keys + 1))
			return false;
	return true;
}

static bool first_with(const json_t *summary, size_t index, const char *const *keys)
{
	for (size_t i = 0; i < index; i++)
		if (fields_equal(json_array_get(summary, i), json_array_get(summary, index), keys))
			return false;
	return true;
}

bool setup_begins(const json_t *summary, size_t index)
{
	return first_with(summary, index, setup_keys);
}

void setup_heading(FILE *out, const json_t *summary, const json_t *row)
{
	char setup[192];

	if (setup_is_common(summary))
		return;
	setup_print(setup, sizeof(setup), row);
	columns_wrap(out, "", 0, "%s, %s:", field_text(row, "filesystem", ""), setup);
}

static void print_common_setup(FILE *out, const json_t *summary)
{
	char setup[192];

	if (!json_array_size(summary) || !setup_is_common(summary))
		return;
	setup_print(setup, sizeof(setup), json_array_get(summary, 0));
	columns_wrap(out, "", 0, "All rows: %s.", setup);
}

/* A row has one line for each operation; the caches stand beside each other in it. */
static const char *const line_keys[] = {
	"filesystem", "variant", "engine", "strategy", "threads", "store", "operation", NULL
};

/* The cell of the same line with that cache; NULL where no such trial was made. */
static const json_t *sibling(const json_t *summary, const json_t *cell, const char *cache)
{
	const json_t *other;
	size_t index;

	json_array_foreach(summary, index, other)
		if (!strcmp(field_text(other, "cache", ""), cache) &&
		    fields_equal(cell, other, line_keys))
			return other;
	return NULL;
}

static void print_name(FILE *out, const json_t *cell)
{
	columns_print(out, field_text(cell, "filesystem", ""), 11);
	fputc(' ', out);
	columns_print(out, field_text(cell, "operation", ""), 8);
}

static void print_blit_line(FILE *out, const json_t *hot, const json_t *cold)
{
	double hot_seconds = field_number(hot, "median_seconds");
	double cold_seconds = field_number(cold, "median_seconds");

	print_name(out, hot ? hot : cold);
	print_number(out, 8, SECONDS, hot_seconds);
	print_number(out, 12, THOUSANDS, field_number(hot, "median_entries_per_second"));
	print_number(out, 8, SECONDS, cold_seconds);
	print_number(out, 12, THOUSANDS, field_number(cold, "median_entries_per_second"));
	print_number(out, 6, RATIO, cold_seconds / hot_seconds);
	print_number(out, 7, PER_ENTRY, field_number(hot, "median_reads_per_entry"));
	print_number(out, 7, PER_ENTRY, field_number(cold, "median_reads_per_entry"));
	fputc('\n', out);
}

static void print_blit_row(FILE *out, const json_t *summary, const json_t *row)
{
	const json_t *cell;
	size_t index;

	setup_heading(out, summary, row);
	json_array_foreach(summary, index, cell)
		if (fields_equal(cell, row, setup_keys) && first_with(summary, index, line_keys))
			print_blit_line(out, sibling(summary, cell, "hot"),
					sibling(summary, cell, "cold"));
}

static void print_rows(FILE *out, const json_t *summary,
		       void (*print_row)(FILE *, const json_t *, const json_t *))
{
	const json_t *row;
	size_t index;

	json_array_foreach(summary, index, row)
		if (setup_begins(summary, index))
			print_row(out, summary, row);
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
		add_words(&words, "fresh filesystem");
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
	print_common_setup(out, summary);
	fputs("\n                                     hot                cold  cold:  reads/entry\n"
	      "                     seconds k entries/s seconds k entries/s   hot    hot   cold\n",
	      out);
	print_rows(out, summary, print_blit_row);
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

/* The heading of a setup, then a line for each of its cells: its long name and what print_cell adds. */
static void print_setup_cells(FILE *out, const json_t *summary, const json_t *row,
			      void (*print_cell)(FILE *out, const json_t *cell))
{
	const json_t *cell;
	size_t index;

	setup_heading(out, summary, row);
	json_array_foreach(summary, index, cell) {
		if (!fields_equal(cell, row, setup_keys))
			continue;
		print_long_name(out, cell);
		print_cell(out, cell);
		fputc('\n', out);
	}
}

static void print_transaction(FILE *out, const json_t *cell)
{
	print_number(out, 9, SECONDS, field_number(cell, "median_durable_seconds"));
	print_number(out, 10, SECONDS, field_number(cell, "median_quiesced_seconds"));
	print_number(out, 9, SECONDS, field_number(cell, "median_swap_seconds"));
	print_number(out, 9, SECONDS, field_number(cell, "median_archive_seconds"));
	print_number(out, 9, SECONDS, field_number(cell, "median_prune_seconds"));
	print_number(out, 9, MEBIBYTES, field_number(cell, "median_write_bytes"));
}

static void print_transaction_row(FILE *out, const json_t *summary, const json_t *row)
{
	print_setup_cells(out, summary, row, print_transaction);
}

void table_transactions(FILE *out, const json_t *report)
{
	fputs("The whole transaction: median seconds, and MiB written to the disk\n"
	      "                           durable  quiesced     swap  archive    prune  written\n",
	      out);
	print_rows(out, field(report, "summary"), print_transaction_row);
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
	print_number(out, 8, SECONDS, json_number_value(json_array_get(interval, 0)));
	print_number(out, 7, SECONDS, json_number_value(json_array_get(interval, 1)));
}

static void print_spread(FILE *out, const json_t *cell)
{
	print_number(out, 6, COUNT, field_number(cell, "n"));
	print_number(out, 9, COUNT, field_number(cell, "sessions"));
	print_number(out, 8, SECONDS, field_number(cell, "min_seconds"));
	print_number(out, 8, SECONDS, field_number(cell, "median_seconds"));
	print_number(out, 9, SECONDS, field_number(cell, "max_seconds"));
	print_interval(out, field(cell, "ci95_seconds"));
}

static void print_spread_row(FILE *out, const json_t *summary, const json_t *row)
{
	print_setup_cells(out, summary, row, print_spread);
}

void table_spread(FILE *out, const json_t *report)
{
	fputs("Spread of the blit's seconds\n"
	      "                         trials sessions   least  median greatest  95 % interval\n",
	      out);
	print_rows(out, field(report, "summary"), print_spread_row);
	fputs("\n"
	      "A session is one fresh filesystem. median: of the sessions' medians; least and\n"
	      "greatest: of all valid trials. 95 % interval: holds the true median with at\n"
	      "least 95 % certainty; given from six sessions on.\n", out);
}
