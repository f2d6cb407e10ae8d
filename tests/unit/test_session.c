/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a session ends whose place cannot be entered, or left. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "run/session.h"
#include "workload/store.h"

#include <errno.h>
#include <string.h>

static int entered, left;

static int enter(const struct session_place *place, const struct session_request *request,
		 json_t *record)
{
	(void)place, (void)request, (void)record;
	return error_set(entered, "it could not be entered");
}

static int leave(const struct session_place *place, const struct session_request *request,
		 unsigned made, json_t *record)
{
	(void)place, (void)request, (void)record;
	assert_int_equal(made, 0);
	return left ? error_set(left, "it could not be left") : 0;
}

static int run_one(void)
{
	static const struct plan plan;
	struct cache_counters pinned = { 0 };
	const struct session_place place = { .enter = enter, .leave = leave, .pinned = &pinned };
	struct session_request request = {
		.plan = &plan,
		.fs = filesystem_find("ext4"),
		.fanout = fanout_find("3x2"),
		.name = "ext4",
	};

	assert_int_equal(journal_create(&request.journal, -1), 0);
	int result = session_run(&request, &place);
	const json_t *lines = journal_lines(request.journal),
		     *told = json_array_get(lines, json_array_size(lines) - 1);
	assert_string_equal(json_string_value(json_object_get(told, "status")), "failed");
	assert_non_null(strstr(error_text(), json_string_value(json_object_get(told, "reason"))));
	assert_non_null(strstr(error_text(), "it could not be entered"));
	assert_int_equal(strstr(error_text(), "; and then: it could not be left") != NULL,
			 left != 0);
	journal_close(request.journal);
	return result;
}

/* Nobody may write there any more, whatever it was that failed before. Who asks to stop stops
 * everything, too. */
static void a_place_that_could_not_be_let_go_counts_more_than_the_failure_before(void **state)
{
	static const struct {
		int entered, left, result;
	} cases[] = {
		{ -EIO, 0, -EIO },          { -EIO, -EUCLEAN, -EIO },   { -EIO, -EBUSY, -EBUSY },
		{ -EINTR, -EBUSY, -EINTR }, { -ESTALE, -EIO, -ESTALE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		entered = cases[i].entered;
		left = cases[i].left;
		assert_int_equal(run_one(), cases[i].result);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_place_that_could_not_be_let_go_counts_more_than_the_failure_before),
	};

	return cmocka_run_group_tests_name("session", tests, NULL, NULL);
}
