/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Order statistics of small samples. NaN stands for "not measured" and takes no part. */
#ifndef BLITBENCH_MEASURE_STATISTICS_H
#define BLITBENCH_MEASURE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* Sorts upwards in place, the NaNs to the end, and returns the count of those that are not NaN. */
size_t statistics_sort(double *values, size_t count);

/* Of sorted values; NaN where there are none. */
double statistics_median(const double *sorted, size_t count);
double statistics_minimum(const double *sorted, size_t count);
double statistics_maximum(const double *sorted, size_t count);

/* The median absolute deviation from the median, as it is: scaled to no distribution. */
double statistics_mad(const double *sorted, size_t count);

/*
 * The rank k, from 1, for which the k-th smallest and the k-th largest of count values enclose the
 * median of whatever they were drawn from with a probability of at least 95 %, whatever the
 * distribution: the largest k with 2 P(B <= k - 1) <= 0.05 for B binomial (count, 1/2). 0 below six
 * values, where even the extremes do not reach 95 %.
 */
size_t statistics_interval_rank(size_t count);

/* That interval of sorted values; false and untouched where there is none. */
bool statistics_median_interval(const double *sorted, size_t count, double interval[2]);

#endif
