/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directories that f2fs reads inodes ahead by, on whatever filesystem the tests have. */
#include "engine_fixture.h"

#include "blit/inode_lists.h"

#include <signal.h>
#include <sys/resource.h>

enum { ASSETS = 300, PER_LIST = 128, LISTS = 3 };

static struct handles handles;

static int make(void **state)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (make_engine_test(state))
		return -1;
	for (unsigned i = 1; i <= ASSETS; i++)
		fprintf(out, "./usr/%u type=file size=%u inode=%u\n", i, i, i);
	fclose(out);
	must_load(&workload, text, NULL);
	make_site(in_top("site"));
	/* What handles_load and handles_sort would give, from inode numbers alone. */
	handles = (struct handles){ .count = ASSETS };
	handles.places = calloc(ASSETS, sizeof(*handles.places));
	handles.order = handles.places;
	for (uint32_t i = 0; i < ASSETS; i++) {
		uint32_t place = i;

		for (; place && handles.order[place - 1].inode > site.asset_inodes[i]; place--)
			handles.order[place] = handles.order[place - 1];
		handles.order[place] =
			(struct inode_order){ .inode = site.asset_inodes[i], .asset = i };
	}
	return 0;
}

static int release(void **state)
{
	handles_free(&handles);
	return remove_engine_test(state);
}

static int make_lists(void)
{
	return inode_lists_make(site.store_fd, (const char(*)[STORE_PATH_BYTES])site.asset_paths,
				&handles);
}

/* Each asset once, in the order of inodes. */
static void assert_lists_are_right(void)
{
	unsigned found = 0;

	for (unsigned place = 0; place < ASSETS; place++) {
		char path[64];
		struct stat status;

		snprintf(path, sizeof(path), ".moss/inode-lists/%x/%x", place / PER_LIST,
			 handles.order[place].asset);
		assert_int_equal(fstatat(site.root_fd, path, &status, AT_SYMLINK_NOFOLLOW), 0);
		assert_int_equal(status.st_ino, handles.order[place].inode);
		assert_int_equal(status.st_nlink, 2);
	}
	for (unsigned list = 0; list < LISTS; list++) {
		char path[64];

		snprintf(path, sizeof(path), "site/.moss/inode-lists/%x", list);
		found += count_names_in(in_top(path)) - 2;
	}
	assert_int_equal(found, ASSETS);
	assert_int_equal(count_names_in(in_top("site/.moss/inode-lists")) - 2, LISTS);
}

static void every_asset_is_listed_once_in_inode_order(void **state)
{
	(void)state;
	assert_int_equal(make_lists(), 0);
	assert_lists_are_right();
	/* And again, in place of the first ones. */
	assert_int_equal(make_lists(), 0);
	assert_lists_are_right();
}

static void all_lists_are_read_by_any_number_of_threads(void **state)
{
	unsigned descriptors = descriptors_now();

	(void)state;
	assert_int_equal(make_lists(), 0);
	for (unsigned threads = 1; threads <= MANY_THREADS; threads += MANY_THREADS - 1) {
		struct crew *crew;

		assert_int_equal(crew_start(&crew, threads), 0);
		assert_int_equal(inode_lists_read(site.store_fd, ASSETS, crew), LISTS);
		crew_end(&crew);
	}
	assert_int_equal(descriptors_now(), descriptors);
}

/* They only save time. */
static void lists_that_are_not_there_are_left_out(void **state)
{
	struct crew *crew;

	(void)state;
	assert_int_equal(crew_start(&crew, 2), 0);
	assert_int_equal(inode_lists_read(site.store_fd, ASSETS, crew), 0);
	assert_int_equal(make_lists(), 0);
	assert_int_equal(tree_remove(site.root_fd, ".moss/inode-lists/1"), 0);
	assert_int_equal(inode_lists_read(site.store_fd, ASSETS, crew), LISTS - 1);
	crew_end(&crew);
}

static void an_asset_that_is_not_there_is_told(void **state)
{
	(void)state;
	assert_int_equal(unlinkat(site.store_fd, site.asset_paths[handles.order[PER_LIST].asset], 0),
			 0);
	assert_int_equal(make_lists(), -ENOENT);
	assert_non_null(strstr(error_text(), ".moss/inode-lists/1: link"));
}

/* At whichever of its writes: the buffer's, or the last one. */
static void a_table_that_cannot_be_written_is_told(void **state)
{
	struct rlimit limit, old;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	for (unsigned bytes = 0; bytes < ASSETS * 16; bytes += 700) {
		limit = (struct rlimit){ .rlim_cur = bytes, .rlim_max = old.rlim_max };
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		int result = handles_save(site.store_fd,
					  (const char(*)[STORE_PATH_BYTES])site.asset_paths, ASSETS);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(result, -EFBIG);
		assert_non_null(strstr(error_text(), "write"));
	}
	signal(SIGXFSZ, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_asset_is_listed_once_in_inode_order, make,
						release),
		cmocka_unit_test_setup_teardown(all_lists_are_read_by_any_number_of_threads, make,
						release),
		cmocka_unit_test_setup_teardown(lists_that_are_not_there_are_left_out, make,
						release),
		cmocka_unit_test_setup_teardown(an_asset_that_is_not_there_is_told, make, release),
		cmocka_unit_test_setup_teardown(a_table_that_cannot_be_written_is_told, make,
						release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
