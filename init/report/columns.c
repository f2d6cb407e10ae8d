/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/columns.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"

enum { REPLACEMENT = 0xfffd };

/* The code point there and how many bytes it takes: 1 and REPLACEMENT where it is no UTF-8. */
static size_t utf8_next(const char *bytes, size_t length, uint32_t *code_point)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)bytes[0];
	size_t size;
	uint32_t value;

	*code_point = REPLACEMENT;
	if (first < 0x80) {
		*code_point = first;
		return 1;
	}
	if ((first & 0xe0) == 0xc0)
		size = 2, value = first & 0x1f;
	else if ((first & 0xf0) == 0xe0)
		size = 3, value = first & 0x0f;
	else if ((first & 0xf8) == 0xf0)
		size = 4, value = first & 0x07;
	else
		return 1;
	if (size > length)
		return 1;
	for (size_t i = 1; i < size; i++) {
		unsigned char next = (unsigned char)bytes[i];

		if ((next & 0xc0) != 0x80)
			return 1;
		value = value << 6 | (next & 0x3f);
	}
	/* Overlong forms, surrogates and what lies beyond Unicode are no text either. */
	if (value < smallest[size] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 1;
	*code_point = value;
	return size;
}

struct range {
	uint32_t first, last;
};

static bool in_ranges(const struct range *ranges, size_t count, uint32_t code_point)
{
	for (size_t i = 0; i < count; i++)
		if (code_point >= ranges[i].first && code_point <= ranges[i].last)
			return true;
	return false;
}

/* Moves the cursor, turns the direction of writing, or could pile up without taking a column. */
static bool unprintable(uint32_t code_point)
{
	static const struct range ranges[] = {
		{ 0x00, 0x1f }, { 0x7f, 0x9f }, { 0xad, 0xad }, { 0x300, 0x36f },
		{ 0x483, 0x489 }, { 0x591, 0x5c7 }, { 0x600, 0x61c }, { 0x64b, 0x670 },
		{ 0x6d6, 0x6ed }, { 0x180b, 0x180f }, { 0x1ab0, 0x1aff }, { 0x1dc0, 0x1dff },
		{ 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0x20d0, 0x20ff },
		{ 0xd800, 0xf8ff }, { 0xfe00, 0xfe0f }, { 0xfe20, 0xfe2f }, { 0xfeff, 0xfeff },
		{ 0xfff0, 0xffff }, { 0xe0000, 0x10ffff },
	};

	return in_ranges(ranges, ARRAY_LENGTH(ranges), code_point);
}

static bool two_columns(uint32_t code_point)
{
	static const struct range ranges[] = {
		{ 0x1100, 0x115f }, { 0x231a, 0x231b }, { 0x23e9, 0x23f3 }, { 0x25fd, 0x25fe },
		{ 0x2614, 0x2615 }, { 0x2648, 0x2653 }, { 0x267f, 0x27bf }, { 0x2b1b, 0x2b55 },
		{ 0x2e80, 0xa4cf }, { 0xa960, 0xa97f }, { 0xac00, 0xd7a3 }, { 0xf900, 0xfaff },
		{ 0xfe10, 0xfe19 }, { 0xfe30, 0xfe6f }, { 0xff00, 0xff60 }, { 0xffe0, 0xffe6 },
		{ 0x16fe0, 0x18fff }, { 0x1b000, 0x1b2ff }, { 0x1f000, 0x1ffff },
		{ 0x20000, 0x3fffd },
	};

	return in_ranges(ranges, ARRAY_LENGTH(ranges), code_point);
}

struct glyph glyph_at(const char *text)
{
	uint32_t code_point;
	struct glyph glyph = { .bytes = text, .size = 1, .columns = 1, .taken = 1 };

	/* Nearly all that there is. */
	if (*text >= ' ' && *text <= '~')
		return glyph;
	glyph.taken = utf8_next(text, strnlen(text, 4), &code_point);
	glyph.size = glyph.taken;
	glyph.columns = two_columns(code_point) ? 2 : 1;
	if (unprintable(code_point)) {
		glyph.bytes = "?";
		glyph.size = glyph.columns = 1;
	}
	return glyph;
}

static size_t columns_of_bytes(const char *text, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0; i < length;) {
		struct glyph glyph = glyph_at(text + i);

		columns += glyph.columns;
		i += glyph.taken;
	}
	return columns;
}

/* The columns that text takes once it is cleaned. */
static size_t columns_of(const char *text)
{
	return columns_of_bytes(text, strlen(text));
}

/* Prints what fits into room columns; returns the columns, and in *text where it stopped. */
static size_t print_some(FILE *out, const char **text, const char *end, size_t room)
{
	size_t used = 0;

	while (*text < end) {
		struct glyph glyph = glyph_at(*text);

		if (used + glyph.columns > room)
			break;
		fwrite(glyph.bytes, 1, glyph.size, out);
		used += glyph.columns;
		*text += glyph.taken;
	}
	return used;
}

/* Where a word that is longer than a line is best broken: behind the last comma that fits into room
 * columns, as in a list of options; at its end where none does. */
static const char *breaking_point(const char *text, const char *end, size_t room)
{
	const char *best = end;
	size_t used = 0;

	for (const char *at = text; at < end;) {
		struct glyph glyph = glyph_at(at);

		used += glyph.columns;
		if (used > room)
			return best;
		if (*at == ',')
			best = at + 1;
		at += glyph.taken;
	}
	return end;
}

void columns_print(FILE *out, const char *text, size_t width)
{
	const char *end = text + strlen(text);
	bool cut = columns_of(text) > width && width > 3;
	size_t used = print_some(out, &text, end, cut ? width - 3 : width);

	if (cut)
		used += (size_t)fprintf(out, "...");
	fprintf(out, "%*s", (int)(width - used), "");
}

static void wrap_words(FILE *out, const char *text, size_t indent)
{
	static const char blanks[] = " \t\r\n";
	size_t column = indent;

	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		const char *end = text + strcspn(text, blanks);
		size_t width = columns_of_bytes(text, (size_t)(end - text));
		size_t gap = column > indent;

		if (gap && column + gap + width > COLUMNS_MAX) {
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
			gap = 0;
		}
		if (gap)
			fputc(' ', out);
		column += gap;
		while (text < end) {
			size_t room = COLUMNS_MAX - column;

			column += print_some(out, &text, breaking_point(text, end, room), room);
			if (text == end)
				break;
			fprintf(out, "\n%*s", (int)indent, "");
			column = indent;
		}
	}
}

void columns_wrap(FILE *out, const char *head, size_t indent, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	columns_print(out, head, indent);
	wrap_words(out, text ? text : "", indent);
	fputc('\n', out);
}
