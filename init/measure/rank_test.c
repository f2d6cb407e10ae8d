/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/rank_test.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "lib/cleanup.h"
#include "measure/statistics.h"

/* How many of the ways to choose some of a number of ranks have each sum, from 0 to last. */
struct sums {
	double *ways;
	size_t last;
	double all;
};

static void sums_free(struct sums *sums)
{
	free(sums->ways);
}

#define _cleanup_sums_ __attribute__((cleanup(sums_free)))

/*
 * Item after item: what has been chosen so far, by how many and their sum. Ranks are doubled, so
 * that mean ranks of ties are whole numbers; all of them add up to count * (count + 1).
 */
static struct sums count_sums(const unsigned *doubled_ranks, size_t count, size_t chosen)
{
	struct sums sums = { .last = count * (count + 1) };
	size_t width = sums.last + 1;
	_cleanup_free_ double *ways = calloc((chosen + 1) * width, sizeof(*ways));

	sums.ways = calloc(width, sizeof(*sums.ways));
	if (!ways || !sums.ways) {
		free(take_pointer(sums.ways));
		return sums;
	}
	ways[0] = 1;
	/* No sum so far is greater than reached. */
	for (size_t i = 0, reached = 0; i < count; reached += doubled_ranks[i++])
		for (size_t taken = i + 1 < chosen ? i + 1 : chosen; taken; taken--) {
			const double *from = ways + (taken - 1) * width;
			double *to = ways + taken * width + doubled_ranks[i];

			for (size_t sum = 0; sum <= reached; sum++)
				to[sum] += from[sum];
		}
	for (size_t sum = 0; sum < width; sum++) {
		sums.ways[sum] = ways[chosen * width + sum];
		sums.all += sums.ways[sum];
	}
	return sums;
}

static bool sizes_fit(size_t left_count, size_t right_count)
{
	return left_count && right_count && left_count <= RANK_TEST_MAX &&
	       right_count <= RANK_TEST_MAX;
}

/* Twice the mean rank of the value among all. */
static unsigned doubled_rank(double value, const double *all, size_t count)
{
	unsigned less = 0, equal = 0;

	for (size_t i = 0; i < count; i++) {
		less += all[i] < value;
		equal += all[i] == value;
	}
	return 2 * less + equal + 1;
}

double rank_test(const double *left, size_t left_count, const double *right, size_t right_count)
{
	double all[2 * RANK_TEST_MAX], extreme = 0;
	unsigned ranks[2 * RANK_TEST_MAX];
	size_t count = left_count + right_count;
	long mean, distance;
	size_t observed = 0;

	if (!sizes_fit(left_count, right_count))
		return NAN;
	if (left_count > right_count)
		return rank_test(right, right_count, left, left_count);
	for (size_t i = 0; i < count; i++)
		all[i] = i < left_count ? left[i] : right[i - left_count];
	for (size_t i = 0; i < count; i++)
		ranks[i] = doubled_rank(all[i], all, count);
	for (size_t i = 0; i < left_count; i++)
		observed += ranks[i];

	_cleanup_sums_ struct sums sums = count_sums(ranks, count, left_count);
	if (!sums.ways)
		return NAN;
	mean = (long)(left_count * (count + 1));
	distance = labs((long)observed - mean);
	for (size_t sum = 0; sum <= sums.last; sum++)
		if (labs((long)sum - mean) >= distance)
			extreme += sums.ways[sum];
	return extreme / sums.all;
}

double rank_test_least(size_t left_count, size_t right_count)
{
	double least = 2;

	for (size_t i = 1; i <= left_count; i++)
		least *= (double)i / (double)(right_count + i);
	return fmin(least, 1);
}

size_t rank_test_sessions_for(size_t tests)
{
	size_t count = 1;

	while (rank_test_least(count, count) * (double)tests > RANK_TEST_LEVEL)
		count++;
	return count;
}

/* The largest k for which the k-th smallest and the k-th largest difference of all pairs enclose
 * the true one with 95 %: 2 P(U <= k - 1) <= 0.05. 0 where there is none. */
static size_t interval_rank(size_t left_count, size_t right_count)
{
	unsigned ranks[2 * RANK_TEST_MAX];
	size_t count = left_count + right_count, rank = 0;
	double below = 0;

	for (size_t i = 0; i < count; i++)
		ranks[i] = (unsigned)(2 * (i + 1));
	_cleanup_sums_ struct sums sums = count_sums(ranks, count, left_count);
	if (!sums.ways)
		return 0;
	/* U is 0 where the left sample has the lowest ranks. */
	for (size_t sum = left_count * (left_count + 1); sum <= sums.last; sum += 2) {
		below += sums.ways[sum];
		if (2 * below > 0.05 * sums.all)
			break;
		rank++;
	}
	return rank;
}

double rank_ratio(const double *left, size_t left_count, const double *right, size_t right_count,
		  double interval[2])
{
	size_t pairs = left_count * right_count, rank;
	_cleanup_free_ double *logs = calloc(pairs + 1, sizeof(*logs));

	interval[0] = interval[1] = NAN;
	if (!logs || !pairs)
		return NAN;
	for (size_t i = 0; i < left_count; i++)
		for (size_t j = 0; j < right_count; j++)
			logs[i * right_count + j] = log(right[j]) - log(left[i]);
	statistics_sort(logs, pairs);
	rank = sizes_fit(left_count, right_count) ? interval_rank(left_count, right_count) : 0;
	if (rank) {
		interval[0] = exp(logs[rank - 1]);
		interval[1] = exp(logs[pairs - rank]);
	}
	return exp(statistics_median(logs, pairs));
}

static int by_value(const void *left, const void *right)
{
	const double *a = *(const double *const *)left, *b = *(const double *const *)right;

	return (*a > *b) - (*a < *b);
}

int holm_correct(double *p, size_t count)
{
	_cleanup_free_ double **order = calloc(count + 1, sizeof(*order));
	size_t tests = 0;
	double least = 0;

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (!isnan(p[i]))
			order[tests++] = &p[i];
	qsort(order, tests, sizeof(*order), by_value);
	for (size_t i = 0; i < tests; i++) {
		least = fmax(least, fmin(*order[i] * (double)(tests - i), 1));
		*order[i] = least;
	}
	return 0;
}
