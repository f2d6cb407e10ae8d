/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for a quiet partition: what counts as quiet, and that time that has passed already counts. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"
#include "skipping_clock.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/tree.h"
#include "run/quiet.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static char top[64], stat_path[128];

static void put_counters(unsigned reads, unsigned writes, unsigned in_flight, unsigned discards)
{
	_cleanup_fclose_ FILE *file = fopen(stat_path, "we");

	assert_non_null(file);
	fprintf(file, "%u 0 0 0 %u 0 0 0 %u 0 0 %u 0 0 0 0 0\n", reads, writes, in_flight,
		discards);
}

static int make(void **state)
{
	(void)state;
	if (scratch_make(top, "quiet"))
		return -1;
	snprintf(stat_path, sizeof(stat_path), "%s/stat", top);
	put_counters(10, 20, 0, 30);
	return 0;
}

static int release(void **state)
{
	(void)state;
	return tree_remove(AT_FDCWD, top);
}

static void quiet_since_long_ago_need_not_wait(void **state)
{
	struct quiet quiet;
	bool reached = false;

	(void)state;
	assert_int_equal(quiet_begin(stat_path, &quiet), 0);
	quiet.since -= QUIET_SECONDS;
	unsigned before = sleeps;
	assert_int_equal(quiet_wait(stat_path, &quiet, NULL, "", &reached), 0);
	assert_true(reached);
	assert_int_equal(sleeps, before);
}

/* Whatever it was that happened since, the two seconds begin with it. */
static void any_movement_begins_the_wait_anew(void **state)
{
	static const unsigned moved[][3] = { { 11, 20, 30 }, { 10, 21, 30 }, { 10, 20, 31 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(moved); i++) {
		struct quiet quiet;
		bool reached = false;

		put_counters(10, 20, 0, 30);
		assert_int_equal(quiet_begin(stat_path, &quiet), 0);
		quiet.since -= 100;
		put_counters(moved[i][0], moved[i][1], 0, moved[i][2]);
		double start = clock_seconds();
		assert_int_equal(quiet_wait(stat_path, &quiet, NULL, "", &reached), 0);
		assert_true(reached);
		assert_true(clock_seconds() - start >= QUIET_SECONDS);
	}
}

static void counters_that_cannot_be_read_are_told(void **state)
{
	struct quiet quiet;
	bool reached;

	(void)state;
	assert_int_equal(quiet_begin(stat_path, &quiet), 0);
	assert_int_equal(unlink(stat_path), 0);
	assert_true(quiet_wait(stat_path, &quiet, NULL, "", &reached) < 0);
	assert_non_null(strstr(error_text(), stat_path));
	assert_true(quiet_begin(stat_path, &quiet) < 0);
}

static int stop(void *context, const char *phase, uint64_t done, uint64_t total)
{
	(void)context, (void)done, (void)total;
	assert_string_equal(phase, "hot install 1 of 3");
	return 1;
}

static void who_stops_need_not_wait(void **state)
{
	const struct progress stopping = { .update = stop };
	struct quiet quiet;
	bool reached;

	(void)state;
	assert_int_equal(quiet_begin(stat_path, &quiet), 0);
	assert_int_equal(quiet_wait(stat_path, &quiet, &stopping, "hot install 1 of 3", &reached),
			 -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(quiet_since_long_ago_need_not_wait, make, release),
		cmocka_unit_test_setup_teardown(any_movement_begins_the_wait_anew, make, release),
		cmocka_unit_test_setup_teardown(who_stops_need_not_wait, make, release),
		cmocka_unit_test_setup_teardown(counters_that_cannot_be_read_are_told, make,
						release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
