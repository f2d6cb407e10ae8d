/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reports compared with a baseline, cell by cell: docs/compare.md describes the object, which is
 * rendered as text, JSON and HTML. What differs between machines and settings is part of it.
 */
#ifndef BLITBENCH_REPORT_COMPARE_H
#define BLITBENCH_REPORT_COMPARE_H

#include "report/saved.h"

/*
 * The object of a comparison with each of the reports; the caller owns it. -EINVAL with a sentence
 * where a run is there twice, or has nothing in common with the baseline; -EXDEV where the two must
 * not be compared (another kind of machine, other work), unless force is set.
 */
int compare_build(json_t **comparison, const struct saved *baseline, const struct saved *reports,
		  size_t count, bool force);

enum compare_result { COMPARE_FINE, COMPARE_SLOWER, COMPARE_UNKNOWN };

/*
 * Whether a report is slower than the baseline by more than the limit (0.1 is 10 %) somewhere:
 * significantly, or, with raw, by the ratios alone. Unknown where none is and where some cell of
 * the baseline cannot be judged. Becomes part of the comparison.
 */
enum compare_result compare_judge(json_t *comparison, double limit, bool raw);

/* Rendered; freed by the caller, NULL when memory is short. */
char *compare_text(const json_t *comparison);
char *compare_json(const json_t *comparison);
char *compare_html(const json_t *comparison);

/* --- between its files ---------------------------------------------------------------------- */

/* What differs in what the two were made with and on: [{"what", "baseline", "report"}]. */
json_t *compare_differences(const struct saved *baseline, const struct saved *report);

/* Why the two must not be compared: sentences; an empty list where they may be. */
json_t *compare_obstacles(const struct saved *baseline, const struct saved *report);

/* Whether both are known to be the same work, so that seconds can stand beside each other. */
bool compare_same_work(const struct saved *baseline, const struct saved *report);

#endif
