/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/svg.h"

#include <math.h>

#include "report/html_write.h"

enum { BAR_TICKS_MAX = 5 };

/* 0 to 1; the end of the scale for what lies beyond, 0 for what is no number. */
static double share_of(double value, double scale)
{
	double share = value / scale;

	return share > 0 ? fmin(share, 1) : 0;
}

static int thousandths(double value, double scale)
{
	return (int)lround(1000 * share_of(value, scale));
}

double svg_step(double scale, unsigned most)
{
	double step = pow(10, floor(log10(scale)) - 1);

	while (isfinite(step) && step > 0) {
		if (scale / step < most + 1e-9)
			return step;
		if (scale / (2 * step) < most + 1e-9)
			return 2 * step;
		if (scale / (5 * step) < most + 1e-9)
			return 5 * step;
		step *= 10;
	}
	return scale;
}

static void print_grid(FILE *out, double scale)
{
	double step = svg_step(scale, BAR_TICKS_MAX);

	fputs("<path class=grid d=\"M0 0v26", out);
	for (unsigned i = 1; i <= BAR_TICKS_MAX && i * step <= scale; i++)
		fprintf(out, "M%d 0v26", thousandths(i * step, scale));
	fputs("\"/>", out);
}

/* Lines without length and with round ends: dots that stay round however the area is stretched. */
static void print_dots(FILE *out, const struct svg_bar *bar, bool hollow, const char *class)
{
	size_t stride = (bar->dot_count + SVG_DOTS_MAX - 1) / SVG_DOTS_MAX;
	bool begun = false;

	for (size_t i = 0; i < bar->dot_count; i += stride) {
		if (bar->dots[i].hollow != hollow || !isfinite(bar->dots[i].value))
			continue;
		if (!begun)
			fprintf(out, "<path class=%s d=\"", class);
		begun = true;
		/* Above and below the interval's line in turn. */
		fprintf(out, "M%d %dh0", thousandths(bar->dots[i].value, bar->scale),
			i / stride % 2 ? 18 : 8);
	}
	if (begun)
		fputs("\"/>", out);
}

static void print_interval(FILE *out, const struct svg_bar *bar)
{
	int low = thousandths(bar->low, bar->scale), high = thousandths(bar->high, bar->scale);

	if (!isfinite(bar->low) || !isfinite(bar->high))
		return;
	for (int i = 0; i < 2; i++)
		fprintf(out, "<path class=%s d=\"M%d 13H%dM%d 6v14M%d 6v14\"/>",
			i ? "interval" : "halo-line", low, high, low, high);
}

void svg_bar(FILE *out, const struct svg_bar *bar)
{
	fputs("<svg class=bar viewBox=\"0 0 1000 26\" preserveAspectRatio=none", out);
	fputs(bar->title ? " role=img><title>" : " aria-hidden=true>", out);
	if (bar->title) {
		html_text(out, bar->title);
		fputs("</title>", out);
	}
	print_grid(out, bar->scale);
	if (isfinite(bar->value))
		fprintf(out, "<rect class=%s y=5 width=%d height=16 />", bar->kind,
			thousandths(bar->value, bar->scale));
	print_dots(out, bar, false, "halo");
	print_dots(out, bar, false, "dot");
	print_interval(out, bar);
	print_dots(out, bar, true, "dot");
	print_dots(out, bar, true, "hole");
	fputs("</svg>", out);
}

void svg_label(FILE *out, double share, const char *text, bool spare)
{
	fprintf(out, "<text x=\"%.1f%%\" y=14 class=\"%s%s\">", 100 * share,
		share < 0.03   ? "first"
		: share > 0.93 ? "last"
			       : "tick",
		spare ? " spare" : "");
	html_text(out, text);
	fputs("</text>", out);
}

static void print_tick(char *text, size_t size, double value)
{
	if (value >= 1e7)
		snprintf(text, size, "%.0e", value);
	else if (value >= 1e4)
		snprintf(text, size, "%gk", value / 1000);
	else
		snprintf(text, size, "%.4g", value);
}

void svg_bar_axis(FILE *out, double scale)
{
	double step = svg_step(scale, BAR_TICKS_MAX);
	char text[32];

	fputs("<svg class=axis>", out);
	for (unsigned i = 0; i <= BAR_TICKS_MAX && i * step <= scale; i++) {
		print_tick(text, sizeof(text), i * step);
		svg_label(out, share_of(i * step, scale), text, i % 2);
	}
	fputs("</svg>", out);
}

void svg_area_begin(FILE *out, const char *class, const char *title)
{
	fprintf(out,
		"<svg class=%s role=img viewBox=\"0 0 1000 1000\" preserveAspectRatio=none>"
		"<title>",
		class);
	html_text(out, title);
	fputs("</title>", out);
}

void svg_area_end(FILE *out)
{
	fputs("</svg>", out);
}

void svg_point(FILE *out, bool first, double x, double y)
{
	fprintf(out, "%c%ld %ld", first ? 'M' : 'L', lround(1000 * fmin(fmax(x, 0), 1)),
		lround(1000 * fmin(fmax(y, 0), 1)));
}
