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

/* Two samples, sorted: their pairs are never listed, since long runs have millions of them. */
struct samples {
	const double *left, *right;
	size_t left_count, right_count;
};

/* In how many pairs the right one is above the left one by at most that. */
static size_t pairs_up_to(const struct samples *samples, double difference)
{
	size_t count = 0, reached = 0;

	for (size_t i = 0; i < samples->left_count; i++) {
		while (reached < samples->right_count &&
		       samples->right[reached] - samples->left[i] <= difference)
			reached++;
		count += reached;
	}
	return count;
}

/* The k-th smallest difference, from 1: the least number that so many do not exceed. */
static double difference_of_rank(const struct samples *samples, size_t rank)
{
	double low = samples->right[0] - samples->left[samples->left_count - 1];
	double high = samples->right[samples->right_count - 1] - samples->left[0];

	if (pairs_up_to(samples, low) >= rank)
		return low;
	for (;;) {
		double middle = low + (high - low) / 2;

		/* No number is between the two any more, or there are none to halve. */
		if (!(middle > low && middle < high))
			return high;
		if (pairs_up_to(samples, middle) >= rank)
			high = middle;
		else
			low = middle;
	}
}

static double median_difference(const struct samples *samples)
{
	size_t pairs = samples->left_count * samples->right_count;
	double upper = difference_of_rank(samples, pairs / 2 + 1);

	return pairs % 2 ? upper : difference_of_rank(samples, pairs / 2) / 2 + upper / 2;
}

/* The logarithms, sorted; NULL where memory is short. */
static double *logs_of(const double *values, size_t *count)
{
	double *logs = calloc(*count + 1, sizeof(*logs));

	for (size_t i = 0; logs && i < *count; i++)
		logs[i] = log(values[i]);
	if (logs)
		*count = statistics_sort(logs, *count);
	return logs;
}

double rank_ratio(const double *left, size_t left_count, const double *right, size_t right_count,
		  double interval[2])
{
	_cleanup_free_ double *left_logs = logs_of(left, &left_count);
	_cleanup_free_ double *right_logs = logs_of(right, &right_count);
	const struct samples samples = { left_logs, right_logs, left_count, right_count };
	size_t rank;

	interval[0] = interval[1] = NAN;
	if (!left_logs || !right_logs || !left_count || !right_count)
		return NAN;
	rank = sizes_fit(left_count, right_count) ? interval_rank(left_count, right_count) : 0;
	if (rank) {
		interval[0] = exp(difference_of_rank(&samples, rank));
		interval[1] = exp(difference_of_rank(&samples, left_count * right_count + 1 - rank));
	}
	return exp(median_difference(&samples));
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
