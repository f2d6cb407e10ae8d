/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole comparisons of made-up runs: how often equals get a star, and how often a tenth is found.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare_fixture.h"
#include "random_fixture.h"

/* Twelve cells of six sessions. */
static json_t *resampled(const char *id, double factor, uint64_t *seed)
{
	static const char *const filesystems[] = { "ext4", "xfs", "f2fs" };
	json_t *report = artificial(id, "qemu-tcg", "d");

	for (unsigned i = 0; i < 12 * 6; i++)
		add_artificial(report, filesystems[i / 6 % 3], i / 18 % 2 ? "cold" : "hot",
			       i / 36 ? "install" : "remove", i % 6 + 1,
			       (1 + i / 6) * factor * skewed_noise(seed));
	return report;
}

static unsigned stars(void)
{
	const json_t *cell;
	unsigned count = 0;
	size_t index;

	assert_int_equal(json_array_size(field(the_one(), "cells")), 12);
	json_array_foreach(field(the_one(), "cells"), index, cell)
		count += json_is_true(field(cell, "star"));
	return count;
}

static uint64_t first_seed(void)
{
	const char *given = getenv("BLITBENCH_TEST_SEED");

	return given ? strtoull(given, NULL, 10) : 1;
}

/* So many comparisons, or where time does not matter three times as many. */
static unsigned times(unsigned count)
{
	const char *thorough = getenv("BLITBENCH_THOROUGH");

	return thorough && *thorough ? 3 * count : count;
}

/* The stars of a comparison between two samples, the second of which is so many times as slow. */
static unsigned stars_at(double factor, uint64_t *seed)
{
	json_t *base = resampled("a", 1, seed);

	assert_int_equal(compare(base, resampled("b", factor, seed), false), 0);
	unsigned count = stars();
	end_comparison();
	return count;
}

/* Of six sessions by six only those that do not overlap get a star: 12 times 2/924 of all, 2.6 %.
 */
static void equals_seldom_get_a_star(void **state)
{
	const unsigned pairs = times(80);
	uint64_t seed = first_seed();
	unsigned with_star = 0;

	(void)state;
	for (unsigned i = 0; i < pairs; i++)
		with_star += stars_at(1, &seed) > 0;
	print_message("%u of %u comparisons of equals have a star\n", with_star, pairs);
	assert_in_range(with_star, 0, pairs / 20);
}

static void a_tenth_is_found_in_most(void **state)
{
	const unsigned pairs = times(20);
	uint64_t seed = first_seed();
	unsigned found = 0;

	(void)state;
	for (unsigned i = 0; i < pairs; i++)
		found += stars_at(1.1, &seed);
	print_message("%u of %u cells that differ by a tenth have a star\n", found, pairs * 12);
	assert_in_range(found, pairs * 12 / 2 + 1, pairs * 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_seldom_get_a_star),
		cmocka_unit_test(a_tenth_is_found_in_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
