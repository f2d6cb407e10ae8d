/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What text and HTML of a comparison say alike: a part of report/compare.h. All are freed by the
 * caller, and NULL where memory is short or where there is nothing to say. */
#ifndef BLITBENCH_REPORT_COMPARE_WORDS_H
#define BLITBENCH_REPORT_COMPARE_WORDS_H

#include <jansson.h>

#include "report/numbers.h"

#define COMPARE_NOTHING_DIFFERS \
	"Nothing that both tell: the same machine, kernel, image, features and settings."

/* What stands before every line that rests on a comparison which had to be forced, else "": of a
 * comparison, a verdict, or a cell of one. A constant, not to be freed. */
#define COMPARE_FORCED "forced: "
const char *compare_mark(const json_t *forced);

/* What the figures of a comparison are. */
struct compare_measure {
	const char *key, *caption;
	double factor;
	enum number_kind kind;
};

struct compare_measure compare_measure(const json_t *comparison);

/* The figure of the side, "baseline" or "report", of a cell, in that measure. */
double compare_figure(struct compare_measure measure, const json_t *cell, const char *side);

/* How many cells are slower and how many faster, in a sentence. */
char *compare_answer(const json_t *comparison);

/* "run ID (NAME), profile quick, started ...", of one side. */
char *compare_side_words(const json_t *side);

/* "machine.cpu.model: baseline A, report B"; of lists of words only what is not in both. */
char *compare_difference_words(const json_t *difference);

/* "ext4 remove hot (moss-2025, store 3x2)". */
char *compare_cell_words(const json_t *cell);

/* "All rows: moss-2025, store 3x2.": what the cells' setups (report/setup.h) have in common. */
char *compare_common(const json_t *comparison);

/* What the figures are, and what a star means. */
char *compare_legend(const json_t *comparison);

/* The sentences on cells without interval or star, on stars that cannot be, on cells that only one
 * has: a new list. */
json_t *compare_remarks(const json_t *baseline, const json_t *comparison);

/* The verdict's sentences, a new list; an empty one where none was asked for. */
json_t *compare_verdict_words(const json_t *verdict);

#endif
