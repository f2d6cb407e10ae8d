/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The test of two samples: against published examples, and by dealing out all values in all ways.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "random_fixture.h"

#include "lib/cleanup.h"
#include "measure/rank_test.h"
#include "measure/statistics.h"

#include <stdlib.h>
#include <string.h>

static void assert_near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("%.9g is not %.9g", value, expected);
}

/* --- published examples --------------------------------------------------------------------- */

/*
 * Hollander and Wolfe, Nonparametric Statistical Methods, table 4.1: water transfer through the
 * human chorioamnion, at term and at 12 to 26 weeks. R's documentation of wilcox.test has p 0.1272
 * one-sided, that of coin 0.2544 two-sided, the difference in location 0.305 and its interval from
 * -0.15 to 0.76.
 */
static const double at_term[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46 };
static const double at_weeks[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };

/* Mehta and Patel, StatXact's manual, table 9.6: diastolic blood pressure, with ties. There, and in
 * R's exactRankTests: p 0.0989 two-sided, the difference in location 9.5. */
static const double treated[] = { 94, 108, 110, 90 };
static const double controls[] = { 80, 94, 85, 90, 90, 90, 108, 94, 78, 105, 88 };

static void agrees_with_published_examples(void **state)
{
	(void)state;
	assert_near(rank_test(at_term, 10, at_weeks, 5), 0.2544, 0.00005);
	assert_near(rank_test(at_weeks, 5, at_term, 10), 0.2544, 0.00005);
	assert_near(rank_test(treated, 4, controls, 11), 0.0989, 0.00005);
	assert_near(rank_test(controls, 11, treated, 4), 0.0989, 0.00005);
}

/* The examples are of differences; the ratio of exponentials is the exponential of a difference. */
static double difference(const double *left, size_t left_count, const double *right,
			 size_t right_count, double interval[2])
{
	double a[16], b[16], ratio;

	for (size_t i = 0; i < left_count; i++)
		a[i] = exp(left[i]);
	for (size_t i = 0; i < right_count; i++)
		b[i] = exp(right[i]);
	ratio = rank_ratio(a, left_count, b, right_count, interval);
	interval[0] = log(interval[0]);
	interval[1] = log(interval[1]);
	return log(ratio);
}

static void ratio_agrees_with_published_examples(void **state)
{
	double interval[2];

	(void)state;
	assert_near(difference(at_weeks, 5, at_term, 10, interval), 0.305, 1e-9);
	assert_near(interval[0], -0.15, 1e-9);
	assert_near(interval[1], 0.76, 1e-9);
	assert_near(difference(controls, 11, treated, 4, interval), 9.5, 1e-9);
	/* Of p 0.0989: no difference is in it. */
	assert_true(interval[0] <= 0 && interval[1] > 9.5);
}

/* Two samples without ties of which the first is greater than `greater` values of the second. */
static double p_with(size_t left_count, size_t right_count, size_t greater)
{
	double left[8], right[8];

	for (size_t i = 0; i < right_count; i++)
		right[i] = (double)i + 1;
	for (size_t i = left_count; i--;) {
		size_t above = greater < right_count ? greater : right_count;

		left[i] = (double)above + 0.5 + (double)i / 100;
		greater -= above;
	}
	return rank_test(left, left_count, right, right_count);
}

/* Mann and Whitney, On a Test of Whether One of Two Random Variables is Stochastically Larger than
 * the Other, 1947, table I: the probability of a U not greater than this, in thousandths. */
