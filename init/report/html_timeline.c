/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/fields.h"
#include "report/html_parts.h"
#include "report/html_write.h"
#include "report/setup.h"
#include "report/svg.h"

/* More would not be told apart on a screen. */
enum { MOMENTS = 500 };

/* A reading of the machine before and after each trial, in the unit that is shown. */
struct reading {
	const char *name, *unit, *before, *after;
	double factor;
};

static const struct reading readings[] = {
	{ "CPU clock", "GHz", "details.machine.before.kilohertz", "details.machine.after.kilohertz",
	  1e-6 },
	{ "CPU package", "\u00b0C", "details.machine.before.package_celsius",
	  "details.machine.after.package_celsius", 1 },
	{ "Drive", "\u00b0C", "details.machine.before.drive_celsius",
	  "details.machine.after.drive_celsius", 1 },
};

enum { READINGS = ARRAY_LENGTH(readings) };

/* Those at which something is drawn already. */
struct drawn {
	bool moments[MOMENTS + 1];
};

/* Whether the place, from 0 to 1, is to be drawn: what is nearly at one place is drawn once. */
static bool is_new(struct drawn *drawn, double at)
{
	bool *moment;

	if (!(at >= 0 && at <= 1))
		return false;
	moment = &drawn->moments[(int)(at * MOMENTS)];
	if (*moment)
		return false;
	return *moment = true;
}

static double finish_of(const json_t *object)
{
	return field_number(object, "at_seconds") + fmax(field_number(object, "seconds"), 0);
}

static double length_of(const struct page *page)
{
	static const char *const lists[] = { "sessions", "trials" };
	double end = 0;

	for (size_t i = 0; i < 2; i++) {
		const json_t *object;
		size_t index;

		json_array_foreach(field(page->report, lists[i]), index, object)
			end = fmax(end, finish_of(object));
	}
	return isfinite(end) ? end : 0;
}

bool html_has_timeline(const struct page *page)
{
	return length_of(page) > 0;
}

/* Horizontal strokes for the trials of that subject and cache. */
static void print_trials(FILE *out, const struct page *page, size_t subject, const char *cache,
			 double length)
{
	bool cold = strcmp(cache, "hot");
	struct drawn drawn = { 0 };

	fprintf(out, "<path class=\"stroke %s\" d=\"", cold ? "cold" : "hot");
	for (size_t i = 0; i < page->cell_count; i++) {
		const struct page_cell *cell = &page->cells[i];

		if (cell->subject != subject || strcmp(field_text(cell->cell, "cache", ""), cache))
			continue;
		for (size_t j = 0; j < cell->trial_count; j++) {
			double at = field_number(cell->trials[j], "at_seconds") / length;
			double width = field_number(cell->trials[j], "seconds") / length;

			if (!is_new(&drawn, at))
				continue;
			fprintf(out, "M%ld %dh%ld", lround(1000 * at), cold ? 680 : 320,
				lround(fmax(1000 * fmin(width, 1 - at), 2)));
		}
	}
	fputs("\"/>", out);
}

static void print_sessions(FILE *out, const struct page *page, const char *subject, double length)
{
	const json_t *session;
	char name[64];
	size_t index;

	json_array_foreach(field(page->report, "sessions"), index, session) {
		double at = field_number(session, "at_seconds") / length;
		double width = field_number(session, "seconds") / length;

		filesystem_label(name, sizeof(name), session);
		if (strcmp(name, subject) || !(at >= 0 && at <= 1))
			continue;
		fprintf(out, "<rect class=session x=%ld width=%ld y=80 height=840 />",
			lround(1000 * at),
			isfinite(width) ? lround(fmax(1000 * fmin(width, 1 - at), 1)) : 1);
		if (!html_room(out))
			return;
	}
}

static void print_subject(FILE *out, const struct page *page, size_t subject, double length)
{
	char name[64], title[128];

	page_subject_label(name, sizeof(name), page, subject);
	snprintf(title, sizeof(title), "%s: when its sessions and trials ran", name);
	fputs("<tr><th scope=row>", out);
	html_text(out, name);
	fputs("<td>", out);
	svg_area_begin(out, "lane", title);
	print_sessions(out, page, name, length);
	print_trials(out, page, subject, "hot", length);
	print_trials(out, page, subject, "cold", length);
	svg_area_end(out);
	fputc('\n', out);
}

