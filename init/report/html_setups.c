/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "report/fields.h"
#include "report/html_parts.h"
#include "report/html_write.h"
#include "report/svg.h"

/* Seconds and reads of a cell, of the blit alone or with the priming before it. */
struct cost {
	double seconds, reads;
};

static struct cost cost_of(const struct page_cell *cell, bool primed)
{
	return (struct cost){
		.seconds = page_number(cell, primed ? "median_primed_seconds" : "median_seconds"),
		.reads = page_number(cell, primed ? "median_primed_reads_per_entry"
						  : "median_reads_per_entry"),
	};
}

static const struct page_cell *main_cell(const struct page *page, size_t subject, size_t setup,
					 const char *cache)
{
	return page_find(page, subject, setup, cache, page->operation);
}

/* A subject's cells with one cache: what they are drawn and told against. */
struct column {
	const char *cache;
	double scale; /* the greatest seconds, of all ways to blit */
	double base;  /* the seconds of the main way */
};

static struct column column_of(const struct page *page, size_t subject, const char *cache)
{
	struct column column = {
		.cache = cache,
		.base = page_number(main_cell(page, subject, page->main_setup, cache),
				    "median_seconds"),
	};

	for (size_t i = 0; i < page->setups.by.count; i++) {
		const struct page_cell *cell = main_cell(page, subject, i, cache);

		column.scale = fmax(column.scale,
				    fmax(cost_of(cell, false).seconds, cost_of(cell, true).seconds));
	}
	if (!(column.scale > 0 && isfinite(column.scale)))
		column.scale = 1;
	return column;
}

static void print_cost(FILE *out, const struct page *page, const struct column *column,
		       const struct page_cell *cell, bool primed)
{
	struct cost cost = cost_of(cell, primed);
	struct svg_bar bar = {
		.kind = column->cache,
		.value = cost.seconds,
		.low = NAN,
		.high = NAN,
		.scale = column->scale,
	};

	fputs("<td>", out);
	if (!cell)
		return;
	fputs("<div class=plot><span>", out);
	html_figure(out, cost.seconds, "s");
	fputs("</span>", out);
	svg_bar(out, &bar);
	fputs("<small>", out);
	if (isfinite(column->base / cost.seconds) && cell->setup != page->main_setup) {
		fputs("<b>", out);
		html_ratio(out, column->base / cost.seconds);
		fputs("&nbsp;&times;</b> as fast, ", out);
	}
	html_figure(out, cost.reads, "reads");
	fputs("</small></div>", out);
}

/* The columns are cold and hot. */
static void print_row(FILE *out, const struct page *page, const struct column columns[2],
		      const struct page_cell *const cells[2], bool primed)
{
	if (primed && !isfinite(cost_of(cells[0], true).seconds) &&
	    !isfinite(cost_of(cells[1], true).seconds))
		return;
	fputs("<tr><th scope=row>", out);
	html_text(out, page->setups.labels[cells[0] ? cells[0]->setup : cells[1]->setup]);
	if (primed)
		fputs(", and the priming before it", out);
	for (size_t i = 0; i < 2; i++)
		print_cost(out, page, &columns[i], cells[i], primed);
	fputc('\n', out);
}

static void print_subject(FILE *out, const struct page *page, size_t subject)
{
	const struct column columns[2] = {
		column_of(page, subject, "cold"),
		column_of(page, subject, "hot"),
	};
	char name[64];

	page_subject_label(name, sizeof(name), page, subject);
	fputs("<tbody><tr><th class=group scope=rowgroup colspan=3>", out);
	html_text(out, name);
	fputc('\n', out);
	for (size_t i = 0; i < page->setups.by.count && html_room(out); i++) {
		const struct page_cell *const cells[2] = {
			main_cell(page, subject, i, "cold"),
			main_cell(page, subject, i, "hot"),
		};

		if (!cells[0] && !cells[1])
			continue;
		print_row(out, page, columns, cells, false);
		print_row(out, page, columns, cells, true);
	}
}

void html_setups(FILE *out, const struct page *page)
{
	size_t left = 0;

	if (page->setups.by.count < 2)
		return;
	fputs("<section><h2>What another way to blit would bring</h2>\n<p>", out);
	html_printf(out, "Operation %s. ", page->operation);
	fputs("&times; as fast: compared with ", out);
	html_text(out, page->setups.labels[page->main_setup]);
	fputs(" on the same filesystem with the same cache. reads: at the disk for each entry "
	      "made. Each filesystem has scales of its own.</p>\n"
	      "<table class=\"chart ways\"><caption>Engines and layouts of the store</caption>\n"
	      "<thead><tr><td><th scope=col>Cold<th scope=col>Hot</thead>\n",
	      out);
	for (size_t i = 0; i < page->subject_count; i++)
		if (html_fits(out, &left))
			print_subject(out, page, i);
	fputs("</table>\n", out);
	html_left_out(out, left, "filesystems");
	fputs("</section>\n", out);
}
