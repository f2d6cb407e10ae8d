/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of the text report. */
#ifndef BLITBENCH_REPORT_TABLES_H
#define BLITBENCH_REPORT_TABLES_H

#include <stdbool.h>
#include <stdio.h>

#include "report/page.h"

/* Whether the run was in a directory, as opposed to fresh filesystems on a target. */
bool table_in_directory(const json_t *report);

/* What came of the run, in a word: its status, or "dry run" of a complete one that formatted nothing. */
const char *table_outcome(const json_t *report);

/* Hot and cold beside each other, and what a reader must know to judge the figures. */
void table_blit(FILE *out, const struct page *page);

/* The rest of a transaction: durable, quiesced, swap, archive, prune, bytes written. */
void table_transactions(FILE *out, const struct page *page);

/* Least, greatest and interval. */
void table_spread(FILE *out, const struct page *page);

#endif
