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

/* The greatest seconds of the subject, of all ways to blit. */
static double scale_of(const struct page *page, size_t subject, const char *cache)
{
	double greatest = 0;

	for (size_t i = 0; i < page->setup_count; i++) {
		const struct page_cell *cell = main_cell(page, subject, i, cache);

		greatest = fmax(greatest,
				fmax(cost_of(cell, false).seconds, cost_of(cell, true).seconds));
	}
	return greatest > 0 && isfinite(greatest) ? greatest : 1;
}

static void print_cost(FILE *out, const struct page *page, const struct page_cell *cell,
		       const char *cache, bool primed)
{
	struct cost cost = cost_of(cell, primed);
	struct svg_bar bar = { .kind = cache, .value = cost.seconds, .low = NAN, .high = NAN };
	double base;

	fputs("<td>", out);
	if (!cell)
		return;
	base = page_number(main_cell(page, cell->subject, page->main_setup, cache),
			   "median_seconds");
	bar.scale = scale_of(page, cell->subject, cache);
	fputs("<div class=plot><span>", out);
	html_figure(out, cost.seconds, "s");
	fputs("</span>", out);
	svg_bar(out, &bar);
	fputs("<small>", out);
	if (isfinite(base / cost.seconds) && cell->setup != page->main_setup) {
		fputs("<b>", out);
		html_ratio(out, base / cost.seconds);
		fputs("&nbsp;&times;</b> as fast, ", out);
	}
	html_figure(out, cost.reads, "reads");
	fputs("</small></div>", out);
}

static void print_row(FILE *out, const struct page *page, size_t subject, size_t setup, bool primed)
{
	const struct page_cell *cold = main_cell(page, subject, setup, "cold");
	const struct page_cell *hot = main_cell(page, subject, setup, "hot");
	char label[192];

	if (primed && !isfinite(cost_of(cold, true).seconds) &&
	    !isfinite(cost_of(hot, true).seconds))
		return;
	if (!cold && !hot)
		return;
	page_setup_label(label, sizeof(label), page, setup);
	fputs("<tr><th scope=row>", out);
	html_text(out, label);
	if (primed)
		fputs(", and the priming before it", out);
	print_cost(out, page, cold, "cold", primed);
	print_cost(out, page, hot, "hot", primed);
	fputc('\n', out);
}

static void print_subject(FILE *out, const struct page *page, size_t subject)
{
	char name[64];

	page_subject_label(name, sizeof(name), page, subject);
	fputs("<tbody><tr><th class=group scope=rowgroup colspan=3>", out);
	html_text(out, name);
	fputc('\n', out);
	for (size_t i = 0; i < page->setup_count && html_room(out); i++) {
		print_row(out, page, subject, i, false);
		print_row(out, page, subject, i, true);
	}
}

void html_setups(FILE *out, const struct page *page)
{
	size_t left = 0;
	char label[192];

	if (page->setup_count < 2)
		return;
	page_setup_label(label, sizeof(label), page, page->main_setup);
	fputs("<section><h2>What another way to blit would bring</h2>\n<p>", out);
	html_printf(out, "Operation %s. ", page->operation);
	fputs("&times; as fast: compared with ", out);
	html_text(out, label);
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
