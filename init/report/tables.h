/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of the text report, each from the report object's summary. */
#ifndef BLITBENCH_REPORT_TABLES_H
#define BLITBENCH_REPORT_TABLES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The keys that tell the cells of one report apart, without and with cache and operation. */
extern const char *const setup_keys[];
extern const char *const cell_keys[];

/* "engine moss-2025, 1 thread, variant default, store 3x2" */
void setup_print(char *text, size_t size, const json_t *cell);

/* What stands above a row's lines where rows differ in more than the filesystem; nothing where they
 * do not. */
void setup_heading(FILE *out, const json_t *summary, const json_t *row);

/* True where one such sentence is right for all cells, so that a table's rows need only the
 * filesystem. */
bool setup_is_common(const json_t *summary);

/* True where the cell is the first of the summary with its filesystem and setup. */
bool setup_begins(const json_t *summary, size_t index);

/* Hot and cold beside each other, and what a reader must know to judge the figures. */
void table_blit(FILE *out, const json_t *report);

/* The rest of a transaction: durable, quiesced, swap, archive, prune, bytes written. */
void table_transactions(FILE *out, const json_t *report);

/* Least, greatest and interval. */
void table_spread(FILE *out, const json_t *report);

#endif
