/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "report/details.h"
#include "report/fields.h"
#include "report/html_parts.h"
#include "report/html_write.h"
#include "report/svg.h"

/* Room to the right of the greatest value, and how much smaller hot must be for its own picture. */
#define MARGIN 1.03
#define HOT_ALONE_BELOW 0.34

enum { TRIALS_MAX = 4096, OPERATIONS_MAX = 6 };

/* One picture: the cells of a setup, of both caches with the reads beside them, or of one alone. */
struct chart {
	const struct page *page;
	size_t setup;
	const char *cache;
	const char *operations[OPERATIONS_MAX];
	size_t operation_count;
	double seconds_scale, reads_scale;
};

static bool known(const struct chart *chart, const char *operation)
{
	for (size_t i = 0; i < chart->operation_count; i++)
		if (!strcmp(chart->operations[i], operation))
			return true;
	return false;
}

/* The main one first. */
static void collect_operations(struct chart *chart)
{
	const struct page *page = chart->page;

	chart->operations[chart->operation_count++] = page->operation;
	for (size_t i = 0; i < page->cell_count; i++) {
		const char *operation = field_text(page->cells[i].cell, "operation", "");

		if (page->cells[i].setup == chart->setup && !known(chart, operation) &&
		    chart->operation_count < OPERATIONS_MAX)
			chart->operations[chart->operation_count++] = operation;
	}
}

static double interval_end(const json_t *cell, size_t end)
{
	const json_t *value = json_array_get(field(cell, "ci95_seconds"), end);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static double greatest_seconds(const struct page *page, size_t setup, const char *cache)
{
	return fmax(page_greatest(page, setup, cache, "max_seconds"),
		    page_greatest(page, setup, cache, "median_seconds"));
}

static struct chart chart_of(const struct page *page, size_t setup, const char *cache)
{
	struct chart chart = { .page = page, .setup = setup, .cache = cache };
	double seconds = 0, reads = 0;

	for (size_t i = 0; i < 2; i++) {
		const char *each = i ? "hot" : "cold";

		if (cache && strcmp(cache, each))
			continue;
		seconds = fmax(seconds, greatest_seconds(page, setup, each));
		reads = fmax(reads, page_greatest(page, setup, each, "median_reads_per_entry"));
	}
	chart.seconds_scale = seconds > 0 && isfinite(seconds * MARGIN) ? seconds * MARGIN : 1;
	/* What is as good as nothing is not blown up to a long bar. */
	chart.reads_scale = reads > 0.1 && isfinite(reads * MARGIN) ? reads * MARGIN : 0.1;
	collect_operations(&chart);
	return chart;
}

static void describe(char *text, size_t size, const struct page_cell *cell, const char *subject)
{
	double low = interval_end(cell->cell, 0), high = interval_end(cell->cell, 1);
	int used;

	if (!isfinite(page_number(cell, "median_seconds"))) {
		snprintf(text, size, "%s, %s, %s: no valid trial", subject,
			 field_text(cell->cell, "cache", ""), field_text(cell->cell, "operation", ""));
		return;
	}
	used = snprintf(text, size,
			    "%s, %s, %s: median %.4g s of %.0f trials from %.4g to "
			    "%.4g s",
			    subject, field_text(cell->cell, "cache", ""),
			    field_text(cell->cell, "operation", ""),
			    page_number(cell, "median_seconds"), page_number(cell, "n"),
			    page_number(cell, "min_seconds"), page_number(cell, "max_seconds"));

	if (isfinite(low) && used > 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, "; 95 %% interval %.4g to %.4g s", low,
			 high);
}

static void print_seconds(FILE *out, const struct chart *chart, const struct page_cell *cell,
			  const char *subject)
{
	static struct svg_dot dots[TRIALS_MAX];
	char title[320];
	struct svg_bar bar = {
		.kind = strcmp(field_text(cell->cell, "cache", ""), "hot") ? "cold" : "hot",
		.value = page_number(cell, "median_seconds"),
		.low = interval_end(cell->cell, 0),
		.high = interval_end(cell->cell, 1),
		.scale = chart->seconds_scale,
		.dots = dots,
		.title = title,
	};

	for (size_t i = 0; i < cell->trial_count && bar.dot_count < TRIALS_MAX; i++)
		dots[bar.dot_count++] = (struct svg_dot){
			.value = field_number(cell->trials[i], "seconds"),
			.hollow = !trial_counts(cell->trials[i]),
		};
	describe(title, sizeof(title), cell, subject);
	fputs("<td><div class=plot><span>", out);
	if (isfinite(bar.value))
		html_figure(out, bar.value, "s");
	else
		fputs("<em>no valid trial</em>", out);
	fputs("</span>", out);
	svg_bar(out, &bar);
	fputs("</div>", out);
}

static void print_reads(FILE *out, const struct chart *chart, const struct page_cell *cell)
{
	struct svg_bar bar = {
		.kind = "reads",
		.value = page_number(cell, "median_reads_per_entry"),
		.low = NAN,
		.high = NAN,
		.scale = chart->reads_scale,
	};

	fputs("<td><div class=plot><span>", out);
	html_figure(out, bar.value, "");
	fputs("</span>", out);
	svg_bar(out, &bar);
	fputs("</div>", out);
}

static void print_cell(FILE *out, const struct chart *chart, size_t subject, const char *cache,
		       const char *operation)
{
	const struct page_cell *cell =
		page_find(chart->page, subject, chart->setup, cache, operation);
	char name[64];

	if (!cell)
		return;
	page_subject_label(name, sizeof(name), chart->page, subject);
	fprintf(out, "<tr><th scope=row><span class=\"key %s\">%s</span> ", cache, cache);
	html_text(out, operation);
	print_seconds(out, chart, cell, name);
	if (!chart->cache)
		print_reads(out, chart, cell);
	fputc('\n', out);
}

/* "xfs", and how much slower cold is. */
static void print_head(FILE *out, const struct chart *chart, size_t subject)
{
	const struct page *page = chart->page;
	double hot = page_number(page_find(page, subject, chart->setup, "hot", page->operation),
				 "median_seconds");
	double cold = page_number(page_find(page, subject, chart->setup, "cold", page->operation),
				  "median_seconds");
	char name[64];

	page_subject_label(name, sizeof(name), page, subject);
	fprintf(out, "<tbody><tr><th class=group scope=rowgroup colspan=%d>", chart->cache ? 2 : 3);
	html_text(out, name);
	if (!chart->cache && isfinite(cold / hot)) {
		fputs(" <small>cold takes ", out);
		html_ratio(out, cold / hot);
		fputs(" times as long as hot</small>", out);
	}
	fputc('\n', out);
}

static bool has_cells(const struct chart *chart, size_t subject)
{
	for (size_t i = 0; i < chart->page->cell_count; i++) {
		const struct page_cell *cell = &chart->page->cells[i];

		if (cell->subject == subject && cell->setup == chart->setup &&
		    (!chart->cache || !strcmp(field_text(cell->cell, "cache", ""), chart->cache)))
			return true;
	}
	return false;
}

static void print_subject(FILE *out, const struct chart *chart, size_t subject)
{
	static const char *const caches[] = { "cold", "hot" };

	if (!has_cells(chart, subject))
		return;
	print_head(out, chart, subject);
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; j < chart->operation_count; j++)
			if (!chart->cache || !strcmp(chart->cache, caches[i]))
				print_cell(out, chart, subject, caches[i], chart->operations[j]);
}

