/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of every cell and of every trial. */
#include <math.h>

#include "lib/cleanup.h"
#include "report/details.h"
#include "report/fields.h"
#include "report/html_parts.h"
#include "report/html_write.h"

enum { MEBIBYTE = 1 << 20 };

static const struct {
	const char *heading, *key;
	double unit; /* 0: a whole number */
} columns[] = {
	{ "trials", "n", 0 },
	{ "sessions", "sessions", 0 },
	{ "median", "median_seconds", 1 },
	{ "least", "min_seconds", 1 },
	{ "greatest", "max_seconds", 1 },
	{ "entries per second", "median_entries_per_second", 0 },
	{ "reads per entry", "median_reads_per_entry", 1 },
	{ "durable", "median_durable_seconds", 1 },
	{ "quiesced", "median_quiesced_seconds", 1 },
	{ "swap", "median_swap_seconds", 1 },
	{ "archive", "median_archive_seconds", 1 },
	{ "prune", "median_prune_seconds", 1 },
	{ "MiB written", "median_write_bytes", MEBIBYTE },
};

enum { COLUMNS = ARRAY_LENGTH(columns), INTERVAL_BEHIND = 4 };

static void print_name(FILE *out, const struct page *page, const struct page_cell *cell)
{
	char subject[64];

	page_subject_label(subject, sizeof(subject), page, cell->subject);
	html_cell(out, "tr><th scope=row", "%s %s %s", subject,
		  field_text(cell->cell, "operation", ""), field_text(cell->cell, "cache", ""));
}

static void print_interval(FILE *out, const json_t *interval)
{
	fputs("<td>", out);
	if (json_array_size(interval) != 2) {
		fputs("&ndash;", out);
		return;
	}
	html_figure(out, json_number_value(json_array_get(interval, 0)), "");
	fputs(" to ", out);
	html_figure(out, json_number_value(json_array_get(interval, 1)), "");
}

static void print_cell(FILE *out, const struct page *page, const struct page_cell *cell)
{
	print_name(out, page, cell);
	for (size_t i = 0; i < COLUMNS; i++) {
		double value = page_number(cell, columns[i].key);

		fputs("<td>", out);
		if (columns[i].unit > 0)
			html_figure(out, value / columns[i].unit, "");
		else
			html_count(out, value);
		if (i == INTERVAL_BEHIND)
			print_interval(out, field(cell->cell, "ci95_seconds"));
	}
	fputc('\n', out);
}

static void print_setup_head(FILE *out, const struct page *page, size_t setup, size_t width)
{
	const char *label = page->setups.labels[setup];

	if (!*label)
		return;
	fprintf(out, "<tr><th class=group scope=rowgroup colspan=%zu>", width);
	html_text(out, label);
	fputc('\n', out);
}

/* Each cell in its setup's group, as far as there is room. */
static void print_groups(FILE *out, const struct page *page, size_t width,
			 void (*print)(FILE *out, const struct page *page,
				       const struct page_cell *cell))
{
	size_t left = 0;

	for (size_t i = 0; i < page->setups.by.count; i++) {
		if (html_room(out))
			print_setup_head(out, page, i, width);
		for (size_t j = 0; j < page->cell_count; j++) {
			if (page->cells[j].setup != i)
				continue;
			if (html_fits(out, &left))
				print(out, page, &page->cells[j]);
		}
	}
	html_table_end(out);
	html_left_out(out, left, "rows");
}

void html_cells(FILE *out, const struct page *page)
{
	if (!page->cell_count)
		return;
	html_fold_begin(out, "Every figure");
	html_table_begin(out, "Medians; seconds where nothing else is said");
	fputs("<thead><tr><td>", out);
	for (size_t i = 0; i < COLUMNS; i++)
		fprintf(out, "<th scope=col>%s%s", columns[i].heading,
			i == INTERVAL_BEHIND ? "<th scope=col>95&nbsp;% interval" : "");
	fputs("</thead><tbody>\n", out);
	print_groups(out, page, COLUMNS + 2, print_cell);
	fputs("<p class=note>durable: from the start of the blit until syncfs has returned; "
	      "quiesced: until the filesystem has also been frozen. swap, archive and prune are "
	      "timed on their own: exchanging /usr, putting the old tree away, removing an old "
	      "state. written: to the disk until quiesced.</p>\n",
	      out);
	html_fold_end(out);
}

static void print_values(FILE *out, const struct page *page, const struct page_cell *cell)
{
	double round = NAN;

	print_name(out, page, cell);
	fputs("<td class=words>", out);
	for (size_t i = 0; i < cell->trial_count && html_room(out); i++) {
		const json_t *trial = cell->trials[i];
		bool hollow = !trial_counts(trial);

		if (i && round != field_number(trial, "round"))
			fputs("| ", out);
		round = field_number(trial, "round");
		fputs(hollow ? "<s>" : "", out);
		html_figure(out, field_number(trial, "seconds"), "");
		fputs(hollow ? "</s>! " : " ", out);
	}
	fputc('\n', out);
}

void html_values(FILE *out, const struct page *page)
{
	if (!page->cell_count)
		return;
	html_fold_begin(out, "Seconds of every single blit");
	html_table_begin(out, "A bar stands between sessions; what is struck out and has ! does "
			      "not count");
	fputs("<tbody>\n", out);
	print_groups(out, page, 2, print_values);
	html_fold_end(out);
}
