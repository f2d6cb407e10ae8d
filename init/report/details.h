/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The long part of the text report: what stands behind the tables. */
#ifndef BLITBENCH_REPORT_DETAILS_H
#define BLITBENCH_REPORT_DETAILS_H

#include <stdbool.h>
#include <stdio.h>

#include "report/page.h"

/* True where a trial of the report takes part in its figures. */
bool trial_counts(const json_t *trial);

/* Why one takes none where no flag of it says so. */
const char *trial_reason_without_flag(const json_t *trial);

/* How each filesystem was made, mounted, filled and checked. */
void details_sessions(FILE *out, const json_t *report);

/* Every flag of either level with the trials that it hit. */
void details_flags(FILE *out, const struct page *page);

/* Each trial's own value. */
void details_values(FILE *out, const struct page *page);

#endif