static void agrees_with_the_table_of_mann_and_whitney(void **state)
{
	static const struct {
		size_t left, right, u;
		double thousandths;
	} rows[] = {
		{ 3, 3, 0, 50 }, { 3, 3, 1, 100 }, { 3, 3, 2, 200 }, { 3, 3, 3, 350 },
		{ 4, 4, 0, 14 }, { 4, 4, 1, 29 }, { 4, 4, 2, 57 }, { 4, 4, 3, 100 },
		{ 6, 6, 0, 1 }, { 6, 6, 1, 2 }, { 6, 6, 2, 4 }, { 6, 6, 3, 8 }, { 6, 6, 4, 13 },
		{ 6, 6, 5, 21 }, { 6, 6, 6, 32 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		assert_near(p_with(rows[i].left, rows[i].right, rows[i].u),
			    2 * rows[i].thousandths / 1000, 0.001 + 1e-9);
}

/* The example of the article on Holm's method in the English Wikipedia has these four; the
 * corrected ones are those of R's p.adjust. */
static void holm_corrects(void **state)
{
	double p[] = { 0.01, NAN, 0.04, 0.03, 0.005 }, large[] = { 0.5, 0.9, 0.6 };

	(void)state;
	assert_int_equal(holm_correct(p, ARRAY_LENGTH(p)), 0);
	assert_near(p[0], 0.03, 1e-12);
	assert_true(isnan(p[1]));
	assert_near(p[2], 0.06, 1e-12);
	assert_near(p[3], 0.06, 1e-12);
	assert_near(p[4], 0.02, 1e-12);
	assert_int_equal(holm_correct(large, 3), 0);
	assert_near(large[0], 1, 0);
	assert_near(large[1], 1, 0);
	assert_near(large[2], 1, 0);
	assert_int_equal(holm_correct(NULL, 0), 0);
}

/* --- by hand -------------------------------------------------------------------------------- */

/* The rank sum, doubled, of those values whose bits are set. */
static unsigned rank_sum(const double *values, unsigned count, unsigned chosen)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < count; i++)
		for (unsigned j = 0; j < count && chosen >> i & 1; j++)
			sum += values[j] < values[i] ? 2 : values[j] == values[i];
	return sum + (unsigned)__builtin_popcount(chosen);
}

static double p_by_dealing(const double *values, unsigned left_count, unsigned count)
{
	unsigned all = 0, extreme = 0, mean = left_count * (count + 1);
	int found = abs((int)(rank_sum(values, count, (1u << left_count) - 1) - mean));

	for (unsigned chosen = 0; chosen < 1u << count; chosen++) {
		if ((unsigned)__builtin_popcount(chosen) != left_count)
			continue;
		all++;
		extreme += abs((int)(rank_sum(values, count, chosen) - mean)) >= found;
	}
	return (double)extreme / all;
}

/* Of few different values, so that ties abound. */
static void agrees_with_dealing_in_all_ways(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (unsigned turn = 0; turn < 300; turn++) {
		unsigned left = 1 + turn % 5, right = 1 + turn / 5 % 5, kinds = 1 + turn % 9;
		double values[10];

		for (unsigned i = 0; i < left + right; i++)
			values[i] = floor(uniform(&seed) * kinds) + 1;
		assert_near(rank_test(values, left, values + left, right),
			    p_by_dealing(values, left, left + right), 1e-12);
	}
}

/* Every way to deal twelve values into two sixes: in how many the interval misses the truth, that
 * they are equal, and that it misses it where p is at most 5 % and nowhere else. */
static void interval_misses_the_truth_as_often_as_the_test(void **state)
{
	unsigned all = 0, missed = 0;

	(void)state;
	for (unsigned chosen = 0; chosen < 1u << 12; chosen++) {
		double left[12], right[12], interval[2];
		size_t left_count = 0, right_count = 0;
		bool misses;

		if (__builtin_popcount(chosen) != 6)
			continue;
		for (unsigned i = 0; i < 12; i++)
			if (chosen >> i & 1)
				left[left_count++] = i + 1;
			else
				right[right_count++] = i + 1;
		rank_ratio(left, 6, right, 6, interval);
		misses = interval[0] > 1 || interval[1] < 1;
		assert_int_equal(misses, rank_test(left, 6, right, 6) <= 0.05);
		all++;
		missed += misses;
	}
	assert_int_equal(all, 924);
	assert_int_equal(missed, 38); /* 2 P(U <= 5) = 38 / 924 */
}

