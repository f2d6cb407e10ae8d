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

/* Of six sessions by six only those that do not overlap get a star: 12 times 2/924 of all, 2.6 %.
 */
static void equals_seldom_get_a_star(void **state)
{
	enum { PAIRS = 200 };
	const char *given = getenv("BLITBENCH_TEST_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	unsigned with_star = 0;

	(void)state;
	for (unsigned i = 0; i < PAIRS; i++) {
		json_t *base = resampled("a", 1, &seed);

		assert_int_equal(compare(base, resampled("b", 1, &seed), false), 0);
		with_star += stars() > 0;
		end_comparison();
	}
	print_message("%u of %u comparisons of equals have a star\n", with_star, PAIRS);
	assert_in_range(with_star, 0, PAIRS / 20);
}

static void a_tenth_is_found_in_most(void **state)
{
	enum { PAIRS = 50 };
	const char *given = getenv("BLITBENCH_TEST_SEED");
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	unsigned found = 0;

	(void)state;
	for (unsigned i = 0; i < PAIRS; i++) {
		json_t *base = resampled("a", 1, &seed);

		assert_int_equal(compare(base, resampled("b", 1.1, &seed), false), 0);
		found += stars();
		end_comparison();
	}
	print_message("%u of %u cells that differ by a tenth have a star\n", found, PAIRS * 12);
	assert_in_range(found, PAIRS * 12 / 2 + 1, PAIRS * 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_seldom_get_a_star),
		cmocka_unit_test(a_tenth_is_found_in_most),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