/* Least and greatest of a reading; false where there is none. */
static bool span_of(const struct page *page, const struct reading *reading, double span[2])
{
	const json_t *trials = field(page->report, "trials"), *trial;
	size_t index;

	span[0] = INFINITY;
	span[1] = -INFINITY;
	json_array_foreach(trials, index, trial) {
		double before = field_number(trial, reading->before) * reading->factor;
		double after = field_number(trial, reading->after) * reading->factor;

		span[0] = fmin(span[0], fmin(before, after));
		span[1] = fmax(span[1], fmax(before, after));
	}
	return isfinite(span[0]) && isfinite(span[1]);
}

bool html_has_machine_readings(const struct page *page)
{
	double span[2];

	for (size_t i = 0; i < READINGS; i++)
		if (span_of(page, &readings[i], span))
			return true;
	return false;
}

static void print_line(FILE *out, const struct page *page, const struct reading *reading,
		       const double span[2], double length)
{
	const json_t *trials = field(page->report, "trials"), *trial;
	double room = span[1] - span[0] > 0 ? span[1] - span[0] : 1;
	struct drawn drawn = { 0 };
	bool first = true;
	size_t index;

	fputs("<path class=\"curve s0\" d=\"", out);
	json_array_foreach(trials, index, trial) {
		for (int after = 0; after < 2; after++) {
			double at = (after ? finish_of(trial) : field_number(trial, "at_seconds")) /
				    length;
			double value =
				field_number(trial, after ? reading->after : reading->before) *
				reading->factor;

			if (!isfinite(value) || !is_new(&drawn, at))
				continue;
			svg_point(out, first, at, 0.9 - 0.8 * (value - span[0]) / room);
			first = false;
		}
	}
	fputs("\"/>", out);
}

static void print_reading(FILE *out, const struct page *page, const struct reading *reading,
			  double length)
{
	double span[2];

	if (!html_room(out) || !span_of(page, reading, span))
		return;
	fprintf(out, "<tr><th scope=row>%s <small>", reading->name);
	html_figure(out, span[0], "");
	fputs(" to ", out);
	html_figure(out, span[1], reading->unit);
	fputs("</small><td>", out);
	svg_area_begin(out, "lane", reading->name);
	fputs("<path class=grid d=\"M0 100h1000M0 900h1000\"/>", out);
	print_line(out, page, reading, span, length);
	svg_area_end(out);
	fputc('\n', out);
}

static void print_axis(FILE *out, double length)
{
	bool minutes = length >= 300;
	double unit = minutes ? 60 : 1, step = svg_step(length / unit, 5);
	char text[48];

	fputs("<tbody aria-hidden=true><tr><td><td><svg class=axis>", out);
	for (unsigned i = 0; i <= 5 && i * step * unit <= length; i++) {
		snprintf(text, sizeof(text), "%.4g%s", i * step, i ? "" : minutes ? " min" : " s");
		svg_label(out, i * step * unit / length, text, i % 2);
	}
	fputs("</svg>\n", out);
}

void html_timeline(FILE *out, const struct page *page)
{
	double length = length_of(page);
	size_t left = 0;

	if (!(length > 0))
		return;
	fputs("<section><h2>What ran when</h2>\n<p>Each box is a session. In it the strokes of "
	      "<span class=\"key hot\">hot</span> trials are above, those of "
	      "<span class=\"key cold\">cold</span> ones below",
	      out);
	fputs(html_has_machine_readings(page)
		      ? "; under them the machine's readings before and after each trial.</p>\n"
		      : ".</p>\n",
	      out);
	fputs("<table class=\"chart lanes\"><caption>Time since the run began</caption>\n<tbody>",
	      out);
	for (size_t i = 0; i < page->subject_count; i++)
		if (html_fits(out, &left))
			print_subject(out, page, i, length);
	for (size_t i = 0; i < READINGS; i++)
		print_reading(out, page, &readings[i], length);
	print_axis(out, length);
	fputs("</table>\n", out);
	html_left_out(out, left, "filesystems");
	fputs("</section>\n", out);
}
