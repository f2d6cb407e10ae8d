/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/statistics.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	if (isnan(a) || isnan(b))
		return !!isnan(a) - !!isnan(b);
	return (a > b) - (a < b);
}

size_t statistics_sort(double *values, size_t count)
{
	if (count)
		qsort(values, count, sizeof(*values), compare);
	while (count && isnan(values[count - 1]))
		count--;
	return count;
}

double statistics_median(const double *sorted, size_t count)
{
	if (!count)
		return NAN;
	if (count % 2)
		return sorted[count / 2];
	return sorted[count / 2 - 1] / 2 + sorted[count / 2] / 2;
}

double statistics_minimum(const double *sorted, size_t count)
{
	return count ? sorted[0] : NAN;
}

double statistics_maximum(const double *sorted, size_t count)
{
	return count ? sorted[count - 1] : NAN;
}

double statistics_mad(const double *sorted, size_t count)
{
	double median = statistics_median(sorted, count), deviation = NAN, before = NAN;
	size_t below, above = 0;

	if (!count)
		return NAN;
	while (above < count && sorted[above] < median)
		above++;
	below = above;
	/* Outwards from the median the deviations come in their order. */
	for (size_t i = 0; i <= count / 2; i++) {
		before = deviation;
		if (above == count || (below && median - sorted[below - 1] < sorted[above] - median))
			deviation = median - sorted[--below];
		else
			deviation = sorted[above++] - median;
	}
	return count % 2 ? deviation : before / 2 + deviation / 2;
}

size_t statistics_interval_rank(size_t count)
{
	/* long double: 2^-count stays above zero for up to 16,000 values */
	long double probability = ldexpl(1, -(int)count), below = probability;
	size_t rank = 0;

	/* probability = P(B = rank), below = P(B <= rank) */
	while (rank < count / 2 && 2 * below <= 0.05L) {
		probability *= (long double)(count - rank) / (long double)(rank + 1);
		below += probability;
		rank++;
	}
	return rank;
}

bool statistics_median_interval(const double *sorted, size_t count, double interval[2])
{
	size_t rank = statistics_interval_rank(count);

	if (!rank)
		return false;
	interval[0] = sorted[rank - 1];
	interval[1] = sorted[count - rank];
	return true;
}
