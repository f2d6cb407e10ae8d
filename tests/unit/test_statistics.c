/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "measure/statistics.h"

#include <math.h>

static void sorts_and_counts_without_nan(void **state)
{
	double values[] = { 3, NAN, -1, INFINITY, NAN, 2 };

	(void)state;
	assert_int_equal(statistics_sort(values, ARRAY_LENGTH(values)), 4);
	assert_true(values[0] == -1 && values[1] == 2 && values[2] == 3 && values[3] == INFINITY);
	assert_true(isnan(values[4]) && isnan(values[5]));
	assert_int_equal(statistics_sort(values, 0), 0);
}

static void median_of_odd_and_even_counts(void **state)
{
	const double sorted[] = { 1, 2, 4, 8, 16 };

	(void)state;
	assert_true(statistics_median(sorted, 5) == 4);
	assert_true(statistics_median(sorted, 4) == 3);
	assert_true(statistics_median(sorted, 1) == 1);
	assert_true(statistics_minimum(sorted, 5) == 1);
	assert_true(statistics_maximum(sorted, 5) == 16);
}

static void nothing_gives_nan(void **state)
{
	const double none[] = { 0 };

	(void)state;
	assert_true(isnan(statistics_median(none, 0)));
	assert_true(isnan(statistics_minimum(none, 0)));
	assert_true(isnan(statistics_maximum(none, 0)));
}

/* Of { 1, 1, 2, 2, 4, 6, 9 } it is 1: the example of the article on the median absolute deviation in
 * the English Wikipedia. The others are counted out by sorting the distances. */
static void median_absolute_deviation(void **state)
{
	static const struct {
		size_t count;
		double sorted[8], mad;
	} rows[] = {
		{ 7, { 1, 1, 2, 2, 4, 6, 9 }, 1 },
		{ 1, { 5 }, 0 },
		{ 2, { 1, 4 }, 1.5 },
		{ 3, { 1, 4, 100 }, 3 },
		{ 4, { 1, 2, 4, 100 }, 1.5 },
		{ 6, { 1, 1, 1, 1, 1, 9 }, 0 },
		{ 6, { 1, 9, 9, 9, 9, 9 }, 0 },
		{ 8, { -8, -4, -2, -1, 1, 2, 4, 8 }, 3 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		assert_true(statistics_mad(rows[i].sorted, rows[i].count) == rows[i].mad);
	assert_true(isnan(statistics_mad(rows[0].sorted, 0)));
}

/* 2 P(B < rank) in 2^-count-ths, counted out with whole numbers. */
static unsigned long long tails(unsigned count, unsigned rank)
{
	unsigned long long choose = 1, sum = 0;

	for (unsigned i = 0; i < rank; i++) {
		sum += choose;
		choose = choose * (count - i) / (i + 1);
	}
	return 2 * sum;
}

static void interval_is_the_narrowest_with_95_percent(void **state)
{
	(void)state;
	for (unsigned count = 0; count <= 60; count++) {
		unsigned long long all = 1ULL << count;
		unsigned rank = (unsigned)statistics_interval_rank(count);

		assert_true(rank <= count / 2);
		assert_true(tails(count, rank) * 20 <= all || !rank);
		if (rank < count / 2)
			assert_true(tails(count, rank + 1) * 20 > all);
	}
}

/* The ranks that tables of the sign test's interval print for these sample sizes. */
static void interval_agrees_with_tables(void **state)
{
	static const struct {
		unsigned count, rank;
	} rows[] = {
		{ 5, 0 }, { 6, 1 }, { 8, 1 }, { 9, 2 }, { 10, 2 }, { 12, 3 }, { 15, 4 }, { 20, 6 },
		{ 25, 8 }, { 30, 10 }, { 50, 18 }, { 100, 40 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++)
		assert_int_equal(statistics_interval_rank(rows[i].count), rows[i].rank);
}

static void interval_of_values(void **state)
{
	const double sorted[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	double interval[2] = { -1, -1 };

	(void)state;
	assert_false(statistics_median_interval(sorted, 5, interval));
	assert_true(interval[0] == -1 && interval[1] == -1);
	assert_true(statistics_median_interval(sorted, 6, interval));
	assert_true(interval[0] == 1 && interval[1] == 6);
	assert_true(statistics_median_interval(sorted, 9, interval));
	assert_true(interval[0] == 2 && interval[1] == 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sorts_and_counts_without_nan),
		cmocka_unit_test(median_of_odd_and_even_counts),
		cmocka_unit_test(nothing_gives_nan),
		cmocka_unit_test(median_absolute_deviation),
		cmocka_unit_test(interval_is_the_narrowest_with_95_percent),
		cmocka_unit_test(interval_agrees_with_tables),
		cmocka_unit_test(interval_of_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
