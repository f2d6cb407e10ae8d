/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where assets lie in a store. */
#include "workload_fixture.h"

#include "workload/store.h"

static void paths_follow_the_fan_out(void **state)
{
	static const char digest[] = "0123456789abcdef0123456789abcdef";
	static const struct {
		const char *fanout, *path;
	} expected[] = {
		{ "3x2", "01/23/45/0123456789abcdef0123456789abcdef" },
		{ "2x2", "01/23/0123456789abcdef0123456789abcdef" },
		{ "1x2", "01/0123456789abcdef0123456789abcdef" },
		{ "flat", "0123456789abcdef0123456789abcdef" },
	};
	char path[STORE_PATH_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(expected); i++) {
		const struct fanout *fanout = fanout_find(expected[i].fanout);

		assert_non_null(fanout);
		store_path(path, fanout, digest);
		assert_string_equal(path, expected[i].path);
		store_path(path, fanout, "0123456789");
		assert_string_equal(strrchr(path, '/') ? strrchr(path, '/') + 1 : path,
				    "0123456789");
		/* Fewer than ten characters: directly under the top. */
		store_path(path, fanout, "012345678");
		assert_string_equal(path, "012345678");
	}
	assert_null(fanout_find("4x2"));
	assert_null(fanout_find(""));
}

static void paths_of_all_contents(void **state)
{
	const struct fanout *fanout = fanout_find("2x2");
	struct workload workload;
	char path[STORE_PATH_BYTES];

	if (make_top(state))
		fail_msg("no folder");
	must_load(&workload,
		  "./usr/a type=file size=1 inode=1\n./usr/b type=file size=99 inode=2\n", NULL);
	char(*paths)[STORE_PATH_BYTES] = store_paths(fanout, &workload.contents);
	assert_non_null(paths);
	for (uint32_t i = 0; i < workload.contents.count; i++) {
		store_path(path, fanout, workload.contents.list[i].digest);
		assert_string_equal(paths[i], path);
	}
	free(paths);
	workload_free(&workload);
	remove_top(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_follow_the_fan_out),
		cmocka_unit_test(paths_of_all_contents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
