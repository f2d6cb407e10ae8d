/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tells the cells of a summary apart, and how a person reads it. A table has a block for each
 * setup (engine, strategy, threads, store, governor) and in it lines for filesystems, operations and caches.
 */
#ifndef BLITBENCH_REPORT_SETUP_H
#define BLITBENCH_REPORT_SETUP_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Lists of keys, each ending with NULL (report/fields.h). */
extern const char *const subject_keys[]; /* filesystem, variant: what is compared */
extern const char *const setup_keys[]; /* engine, strategy, threads, store, governor */
extern const char *const line_keys[];  /* all of a cell but its cache */
extern const char *const cell_keys[];  /* all of it */

/* True where no earlier cell of the summary has the same values for these keys. */
bool first_with(const json_t *summary, size_t index, const char *const *keys);

/* "xfs", of a variant "xfs-parent". */
void filesystem_label(char *text, size_t size, const json_t *cell);

/* "moss-2026 reflink, 2 threads, store 3x2", without what is the same in all of the summary; ""
 * where everything is. Which strategy is told where the engine has several in it, or does not link.
 */
void setup_label(char *text, size_t size, const json_t *summary, const json_t *cell);

/* "All rows: moss-2025, 1 thread, store 3x2.": what setup_label leaves out. */
void setup_print_common(FILE *out, const json_t *summary);

/* The label on a line of its own, above a block's lines; nothing where there is one block. */
void setup_heading(FILE *out, const json_t *summary, const json_t *cell);

/* The cell of the same line with that cache; NULL where no such trial was made. */
const json_t *cell_with_cache(const json_t *summary, const json_t *cell, const char *cache);

#endif
