/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether two small samples differ, and by how much: the test of Mann and Whitney by its exact
 * distribution, Holm's correction for several tests, and the ratio that belongs to the test, after
 * Hodges and Lehmann. docs/statistics.md has the reasons. Values are finite; ratios are of positive
 * ones.
 */
#ifndef BLITBENCH_MEASURE_RANK_TEST_H
#define BLITBENCH_MEASURE_RANK_TEST_H

#include <stddef.h>

/* The exact distribution of larger samples would take seconds and tens of megabytes. */
enum { RANK_TEST_MAX = 50 };

/* Below this p a difference is called significant. */
#define RANK_TEST_LEVEL 0.05

/*
 * The two-sided p: of all ways to deal the values out into two samples of these sizes, the part in
 * which the rank sum is at least as far from its mean as it is. Tied values share their mean rank.
 * NaN where a sample is empty or larger than RANK_TEST_MAX.
 */
double rank_test(const double *left, size_t left_count, const double *right, size_t right_count);

/* The least p that samples of these sizes can have: that of two that do not overlap. */
double rank_test_least(size_t left_count, size_t right_count);

/*
 * How many times as large right's values are as left's: the median of the ratios of all pairs. The
 * interval holds the true ratio with at least 95 % where the distributions differ by a factor and
 * nothing else; NaN, NaN where the samples are too small (or larger than RANK_TEST_MAX) for one.
 */
double rank_ratio(const double *left, size_t left_count, const double *right, size_t right_count,
		  double interval[2]);

/* Replaces the p of count tests by those corrected after Holm; NaN is no test. -ENOMEM. */
int holm_correct(double *p, size_t count);

/* How many values each of two samples needs for some p to stay significant after the correction for
 * so many tests. */
size_t rank_test_sessions_for(size_t tests);

#endif
