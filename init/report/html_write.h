/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes HTML. Markup is written with fputs and fprintf and holds nothing that came from a journal:
 * what did goes through html_text, the one place that escapes. Rows and cells of tables have no end
 * tags, which HTML lets one leave out.
 */
#ifndef BLITBENCH_REPORT_HTML_WRITE_H
#define BLITBENCH_REPORT_HTML_WRITE_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Text as content. What would move the cursor, turn the direction of
 * writing or is no UTF-8 becomes a question mark (report/columns.h), a line's end a blank; what is
 * longer than 1500 columns is cut, with an ellipsis.
 */
void html_text(FILE *out, const char *text);
void html_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The tag, which may have attributes ("td class=n"), and the text in it. */
void html_cell(FILE *out, const char *tag, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A cell with three significant digits, or a dash for what is not measured. */
void html_number_cell(FILE *out, double value);

/* The same digits as text, and a unit behind them unless it is "": "690 s", "0.056". */
void html_figure(FILE *out, double value, const char *unit);

/* "231,613" */
void html_count(FILE *out, double value);

/* How many times as fast: "5.6", "12". */
void html_ratio(FILE *out, double ratio);

/* "1.5 GiB" */
void html_size(FILE *out, double bytes);

/* The page up to its body, with the style sheet of all our pages. before is markup of this program, name comes
 * from a journal; both make the title. */
void html_begin(FILE *out, const char *before, const char *name);

/* A part that is folded, and stands open on paper. The title is markup of this program. */
void html_fold_begin(FILE *out, const char *title);
void html_fold_end(FILE *out);

/* A table that may be wider than the page scrolls by itself. The caption is markup of this program.
 */
void html_table_begin(FILE *out, const char *caption);
void html_table_end(FILE *out);

/* False once the page is so large that lists end here: it stays below 300 KiB whatever the run. */
bool html_room(FILE *out);

/* The same of the main pictures, which come first and must leave room for the rest. */
bool html_picture_room(FILE *out);

/* The same for one of a list: where there is no room it is counted as left out. */
bool html_fits(FILE *out, size_t *left);

/* Says that so many were left out for that, where it is not 0. */
void html_left_out(FILE *out, size_t count, const char *what);

#endif