static int by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* Against a list of all pairs, of samples of all small sizes with and without ties. */
static void the_ratio_is_the_median_of_all_pairs(void **state)
{
	unsigned random = 1;

	(void)state;
	for (unsigned turn = 0; turn < 500; turn++) {
		double samples[2][9], pairs[81], interval[2], expected;
		size_t sizes[2] = { 1 + turn % 9, 1 + turn / 9 % 9 }, count = 0;

		for (size_t i = 0; i < 2; i++)
			for (size_t j = 0; j < sizes[i]; j++) {
				random = random * 1664525 + 1013904223;
				samples[i][j] = 1 + (random >> 8) % (turn % 2 ? 5 : 100000);
			}
		for (size_t i = 0; i < sizes[0]; i++)
			for (size_t j = 0; j < sizes[1]; j++)
				pairs[count++] = log(samples[1][j]) - log(samples[0][i]);
		qsort(pairs, count, sizeof(pairs[0]), by_size);
		expected = exp(pairs[(count - 1) / 2] / 2 + pairs[count / 2] / 2);
		assert_near(rank_ratio(samples[0], sizes[0], samples[1], sizes[1], interval), expected,
			    1e-12);
	}
}

/* Nine million pairs, which nobody lists. */
static void samples_may_be_long(void **state)
{
	static double left[3000], right[3000];
	double interval[2];

	(void)state;
	for (size_t i = 0; i < 3000; i++) {
		left[i] = 1 + (double)i;
		right[i] = 3 + 3 * (double)i;
	}
	assert_near(rank_ratio(left, 3000, right, 3000, interval), 3, 1e-12);
	assert_true(isnan(interval[0]));
}

static void least_p_and_the_sessions_it_takes(void **state)
{
	static const struct {
		size_t tests, sessions;
	} rows[] = { { 1, 4 }, { 12, 6 }, { 23, 6 }, { 24, 7 }, { 85, 7 }, { 86, 8 }, { 321, 8 } };
	const double low[] = { 1, 2, 3, 4, 5, 6 }, high[] = { 7, 8, 9, 10, 11, 12 };

	(void)state;
	assert_near(rank_test(low, 6, high, 6), 2.0 / 924, 1e-15);
	assert_near(rank_test_least(6, 6), 2.0 / 924, 1e-15);
	assert_near(rank_test_least(4, 6), rank_test(low, 4, high, 6), 1e-15);
	assert_near(rank_test_least(1, 1), 1, 0);
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		assert_int_equal(rank_test_sessions_for(rows[i].tests), rows[i].sessions);
}

static void odd_samples(void **state)
{
	double many[RANK_TEST_MAX + 1], interval[2];
	const double same[] = { 3, 3, 3, 3, 3, 3 }, one[] = { 2 }, other[] = { 5 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(many); i++)
		many[i] = (double)i + 1;
	assert_near(rank_test(same, 6, same, 6), 1, 0);
	assert_true(isnan(rank_test(same, 0, same, 6)));
	assert_true(isnan(rank_test(many, RANK_TEST_MAX + 1, same, 6)));
	assert_true(isnan(rank_test(same, 6, many, RANK_TEST_MAX + 1)));
	assert_near(rank_test(many, RANK_TEST_MAX, many, RANK_TEST_MAX), 1, 1e-12);
	assert_near(rank_ratio(same, 6, same, 6, interval), 1, 1e-12);
	assert_near(interval[0], 1, 1e-12);
	assert_near(rank_ratio(one, 1, other, 1, interval), 2.5, 1e-12);
	assert_true(isnan(interval[0]) && isnan(interval[1]));
	assert_true(isnan(rank_ratio(one, 0, other, 1, interval)));
	/* Without a test there is no interval either, but a ratio. */
	assert_near(rank_ratio(many, RANK_TEST_MAX + 1, many, RANK_TEST_MAX + 1, interval), 1,
		    1e-12);
	assert_true(isnan(interval[0]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_published_examples),
		cmocka_unit_test(ratio_agrees_with_published_examples),
		cmocka_unit_test(agrees_with_the_table_of_mann_and_whitney),
		cmocka_unit_test(holm_corrects),
		cmocka_unit_test(agrees_with_dealing_in_all_ways),
		cmocka_unit_test(interval_misses_the_truth_as_often_as_the_test),
		cmocka_unit_test(the_ratio_is_the_median_of_all_pairs),
		cmocka_unit_test(samples_may_be_long),
		cmocka_unit_test(least_p_and_the_sessions_it_takes),
		cmocka_unit_test(odd_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
