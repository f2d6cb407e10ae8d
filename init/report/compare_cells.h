/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cells that a report has in common with its baseline: a part of report/compare.h. */
#ifndef BLITBENCH_REPORT_COMPARE_CELLS_H
#define BLITBENCH_REPORT_COMPARE_CELLS_H

#include "report/saved.h"

/* A comparison of one report with the baseline. */
struct versus {
	const struct saved *baseline, *report;
	bool per_entry; /* not the same work: what is compared is the time of an entry */
};

/* A cell that both have. */
struct match {
	const struct cell *baseline, *report;
	double *left, *right; /* the medians of the sessions of each, sorted */
	size_t left_count, right_count;
	double p, corrected; /* NaN where it cannot be tested */
};

struct matches {
	struct match *list;
	size_t count;
};

/* In the report's order. -ENOMEM; matches_free is safe after it, and on zeroes. */
int matches_make(struct matches *matches, const struct versus *versus);
void matches_free(struct matches *matches);

/* The comparison's "cells" and "tests" (docs/compare.md). */
json_t *matches_to_json(const struct matches *matches, const struct versus *versus, bool forced);
json_t *matches_tests(const struct matches *matches);

/* The cells that only one of them has, as lists of their keys. */
json_t *matches_only_in_baseline(const struct versus *versus);
json_t *matches_only_in_report(const struct versus *versus);

#endif
