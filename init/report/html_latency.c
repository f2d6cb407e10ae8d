/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/fields.h"
#include "report/html_parts.h"
#include "report/html_write.h"
#include "report/svg.h"

enum { CALLS_MAX = 4, CURVES_MAX = 6 };

/* The kinds of calls that cost most time with that cache, and the span of their durations. */
struct panel {
	const struct page *page;
	const char *cache;
	const char *calls[CALLS_MAX];
	double seconds[CALLS_MAX];
	size_t call_count;
	double first_decade, decades; /* powers of ten of nanoseconds, whole numbers */
};

static const json_t *calls_of(const struct page *page, size_t subject, const char *cache)
{
	const struct page_cell *cell =
		page_find(page, subject, page->main_setup, cache, page->operation);

	return cell ? field(cell->cell, "latency.calls") : NULL;
}

static const json_t *call_named(const json_t *calls, const char *name)
{
	const json_t *call;
	size_t index;

	json_array_foreach(calls, index, call)
		if (!strcmp(field_text(call, "call", ""), name))
			return call;
	return NULL;
}

/* Keeps the list in order of time; a call that several subjects have counts with its greatest. */
static void add_call(struct panel *panel, const char *name, double seconds)
{
	size_t at = 0;

	while (at < panel->call_count && strcmp(panel->calls[at], name))
		at++;
	if (at == panel->call_count && at < CALLS_MAX)
		panel->call_count++;
	else if (at == CALLS_MAX)
		at--; /* in the place of the least, if at all */
	else
		seconds = fmax(seconds, panel->seconds[at]);
	if (panel->calls[at] && strcmp(panel->calls[at], name) && panel->seconds[at] >= seconds)
		return;
	for (; at && panel->seconds[at - 1] < seconds; at--) {
		panel->calls[at] = panel->calls[at - 1];
		panel->seconds[at] = panel->seconds[at - 1];
	}
	panel->calls[at] = name;
	panel->seconds[at] = seconds;
}

static void add_span(struct panel *panel, const json_t *call)
{
	const char *key;
	const json_t *count;

	json_object_foreach((json_t *)field(call, "buckets"), key, count) {
		double decade = log10(fmax(strtod(key, NULL), 1));

		if (!isfinite(decade))
			continue;
		if (panel->decades == 0) {
			panel->first_decade = floor(decade);
			panel->decades = 1;
		}
		if (decade < panel->first_decade) {
			panel->decades += panel->first_decade - floor(decade);
			panel->first_decade = floor(decade);
		}
		panel->decades = fmax(panel->decades, ceil(decade) - panel->first_decade);
	}
}

static struct panel panel_of(const struct page *page, const char *cache)
{
	struct panel panel = { .page = page, .cache = cache };

	for (size_t i = 0; i < page->subject_count && i < CURVES_MAX; i++) {
		const json_t *calls = calls_of(page, i, cache), *call;
		size_t index;

		json_array_foreach(calls, index, call)
			add_call(&panel, field_text(call, "call", ""),
				 fmax(field_number(call, "seconds"), 0));
	}
	for (size_t i = 0; i < page->subject_count && i < CURVES_MAX; i++)
		for (size_t j = 0; j < panel.call_count; j++)
			add_span(&panel, call_named(calls_of(page, i, cache), panel.calls[j]));
	return panel;
}

/* Which share of the calls took at most so long. What would not be seen to move is left out. */
static void print_curve(FILE *out, const struct panel *panel, const json_t *call, size_t series)
{
	double all = field_number(call, "count"), sum = 0, last_x = -1, last_y = -1;
	const json_t *count;
	const char *key;

	if (!(all > 0))
		return;
	fprintf(out, "<path class=\"curve s%zu\" d=\"", series);
	json_object_foreach((json_t *)field(call, "buckets"), key, count) {
		double x =
			(log10(fmax(strtod(key, NULL), 1)) - panel->first_decade) / panel->decades;

		if (last_x < 0)
			svg_point(out, true, x, 1);
		sum += json_number_value(count);
		if (last_x >= 0 && x - last_x < 0.004 && sum / all - last_y < 0.01 && sum < all)
			continue;
		svg_point(out, false, x, 1 - sum / all);
		last_x = x;
		last_y = sum / all;
	}
	fputs("\"/>", out);
}

