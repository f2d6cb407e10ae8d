/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filling a store on real filesystems that are full, or fail. */
#include "populate_fixture.h"

#include "mounted_fixture.h"

/* Larger than what the filesystems below have room for. */
enum { PACKAGES = 24, CONTENTS = 20, LARGEST = 200000 };

static int make_workload(void **state)
{
	return make_top(state) ? -1 : load_packages(PACKAGES, CONTENTS, LARGEST);
}

static int remove_workload(void **state)
{
	workload_free(&workload);
	return remove_top(state);
}

static int unmount(void **state)
{
	(void)state;
	unmount_fresh();
	return 0;
}

/* What was made is there and counted, and nothing else. */
static void assert_left_clean(const struct populate_result *result, unsigned descriptors)
{
	assert_true(result->assets < workload.contents.count);
	assert_int_equal(open_descriptors(), descriptors);
	count_found(in_top("mounted/v2"));
	assert_int_equal(files_found, result->assets);
	assert_int_equal(bytes_found, result->bytes);
	assert_int_equal(directories_found, result->directories);
	assert_false(part_found);
}

static void fill_beyond_the_end(unsigned writers)
{
	_cleanup_close_ int store = open_store_in("mounted/v2");
	const struct populate_request request = request_for(store, "3x2", writers);
	unsigned descriptors = open_descriptors();
	struct populate_result result;

	assert_int_equal(store_populate(&request, &result), -ENOSPC);
	assert_sentence("the store is full: ");
	assert_sentence("No space left on device; use a larger target or a smaller workload");
	assert_left_clean(&result, descriptors);
	assert_int_equal(tree_remove(AT_FDCWD, in_top("mounted/v2")), 0);
}

static void a_full_ext4(void **state)
{
	(void)state;
	mount_fresh("ext4", 16, "-F -q -b 4096");
	fill_beyond_the_end(1);
	fill_beyond_the_end(8);
}

static void an_ext4_without_inodes(void **state)
{
	(void)state;
	mount_fresh("ext4", 256, "-F -q -b 4096 -N 300");
	fill_beyond_the_end(8);
}

static void a_full_xfs(void **state)
{
	(void)state;
	mount_fresh("xfs", 320, "-q");
	take_room(8);
	fill_beyond_the_end(1);
	fill_beyond_the_end(8);
}

/* --- a disk that fails in the middle --- */

static int break_it(void *context, const char *phase, uint64_t done, uint64_t total)
{
	bool *broken = context;

	(void)phase;
	(void)done;
	(void)total;
	if (!*broken)
		pull_the_plug();
	*broken = true;
	return 0;
}

static void fill_what_breaks(const char *fs, unsigned mebibytes, const char *options)
{
	bool broken = false;
	const struct progress progress = { .update = break_it, .context = &broken };

	mount_fresh(fs, mebibytes, options);
	_cleanup_close_ int store = open_store_in("mounted/v2");
	struct populate_request request = request_for(store, "3x2", 8);
	unsigned descriptors = open_descriptors();
	struct populate_result result;

	request.progress = &progress;
	assert_int_equal(store_populate(&request, &result), -EIO);
	assert_sentence("the store cannot be filled: ");
	assert_sentence("Input/output error");
	assert_int_equal(open_descriptors(), descriptors);
	assert_int_equal(result.assets, 0);
}

static void an_ext4_that_fails(void **state)
{
	(void)state;
	fill_what_breaks("ext4", 64, "-F -q -b 4096");
}

static void an_xfs_that_fails(void **state)
{
	(void)state;
	fill_what_breaks("xfs", 320, "-q");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_full_ext4, unmount),
		cmocka_unit_test_teardown(an_ext4_without_inodes, unmount),
		cmocka_unit_test_teardown(a_full_xfs, unmount),
		cmocka_unit_test_teardown(an_ext4_that_fails, unmount),
		cmocka_unit_test_teardown(an_xfs_that_fails, unmount),
	};

	return cmocka_run_group_tests(tests, make_workload, remove_workload);
}
