/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filling a store: paths, files and their contents, and what is said when it cannot be filled. */
#include "workload_fixture.h"

#include "workload/digest.h"
#include "workload/store.h"

#include <ftw.h>
#include <signal.h>
#include <sys/resource.h>

enum { SEED = 4 };

/* Sizes around those where something changes: named by identity, by hash, written in one piece, in
 * several. */
static const char manifest[] =
	"./usr/a type=file size=1 inode=1\n./usr/b type=file size=15 inode=2\n"
	"./usr/c type=file size=16 inode=3\n./usr/d type=file size=4097 inode=4\n"
	"./usr/e type=file size=1048576 inode=5\n./usr/f type=file size=2500001 inode=6\n"
	"./usr/g type=file size=0\n./usr/h type=file size=16 inode=3\n";

static struct workload workload;

static int make_store(void **state)
{
	if (make_top(state))
		return -1;
	put_text("manifest", manifest);
	if (mkdir(in_top("v2"), 0755))
		return -1;
	return workload_load(&workload, "store", in_top("manifest"), NULL, SEED, NULL);
}

static int remove_store(void **state)
{
	workload_free(&workload);
	return remove_top(state);
}

static int open_store(void)
{
	int fd = open(in_top("v2"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

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
	char(*paths)[STORE_PATH_BYTES] = store_paths(fanout, &workload.contents);
	char path[STORE_PATH_BYTES];

	(void)state;
	assert_non_null(paths);
	for (uint32_t i = 0; i < workload.contents.count; i++) {
		store_path(path, fanout, workload.contents.list[i].digest);
		assert_string_equal(paths[i], path);
	}
	free(paths);
}

/* --- a filled store --- */

static uint64_t files_found, directories_found;
static bool part_found;

static int note_found(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	files_found += type == FTW_F;
	directories_found += type == FTW_D && where->level;
	part_found = part_found || strstr(path, ".part");
	return 0;
}

static void count_found(void)
{
	files_found = directories_found = 0;
	part_found = false;
	assert_int_equal(nftw(in_top("v2"), note_found, 16, FTW_PHYS), 0);
}

static void assert_asset(int store, const struct fanout *fanout, const struct content *content,
			 mode_t mode)
{
	char path[STORE_PATH_BYTES], full[PATH_MAX], digest[DIGEST_TEXT_BYTES];
	struct stat status;
	size_t size;
	char *bytes;

	store_path(path, fanout, content->digest);
	assert_int_equal(fstatat(store, path, &status, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(status.st_mode, S_IFREG | mode);
	assert_int_equal(status.st_size, content->size);
	assert_int_equal(status.st_nlink, 1);
	snprintf(full, sizeof(full), "%s/%s", in_top("v2"), path);
	bytes = get_bytes(full, &size);
	digest_print(digest, XXH3_128bits(bytes, size));
	if (content->size >= 16)
		assert_string_equal(digest, content->digest);
	free(bytes);
}

static void fill_and_check(const char *fanout_name, mode_t mask)
{
	const struct fanout *fanout = fanout_find(fanout_name);
	_cleanup_close_ int store = open_store();
	mode_t old_mask = umask(mask);
	struct populate_result result;
	int error = store_populate(store, fanout, &workload.contents, SEED, NULL, &result);

	umask(old_mask);
	if (error)
		fail_msg("%s", error_text());
	count_found();
	assert_int_equal(workload.contents.count, 6);
	assert_int_equal(result.assets, 6);
	assert_int_equal(files_found, 6);
	assert_int_equal(result.bytes, workload.contents.bytes);
	assert_int_equal(result.directories, directories_found);
	assert_false(part_found);
	assert_true(result.seconds > 0);
	for (uint32_t i = 0; i < workload.contents.count; i++)
		assert_asset(store, fanout, &workload.contents.list[i], 0666 & ~mask);
	assert_int_equal(tree_remove(AT_FDCWD, in_top("v2")), 0);
	assert_int_equal(mkdir(in_top("v2"), 0755), 0);
}

static void files_hash_to_their_names(void **state)
{
	(void)state;
	fill_and_check("3x2", 022);
	fill_and_check("2x2", 077);
	fill_and_check("1x2", 0);
	fill_and_check("flat", 022);
}

/* A store that an interrupted run has begun is finished by the next one. */
static void filling_goes_on_from_what_is_there(void **state)
{
	const struct fanout *fanout = fanout_find("3x2");
	char path[STORE_PATH_BYTES], full[PATH_MAX];
	_cleanup_close_ int store = open_store();
	struct populate_result result;

	(void)state;
	assert_int_equal(store_populate(store, fanout, &workload.contents, SEED, NULL, &result), 0);
	store_path(path, fanout, workload.contents.list[2].digest);
	snprintf(full, sizeof(full), "v2/%s.part", path);
	put_text(full, "a longer leftover than the content itself is");
	assert_int_equal(unlinkat(store, path, 0), 0);
	assert_int_equal(store_populate(store, fanout, &workload.contents, SEED, NULL, &result), 0);
	assert_int_equal(result.directories, 0);
	assert_asset(store, fanout, &workload.contents.list[2], 0644);
	count_found();
	assert_false(part_found);
	assert_int_equal(tree_remove(AT_FDCWD, in_top("v2")), 0);
	assert_int_equal(mkdir(in_top("v2"), 0755), 0);
}

/* --- what goes wrong --- */

static void a_file_in_place_of_a_directory(void **state)
{
	const char *digest = workload.contents.list[0].digest;
	_cleanup_close_ int store = open_store();
	struct populate_result result;
	char name[16];

	(void)state;
	snprintf(name, sizeof(name), "v2/%.2s", digest);
	put_text(name, "");
	assert_int_equal(
		store_populate(store, fanout_find("1x2"), &workload.contents, SEED, NULL, &result),
		-ENOTDIR);
	assert_sentence("the store cannot be filled: openat ");
	assert_sentence(digest);
	assert_sentence("Not a directory");
	assert_int_equal(unlink(in_top(name)), 0);
}

static void a_directory_that_cannot_be_written(void **state)
{
	_cleanup_close_ int proc = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct populate_result result;

	(void)state;
	assert_true(proc >= 0);
	assert_true(store_populate(proc, fanout_find("3x2"), &workload.contents, SEED, NULL,
				   &result) < 0);
	assert_sentence("the store cannot be filled: mkdirat ");
	assert_true(store_populate(proc, fanout_find("flat"), &workload.contents, SEED, NULL,
				   &result) < 0);
	assert_sentence("the store cannot be filled: openat ");
	assert_sentence(workload.contents.list[0].digest);
	assert_int_equal(result.assets, 0);
}

static void a_write_that_fails(void **state)
{
	const struct rlimit limit = { 100000, RLIM_INFINITY };
	_cleanup_close_ int store = open_store();
	struct populate_result result;
	struct rlimit old;
	int error;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	error = store_populate(store, fanout_find("flat"), &workload.contents, SEED, NULL, &result);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(error, -EFBIG);
	assert_sentence("write ");
	assert_sentence(workload.contents.list[4].digest);
	assert_int_equal(result.assets, 4);
	count_found();
	assert_int_equal(files_found, 4);
	assert_false(part_found);
}

static int stop(void *context, const char *phase, uint64_t done, uint64_t total)
{
	(void)context;
	assert_string_equal(phase, "populate");
	assert_true(done <= total);
	return 1;
}

static void filling_can_be_stopped(void **state)
{
	const struct progress progress = { .update = stop };
	_cleanup_close_ int store = open_store();
	struct populate_result result;

	(void)state;
	assert_int_equal(store_populate(store, fanout_find("flat"), &workload.contents, SEED,
					&progress, &result),
			 -EINTR);
	assert_sentence("stopped while the store was filled");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_follow_the_fan_out),
		cmocka_unit_test(paths_of_all_contents),
		cmocka_unit_test(files_hash_to_their_names),
		cmocka_unit_test(filling_goes_on_from_what_is_there),
		cmocka_unit_test(a_file_in_place_of_a_directory),
		cmocka_unit_test(a_directory_that_cannot_be_written),
		cmocka_unit_test(a_write_that_fails),
		cmocka_unit_test(filling_can_be_stopped),
	};

	return cmocka_run_group_tests(tests, make_store, remove_store);
}