static void print_duration(FILE *out, double nanoseconds)
{
	if (nanoseconds < 1e3)
		html_figure(out, nanoseconds, "ns");
	else if (nanoseconds < 1e6)
		html_figure(out, nanoseconds / 1e3, "\u00b5s");
	else if (nanoseconds < 1e9)
		html_figure(out, nanoseconds / 1e6, "ms");
	else
		html_figure(out, nanoseconds / 1e9, "s");
}

static void print_axis(FILE *out, const struct panel *panel)
{
	static const char *const names[] = { "1 ns", "1 \u00b5s", "1 ms", "1 s", "1000 s" };

	fputs("<svg class=axis aria-hidden=true>", out);
	for (int decade = 0; decade <= 12; decade += 3) {
		double share = (decade - panel->first_decade) / panel->decades;

		if (share >= 0 && share <= 1)
			svg_label(out, share, names[decade / 3], false);
	}
	fputs("</svg>", out);
}

static void print_grid(FILE *out, const struct panel *panel)
{
	fputs("<path class=grid d=\"M0 0h1000M0 500h1000M0 1000h1000", out);
	for (int i = 0; i <= panel->decades && i < 20; i++)
		fprintf(out, "M%ld 0v1000", lround(1000 * i / panel->decades));
	fputs("\"/>", out);
}

static void print_medians(FILE *out, const struct panel *panel, const char *name)
{
	bool first = true;

	fputs("<small>median", out);
	for (size_t i = 0; i < panel->page->subject_count && i < CURVES_MAX; i++) {
		const json_t *call = call_named(calls_of(panel->page, i, panel->cache), name);
		char subject[64];

		if (!call)
			continue;
		page_subject_label(subject, sizeof(subject), panel->page, i);
		html_printf(out, "%s%s ", first ? " " : ", ", subject);
		print_duration(out, field_number(call, "p50_nanoseconds"));
		first = false;
	}
	fputs("</small>", out);
}

static void print_figure(FILE *out, const struct panel *panel, const char *name)
{
	char title[160];

	snprintf(title, sizeof(title),
		 "%s with %s caches: share of the calls that took at most so "
		 "long",
		 name, panel->cache);
	fputs("<figure><figcaption><b>", out);
	html_text(out, name);
	fputs("</b> ", out);
	print_medians(out, panel, name);
	fputs("</figcaption><div class=area><div class=scale><span>100&nbsp;%</span>"
	      "<span>50&nbsp;%</span><span>0</span></div>",
	      out);
	svg_area_begin(out, "curves", title);
	print_grid(out, panel);
	for (size_t i = 0; i < panel->page->subject_count && i < CURVES_MAX; i++)
		print_curve(out, panel, call_named(calls_of(panel->page, i, panel->cache), name),
			    i);
	svg_area_end(out);
	fputs("<span></span>", out);
	print_axis(out, panel);
	fputs("</div></figure>\n", out);
}

static void print_panel(FILE *out, const struct page *page, const char *cache)
{
	struct panel panel = panel_of(page, cache);
	size_t left = 0;

	if (!(panel.decades > 0))
		return;
	fprintf(out, "<h3>With %s caches</h3>\n<div class=figures>\n", cache);
	for (size_t i = 0; i < panel.call_count; i++)
		if (html_fits(out, &left))
			print_figure(out, &panel, panel.calls[i]);
	fputs("</div>\n", out);
	html_left_out(out, left, "kinds of calls");
}

static void print_legend(FILE *out, const struct page *page)
{
	char subject[64];

	fputs("<ul class=legend>", out);
	for (size_t i = 0; i < page->subject_count && i < CURVES_MAX; i++) {
		page_subject_label(subject, sizeof(subject), page, i);
		fprintf(out,
			"<li><svg class=sample aria-hidden=true viewBox=\"0 0 36 8\">"
			"<path class=\"curve s%zu\" d=\"M0 4h36\"/></svg>",
			i);
		html_text(out, subject);
	}
	fputs("</ul>\n", out);
}

bool html_has_latency(const struct page *page)
{
	return panel_of(page, "cold").decades > 0 || panel_of(page, "hot").decades > 0;
}

void html_latency(FILE *out, const struct page *page)
{
	if (!html_has_latency(page))
		return;
	fputs("<section><h2>How long single calls took</h2>\n<p>Each line climbs to the share of "
	      "calls that took at most so long. A step far to the right is what waits for the "
	      "disk. ",
	      out);
	html_printf(out, "Operation %s; the calls that cost most time together.", page->operation);
	fputs("</p>\n", out);
	print_legend(out, page);
	print_panel(out, page, "cold");
	print_panel(out, page, "hot");
	fputs("</section>\n", out);
}
