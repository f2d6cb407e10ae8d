/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The histogram of durations: where its buckets begin and end, and what comes out of known values. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "measure/latency.h"

#include <stdlib.h>
#include <string.h>

static struct latency all, part;

static int clear(void **state)
{
	(void)state;
	memset(&all, 0, sizeof(all));
	memset(&part, 0, sizeof(part));
	return 0;
}

static void buckets_follow_each_other_without_a_gap(void **state)
{
	uint64_t first = 0;

	(void)state;
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		uint64_t end = latency_bucket_end(i);

		assert_true(end >= first);
		assert_int_equal(latency_bucket(first), i);
		assert_int_equal(latency_bucket(end), i);
		/* No wider than 1/32 of the least that it holds. */
		if (i < LATENCY_BUCKETS - 1)
			assert_true((end - first) * 32 <= first);
		first = end + 1;
	}
	assert_int_equal(first, 0); /* beyond the last: all values have a bucket */
	assert_int_equal(LATENCY_BUCKETS, 1056);
	assert_int_equal(latency_bucket_end(63), 63);
	assert_int_equal(latency_bucket_end(64), 65);
	assert_int_equal(latency_bucket_end(LATENCY_BUCKETS), UINT64_MAX);
}

static void nothing_recorded_is_nothing(void **state)
{
	(void)state;
	assert_int_equal(latency_percentile(&all, 500), 0);
	assert_int_equal(latency_percentile(&all, 1000), 0);
	assert_int_equal(latency_percentile(&all, 0), 0);
	latency_merge(&all, &part);
	assert_int_equal(all.count, 0);
	assert_int_equal(all.max_nanoseconds, 0);
}

static void extremes(void **state)
{
	static const uint64_t values[] = { 0, 1, (1ull << LATENCY_TOP_BITS) - 1,
					   1ull << LATENCY_TOP_BITS, 1000ull * 1000 * 1000 * 1000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
		clear(NULL);
		latency_record(&all, values[i]);
		assert_int_equal(all.count, 1);
		assert_int_equal(all.sum_nanoseconds, values[i]);
		assert_int_equal(all.max_nanoseconds, values[i]);
		for (unsigned thousandths = 0; thousandths <= 1000; thousandths += 500)
			assert_int_equal(latency_percentile(&all, thousandths), values[i]);
		assert_int_equal(all.buckets[values[i] < 2 ? values[i] : LATENCY_BUCKETS - 1], 1);
	}
}

/* Below 64 every value has its own bucket, so that percentiles are exact. */
static void percentiles_of_known_values(void **state)
{
	(void)state;
	for (unsigned value = 1; value <= 10; value++)
		latency_record(&all, value);
	assert_int_equal(latency_percentile(&all, 0), 1);
	assert_int_equal(latency_percentile(&all, 100), 1);
	assert_int_equal(latency_percentile(&all, 101), 2);
	assert_int_equal(latency_percentile(&all, 500), 5);
	assert_int_equal(latency_percentile(&all, 990), 10);
	assert_int_equal(latency_percentile(&all, 1000), 10);
	clear(NULL);
	for (unsigned i = 0; i < 998; i++)
		latency_record(&all, 7);
	latency_record(&all, 50);
	latency_record(&all, 5000000);
	assert_int_equal(latency_percentile(&all, 500), 7);
	assert_int_equal(latency_percentile(&all, 998), 7);
	assert_int_equal(latency_percentile(&all, 999), 50);
	assert_int_equal(latency_percentile(&all, 1000), 5000000);
	assert_int_equal(all.sum_nanoseconds, 998 * 7 + 50 + 5000000);
}

/* Of larger ones: never below the true one, and at most 1/32 above. */
static void percentiles_are_near_the_sorted_values(void **state)
{
	enum { COUNT = 4001 };
	static uint64_t values[COUNT];
	uint64_t value = 100;

	(void)state;
	for (unsigned i = 0; i < COUNT; i++) { /* grows, from 100 ns to some 3 s */
		values[i] = value;
		value += value / 240 + 1;
		latency_record(&all, values[i]);
	}
	assert_true(values[COUNT - 1] > 1000ull * 1000 * 1000);
	for (unsigned thousandths = 1; thousandths <= 1000; thousandths++) {
		uint64_t exact = values[(COUNT * thousandths + 999) / 1000 - 1];
		uint64_t told = latency_percentile(&all, thousandths);

		assert_true(told >= exact);
		assert_true((told - exact) * 32 <= exact);
	}
}

static void merging_is_recording_all(void **state)
{
	static struct latency merged;
	uint64_t value = 3;

	(void)state;
	memset(&merged, 0, sizeof(merged));
	for (unsigned i = 0; i < 9000; i++) {
		value = value * 6364136223846793005ull + 1442695040888963407ull;
		latency_record(&all, value >> (24 + i % 40));
		latency_record(&part, value >> (24 + i % 40));
		if (i % 2500 == 2499) {
			latency_merge(&merged, &part);
			memset(&part, 0, sizeof(part));
		}
	}
	latency_merge(&merged, &part);
	assert_memory_equal(&merged, &all, sizeof(all));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(buckets_follow_each_other_without_a_gap, clear),
		cmocka_unit_test_setup(nothing_recorded_is_nothing, clear),
		cmocka_unit_test_setup(extremes, clear),
		cmocka_unit_test_setup(percentiles_of_known_values, clear),
		cmocka_unit_test_setup(percentiles_are_near_the_sorted_values, clear),
		cmocka_unit_test_setup(merging_is_recording_all, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
