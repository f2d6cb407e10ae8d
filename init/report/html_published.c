/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "report/fields.h"
#include "report/html_parts.h"
#include "report/html_write.h"
#include "report/published.h"

/* A line of the table: hot and cold seconds for as many entries as were published. */
struct line {
	double hot, cold;
};

static double published_seconds(const char *filesystem, const char *cache, const char *operation)
{
	const struct published_cell *cell = published_find(filesystem, cache, operation);

	return cell ? cell->seconds : NAN;
}

static double own_seconds(const struct page *page, size_t subject, const char *cache,
			  const char *operation, uint64_t entries)
{
	const struct page_cell *cell = page_find(page, subject, page->main_setup, cache, operation);

	return (double)entries / page_number(cell, "median_entries_per_second");
}

static void print_line(FILE *out, struct line line)
{
	html_number_cell(out, line.hot);
	html_number_cell(out, line.cold);
	fputs("<td>", out);
	html_ratio(out, line.cold / line.hot);
}

static void print_row(FILE *out, const struct page *page, size_t subject, const char *filesystem,
		      const char *operation)
{
	const struct published_cell *cell = published_find(filesystem, "cold", operation);
	struct line published, own;

	if (!cell)
		return;
	published.hot = published_seconds(filesystem, "hot", operation);
	published.cold = published_seconds(filesystem, "cold", operation);
	own.hot = own_seconds(page, subject, "hot", operation, cell->entries);
	own.cold = own_seconds(page, subject, "cold", operation, cell->entries);
	if (!isfinite(own.hot) && !isfinite(own.cold))
		return;
	html_cell(out, "tr><th scope=row", "%s %s", filesystem, operation);
	print_line(out, published);
	print_line(out, own);
	fputc('\n', out);
}

/* Only a filesystem made as its tools do by default is what was published. */
static const char *published_name(const struct page *page, size_t subject)
{
	const json_t *cell = page->subjects[subject]->cell;
	const char *name = field_text(cell, "filesystem", "");

	return strcmp(field_text(cell, "variant", "default"), "default") ||
			       !published_find(name, "cold", "remove")
		       ? NULL
		       : name;
}

static bool has_rows(const struct page *page)
{
	for (size_t i = 0; i < page->subject_count; i++)
		if (published_name(page, i))
			return true;
	return false;
}

static void print_caveats(FILE *out)
{
	fputs("<p class=note>Published: ", out);
	html_printf(out, "%s; %s, %s, %s. ", published_source, published_cpu, published_memory,
		    published_disk);
	fputs("What it does not tell: ", out);
	for (size_t i = 0; published_caveats[i]; i++)
		html_printf(out, "%s%s", i ? "; " : "", published_caveats[i]);
	fputs(".</p>\n", out);
}

void html_published(FILE *out, const struct page *page)
{
	static const char *const operations[] = { "remove", "install" };

	if (!has_rows(page))
		return;
	fputs("<section><h2>Beside the published table</h2>\n<p>In January 2025 moss was timed by "
	      "hand <strong>on another machine</strong>. Compare the shape, how the filesystems "
	      "stand to each other and cold to hot, and not the seconds. This run's seconds are "
	      "scaled to as many entries as were published: ",
	      out);
	for (size_t i = 0; i < 2; i++) {
		fputs(i ? " and " : "", out);
		html_count(out, (double)published_find("xfs", "cold", operations[i])->entries);
		html_printf(out, " for %s", operations[i]);
	}
	fputs(".</p>\n", out);
	html_table_begin(out, "Seconds, published and here");
	fputs("<thead><tr><td rowspan=2><th scope=colgroup colspan=3>published"
	      "<th scope=colgroup colspan=3>here"
	      "<tr><th scope=col>hot<th scope=col>cold<th scope=col>cold:hot"
	      "<th scope=col>hot<th scope=col>cold<th scope=col>cold:hot</thead><tbody>\n",
	      out);
	for (size_t i = 0; i < page->subject_count; i++)
		for (size_t j = 0; j < 2; j++)
			if (published_name(page, i))
				print_row(out, page, i, published_name(page, i), operations[j]);
	html_table_end(out);
	print_caveats(out);
	fputs("</section>\n", out);
}
