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

struct walked {
	uint64_t directories, names, name_bytes, most_names;
};

static void note_directory(void *context, uint64_t names, uint64_t name_bytes)
{
	struct walked *walked = context;

	walked->directories++;
	walked->names += names;
	walked->name_bytes += name_bytes;
	walked->most_names = names > walked->most_names ? names : walked->most_names;
}

/* Two share all directories, one shares two with them and one a single one; one is short. */
static void directories_are_foretold(void **state)
{
	struct content list[] = {
		{ .digest = "0123ff0000" }, { .digest = "abcdef0123456789" },
		{ .digest = "0123450000" }, { .digest = "012345678" },
		{ .digest = "01ff450000" }, { .digest = "0123450001" },
	};
	const struct contents contents = { .list = list, .count = ARRAY_LENGTH(list) };
	static const struct {
		const char *fanout;
		struct walked walked;
	} cases[] = {
		{ "3x2", { 1 + 2 + 3 + 4, 15, 2 * 9 + 4 * 10 + 16 + 9, 3 } },
		{ "2x2", { 1 + 2 + 3, 11, 2 * 5 + 4 * 10 + 16 + 9, 3 } },
		{ "1x2", { 1 + 2, 8, 2 * 2 + 4 * 10 + 16 + 9, 4 } },
		{ "flat", { 1, 6, 4 * 10 + 16 + 9, 6 } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct walked walked = { 0 };

		assert_int_equal(store_each_directory(fanout_find(cases[i].fanout), &contents,
						      note_directory, &walked),
				 0);
		assert_memory_equal(&walked, &cases[i].walked, sizeof(walked));
	}
}

static void an_empty_store_is_its_top(void **state)
{
	const struct contents none = { .count = 0 };
	struct walked walked = { 0 };

	(void)state;
	assert_int_equal(store_each_directory(fanout_find("3x2"), &none, note_directory, &walked),
			 0);
	assert_int_equal(walked.directories, 1);
	assert_int_equal(walked.names, 0);
}

static void the_last_asset_takes_its_directories_with_it(void **state)
{
	static const char first[STORE_PATH_BYTES] = "01/23/45/0123450000",
			  second[STORE_PATH_BYTES] = "01/23/ff/0123ff0000";

	if (make_top(state))
		fail_msg("no folder");
	mkdir(in_top("01"), 0755);
	mkdir(in_top("01/23"), 0755);
	mkdir(in_top("01/23/45"), 0755);
	mkdir(in_top("01/23/ff"), 0755);
	put_text(first, "");
	put_text(second, "");
	int fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(store_remove(fd, first), 0);
	assert_int_equal(access(in_top("01/23/45"), F_OK), -1);
	assert_int_equal(access(in_top(second), F_OK), 0);
	assert_int_equal(store_remove(fd, first), -ENOENT);
	assert_sentence("cannot remove asset 01/23/45/0123450000 from the store: No such file");
	assert_int_equal(access(in_top(second), F_OK), 0);
	assert_int_equal(store_remove(fd, second), 0);
	assert_int_equal(access(in_top("01"), F_OK), -1);
	assert_int_equal(access(top, F_OK), 0);
	close(fd);
	remove_top(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_follow_the_fan_out),
		cmocka_unit_test(paths_of_all_contents),
		cmocka_unit_test(directories_are_foretold),
		cmocka_unit_test(an_empty_store_is_its_top),
		cmocka_unit_test(the_last_asset_takes_its_directories_with_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
