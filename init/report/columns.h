/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text of at most 80 columns, from strings that may hold anything: display columns are counted, not
 * bytes; what would move the cursor or is no UTF-8 becomes a question mark.
 */
#ifndef BLITBENCH_REPORT_COLUMNS_H
#define BLITBENCH_REPORT_COLUMNS_H

#include <stdio.h>

enum { COLUMNS_MAX = 80 };

/* One character as it will be printed, and how many bytes of the text it stands for. */
struct glyph {
	const char *bytes;
	size_t size, columns, taken;
};

/* The first character of a text that is not empty. */
struct glyph glyph_at(const char *text);

/* Prints text in exactly width columns: filled up with blanks, or cut with "..." at its end. */
void columns_print(FILE *out, const char *text, size_t width);

/*
 * Prints head in indent columns, then the text broken at blanks, and inside of what is longer than
 * a line; further lines begin at column indent. Newlines and tabs in the text count as blanks. Ends
 * with a newline.
 */
void columns_wrap(FILE *out, const char *head, size_t indent, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
