/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the engines of a run compare with moss-2025, and its stores with moss's. */
#ifndef BLITBENCH_REPORT_RATIOS_H
#define BLITBENCH_REPORT_RATIOS_H

#include <stdio.h>

#include "report/page.h"

/* A table for each of the two where the report has both something to compare and what to compare it
 * with. */
void ratios_print(FILE *out, const struct page *page);

#endif