/* The main picture comes first; those of other setups stand among the lists. */
static bool has_room(FILE *out, const struct chart *chart)
{
	return chart->setup == chart->page->main_setup ? html_picture_room(out) : html_room(out);
}

static void print_chart(FILE *out, const struct chart *chart, const char *caption)
{
	size_t left = 0;

	fprintf(out,
		"<table class=chart><caption>%s</caption>\n"
		"<thead><tr><td><th scope=col>Seconds%s</thead>\n",
		caption, chart->cache ? "" : "<th scope=col>Disk reads for each entry");
	for (size_t i = 0; i < chart->page->subject_count; i++) {
		if (has_room(out, chart))
			print_subject(out, chart, i);
		else
			left += has_cells(chart, i);
	}
	fputs("<tbody aria-hidden=true><tr><td><td><div class=plot><span></span>", out);
	svg_bar_axis(out, chart->seconds_scale);
	if (!chart->cache) {
		fputs("</div><td><div class=plot><span></span>", out);
		svg_bar_axis(out, chart->reads_scale);
	}
	fputs("</div></table>\n", out);
	html_left_out(out, left, "filesystems");
}

static void print_legend(FILE *out, const struct page *page)
{
	size_t without = 0, most = 0;

	for (size_t i = 0; i < page->cell_count; i++) {
		without += !json_is_array(field(page->cells[i].cell, "ci95_seconds"));
		if (page->cells[i].trial_count > most)
			most = page->cells[i].trial_count;
	}
	fputs("<p class=note>Bar: median. Dot: one trial; ring: one that does not count. ", out);
	if (without < page->cell_count)
		fputs("Bracket: interval that holds the median with 95 % certainty. ", out);
	if (without)
		fputs("No interval where there are fewer than six sessions. ", out);
	if (most > SVG_DOTS_MAX)
		fprintf(out, "Of more than %d trials every n-th has a dot. ", SVG_DOTS_MAX);
	fputs("Reads: requests that the disk had to answer while blitting.</p>\n", out);
}

static void print_setup(FILE *out, const struct page *page, size_t setup)
{
	struct chart both = chart_of(page, setup, NULL), hot = chart_of(page, setup, "hot");
	double hot_seconds = greatest_seconds(page, setup, "hot");
	double cold_seconds = greatest_seconds(page, setup, "cold");

	print_chart(out, &both, "Shorter is better. Hot and cold have one scale.");
	if (hot_seconds > 0 && hot_seconds < HOT_ALONE_BELOW * cold_seconds)
		print_chart(out, &hot, "Hot alone, on a scale of its own.");
}

void html_bars(FILE *out, const struct page *page)
{
	const char *label = page->setups.labels[page->main_setup];

	if (!page->cell_count)
		return;
	fputs("<section><h2>Hot and cold", out);
	if (*label)
		html_printf(out, ": %s", label);
	fputs("</h2>\n", out);
	print_setup(out, page, page->main_setup);
	print_legend(out, page);
	fputs("</section>\n", out);
}

void html_other_bars(FILE *out, const struct page *page)
{
	size_t setup;

	if (page->setups.by.count < 2)
		return;
	html_fold_begin(out, "The same pictures of the other ways to blit");
	for (setup = 0; setup < page->setups.by.count && html_room(out); setup++) {
		if (setup == page->main_setup)
			continue;
		fputs("<h4>", out);
		html_text(out, page->setups.labels[setup]);
		fputs("</h4>\n", out);
		print_setup(out, page, setup);
	}
	html_left_out(out, page->setups.by.count - setup, "ways to blit");
	html_fold_end(out);
}
