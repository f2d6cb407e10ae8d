/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pictures within the page, as SVG. Across they are measured in shares of the width, so that one
 * drawing fits any width while its text and its lines keep their size; there is no script.
 */
#ifndef BLITBENCH_REPORT_SVG_H
#define BLITBENCH_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* More dots than this would be a smear: of more, every n-th is drawn. */
enum { SVG_DOTS_MAX = 24 };

struct svg_dot {
	double value;
	bool hollow; /* does not count */
};

/* One bar. What is NaN is not drawn; what lies beyond the scale is drawn at its end. */
struct svg_bar {
	const char *kind; /* a class of the style sheet: hot, cold, reads */
	double value, low, high;
	double scale; /* the value at the right end, above 0 */
	const struct svg_dot *dots;
	size_t dot_count;
	const char *title; /* what it tells, for those who do not see it; may be NULL */
};

void svg_bar(FILE *out, const struct svg_bar *bar);

/* The numbers below bars of that scale. */
void svg_bar_axis(FILE *out, double scale);

/* The distance of at most so many round numbers within the scale. */
double svg_step(double scale, unsigned most);

/* A drawing area: x and y from 0 to 1000, y downwards, stretched to what the style sheet says. */
void svg_area_begin(FILE *out, const char *class, const char *title);
void svg_area_end(FILE *out);

/* One more point of the path that is being written: a line to it, or the first. */
void svg_point(FILE *out, bool first, double x, double y);

/* A number below the area, at a share of the width; a spare one is left out where that is narrow.
 */
void svg_label(FILE *out, double share, const char *text, bool spare);

#endif
