/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/html_write.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/columns.h"
#include "report/html_parts.h"

enum {
	TEXT_COLUMNS_MAX = 1500,
	PICTURES_END_BYTES = 128 << 10,
	LISTS_END_BYTES = 232 << 10, /* what stands behind the last list is far below 68 KiB */
};

static void escape(FILE *out, const char *bytes, size_t size)
{
	switch (*bytes) {
	case '&':
		fputs("&amp;", out);
		break;
	case '<':
		fputs("&lt;", out);
		break;
	case '>':
		fputs("&gt;", out);
		break;
	case '"':
		fputs("&quot;", out);
		break;
	case '\'':
		fputs("&#39;", out);
		break;
	default:
		fwrite(bytes, 1, size, out);
	}
}

void html_text(FILE *out, const char *text)
{
	size_t columns = 0;

	while (*text) {
		bool blank = *text == '\t' || *text == '\r' || *text == '\n';
		struct glyph glyph = glyph_at(blank ? " " : text);

		columns += glyph.columns;
		if (columns > TEXT_COLUMNS_MAX) {
			fputs("&hellip;", out);
			return;
		}
		escape(out, glyph.bytes, glyph.size);
		text += glyph.taken;
	}
}

static void print_escaped(FILE *out, const char *format, va_list arguments)
{
	_cleanup_free_ char *text = NULL;

	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	html_text(out, text ? text : "");
}

void html_printf(FILE *out, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	print_escaped(out, format, arguments);
	va_end(arguments);
}

void html_cell(FILE *out, const char *tag, const char *format, ...)
{
	va_list arguments;

	fprintf(out, "<%s>", tag);
	va_start(arguments, format);
	print_escaped(out, format, arguments);
	va_end(arguments);
}

void html_figure(FILE *out, double value, const char *unit)
{
	double size = fabs(value);
	int digits = 0;

	if (!isfinite(value)) {
		fputs("&ndash;", out);
		return;
	}
	for (double limit = 99.95; digits < 3 && size < limit; limit /= 10)
		digits++;
	if (size == 0)
		fputc('0', out);
	else if (size >= 1e7)
		fprintf(out, "%.1e", value);
	else if (size < 5e-4)
		fputs("&lt;0.001", out);
	else
		fprintf(out, "%.*f", digits, value);
	if (*unit)
		fprintf(out, "\u00a0%s", unit);
}

void html_number_cell(FILE *out, double value)
{
	fputs("<td>", out);
	html_figure(out, value, "");
}

void html_count(FILE *out, double value)
{
	char digits[32];
	size_t length;

	if (!isfinite(value) || value < 0 || value >= 1e18) {
		html_figure(out, value, "");
		return;
	}
	length = (size_t)snprintf(digits, sizeof(digits), "%.0f", value);
	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			fputc(',', out);
		fputc(digits[i], out);
	}
}

void html_ratio(FILE *out, double ratio)
{
	if (!isfinite(ratio))
		fputs("&ndash;", out);
	else if (ratio >= 1e6)
		fprintf(out, "%.0e", ratio);
	else
		fprintf(out, "%.*f", ratio < 1.995 ? 2 : ratio < 9.95 ? 1 : 0, ratio);
}

void html_size(FILE *out, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	size_t unit = 0;

	for (; fabs(bytes) >= 1024 && unit + 1 < ARRAY_LENGTH(units); unit++)
		bytes /= 1024;
	html_figure(out, bytes, units[unit]);
}

void html_begin(FILE *out, const char *before, const char *name)
{
	fprintf(out,
		"<!DOCTYPE html>\n<html lang=en>\n<head>\n<meta charset=utf-8>\n"
		"<meta name=viewport content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=color-scheme content=\"light dark\">\n"
		"<title>%s",
		before);
	html_text(out, name);
	fprintf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", html_style);
}

void html_fold_begin(FILE *out, const char *title)
{
	fprintf(out, "<details><summary><h3>%s</h3></summary>\n", title);
}

void html_fold_end(FILE *out)
{
	fputs("</details>\n", out);
}

void html_table_begin(FILE *out, const char *caption)
{
	fprintf(out, "<div class=scroll tabindex=0><table class=list><caption>%s</caption>\n",
		caption);
}

void html_table_end(FILE *out)
{
	fputs("</table></div>\n", out);
}

bool html_room(FILE *out)
{
	return ftello(out) < LISTS_END_BYTES;
}

bool html_picture_room(FILE *out)
{
	return ftello(out) < PICTURES_END_BYTES;
}

bool html_fits(FILE *out, size_t *left)
{
	bool room = html_room(out);

	*left += !room;
	return room;
}

void html_left_out(FILE *out, size_t count, const char *what)
{
	if (count)
		fprintf(out,
			"<p class=note>%zu %s more: left out here to keep this page small; "
			"report.json has them.</p>\n",
			count, what);
}
