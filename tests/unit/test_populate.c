/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filling a store: files and their contents, and what is said when it cannot be filled. */
#include "populate_fixture.h"

#include "workload/digest.h"
#include "workload/workers.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

/* Sizes around those where something changes: named by identity, by hash, written in one piece, in
 * several. */
static const char manifest[] =
	"./usr/a type=file size=1 inode=1\n./usr/b type=file size=15 inode=2\n"
	"./usr/c type=file size=16 inode=3\n./usr/d type=file size=4097 inode=4\n"
	"./usr/e type=file size=1048576 inode=5\n./usr/f type=file size=2500001 inode=6\n"
	"./usr/g type=file size=0\n./usr/h type=file size=16 inode=3\n";

static int make_store(void **state)
{
	if (make_top(state))
		return -1;
	put_text("manifest", manifest);
	return workload_load(&workload, "store", in_top("manifest"), NULL, SEED, NULL);
}

static int make_packages(void **state)
{
	return make_top(state) ? -1 : load_packages(20, 15, 5000);
}

static int remove_store(void **state)
{
	workload_free(&workload);
	return remove_top(state);
}

static int populate(int store_fd, const char *fanout, struct populate_result *result)
{
	const struct populate_request request = request_for(store_fd, fanout, 1);

	return store_populate(&request, result);
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
	snprintf(full, sizeof(full), "/proc/self/fd/%d/%s", store, path);
	bytes = get_bytes(full, &size);
	digest_print(digest, XXH3_128bits(bytes, size));
	if (content->size >= 16)
		assert_string_equal(digest, content->digest);
	free(bytes);
}

struct walked {
	uint64_t directories, names, name_bytes;
};

static void note_directory(void *context, uint64_t names, uint64_t name_bytes)
{
	struct walked *walked = context;

	walked->directories++;
	walked->names += names;
	walked->name_bytes += name_bytes;
}

/* What was foretold of the store's directories. */
static void assert_foretold(const struct fanout *fanout, uint64_t directories)
{
	struct walked walked = { 0 };
	uint64_t name_bytes = 2 * directories;

	assert_int_equal(store_each_directory(fanout, &workload.contents, note_directory, &walked),
			 0);
	assert_int_equal(walked.directories, directories + 1);
	assert_int_equal(walked.names, directories + workload.contents.count);
	for (uint32_t i = 0; i < workload.contents.count; i++)
		name_bytes += strlen(workload.contents.list[i].digest);
	assert_int_equal(walked.name_bytes, name_bytes);
}

static void fill_and_check(const char *fanout, unsigned writers, mode_t mask)
{
	_cleanup_close_ int store = open_store_in("v2");
	const struct populate_request request = request_for(store, fanout, writers);
	struct populate_result result;
	mode_t old_mask = umask(mask);
	unsigned descriptors = open_descriptors();
	int error = store_populate(&request, &result);

	umask(old_mask);
	if (error)
		fail_msg("%s", error_text());
	assert_int_equal(open_descriptors(), descriptors);
	count_found(in_top("v2"));
	assert_int_equal(result.assets, workload.contents.count);
	assert_int_equal(files_found, workload.contents.count);
	assert_int_equal(bytes_found, workload.contents.bytes);
	assert_int_equal(result.bytes, workload.contents.bytes);
	assert_int_equal(result.directories, directories_found);
	assert_foretold(request.fanout, directories_found);
	assert_false(part_found);
	assert_true(result.seconds > 0);
	for (uint32_t i = 0; i < workload.contents.count; i++)
		assert_asset(store, request.fanout, &workload.contents.list[i], 0666 & ~mask);
	assert_int_equal(tree_remove(AT_FDCWD, in_top("v2")), 0);
}

static void files_hash_to_their_names(void **state)
{
	(void)state;
	assert_int_equal(workload.contents.count, 6);
	fill_and_check("3x2", 1, 022);
	fill_and_check("2x2", 1, 077);
	fill_and_check("1x2", 1, 0);
	fill_and_check("flat", 1, 022);
}

/* The store that many writers fill is the one that one writer fills, with one package or with
 * more packages than writers. */
static void any_number_of_writers_fills_the_same_store(void **state)
{
	static const unsigned writers[] = { 2, POPULATE_MOSS_WRITERS, WORKERS_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(writers); i++) {
		fill_and_check("3x2", writers[i], 022);
		fill_and_check("1x2", writers[i], 022);
	}
}

/* A store that an interrupted run has begun is finished by the next one. */
static void filling_goes_on_from_what_is_there(void **state)
{
	const struct fanout *fanout = fanout_find("3x2");
	char path[STORE_PATH_BYTES], full[PATH_MAX];
	_cleanup_close_ int store = open_store_in("v2");
	struct populate_result result;

	(void)state;
	assert_int_equal(populate(store, "3x2", &result), 0);
	store_path(path, fanout, workload.contents.list[2].digest);
	snprintf(full, sizeof(full), "v2/%s.part", path);
	put_text(full, "a longer leftover than the content itself is");
	assert_int_equal(unlinkat(store, path, 0), 0);
	assert_int_equal(populate(store, "3x2", &result), 0);
	assert_int_equal(result.directories, 0);
	assert_asset(store, fanout, &workload.contents.list[2], 0644);
	count_found(in_top("v2"));
	assert_false(part_found);
	assert_int_equal(tree_remove(AT_FDCWD, in_top("v2")), 0);
}

/* --- what goes wrong --- */

static void a_file_in_place_of_a_directory(void **state)
{
	const char *digest = workload.contents.list[0].digest;
	_cleanup_close_ int store = open_store_in("v2");
	struct populate_result result;
	char name[16];

	(void)state;
	snprintf(name, sizeof(name), "v2/%.2s", digest);
	put_text(name, "");
	assert_int_equal(populate(store, "1x2", &result), -ENOTDIR);
	assert_sentence("the store cannot be filled: openat ");
	assert_sentence(digest);
	assert_sentence("Not a directory");
	assert_int_equal(unlink(in_top(name)), 0);
}

/* A symlink that somebody has put where the asset is written is not followed. */
static void a_symlink_in_place_of_a_part(void **state)
{
	const struct content *content = &workload.contents.list[0];
	_cleanup_close_ int store = open_store_in("v2");
	struct populate_result result;
	char part[64];
	size_t size;

	(void)state;
	put_text("precious", "kept");
	snprintf(part, sizeof(part), "%s.part", content->digest);
	assert_int_equal(symlinkat("../precious", store, part), 0);
	assert_int_equal(populate(store, "flat", &result), -ELOOP);
	assert_sentence("openat ");
	assert_sentence(part);
	_cleanup_free_ char *kept = get_bytes(in_top("precious"), &size);
	assert_string_equal(kept, "kept");
	assert_int_equal(tree_remove(AT_FDCWD, in_top("v2")), 0);
}

static void a_directory_that_cannot_be_written(void **state)
{
	_cleanup_close_ int proc = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct populate_result result;

	(void)state;
	assert_true(proc >= 0);
	assert_true(populate(proc, "3x2", &result) < 0);
	assert_sentence("the store cannot be filled: mkdirat ");
	assert_true(populate(proc, "flat", &result) < 0);
	assert_sentence("the store cannot be filled: openat ");
	assert_sentence(workload.contents.list[0].digest);
	assert_int_equal(result.assets, 0);
}

static void a_write_that_fails(void **state)
{
	const struct rlimit limit = { 100000, RLIM_INFINITY };
	_cleanup_close_ int store = open_store_in("v2");
	struct populate_result result;
	struct rlimit old;
	int error;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	error = populate(store, "flat", &result);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(error, -EFBIG);
	assert_sentence("write ");
	assert_sentence(workload.contents.list[4].digest);
	assert_int_equal(result.assets, 4);
	count_found(in_top("v2"));
	assert_int_equal(files_found, 4);
	assert_false(part_found);
	assert_int_equal(tree_remove(AT_FDCWD, in_top("v2")), 0);
}

/* The content of most bytes stands in one of many packages: its writer fails, and the others come
 * to an end with nothing left behind. */
static void one_writer_s_error_stops_all(void **state)
{
	const struct rlimit limit = { 4999, RLIM_INFINITY };
	_cleanup_close_ int store = open_store_in("v2");
	struct populate_request request = request_for(store, "3x2", 8);
	unsigned descriptors = open_descriptors();
	struct populate_result result;
	struct rlimit old;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	int error = store_populate(&request, &result);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(error, -EFBIG);
	assert_sentence("write ");
	assert_int_equal(open_descriptors(), descriptors);
	count_found(in_top("v2"));
	assert_int_equal(files_found, result.assets);
	assert_int_equal(bytes_found, result.bytes);
	assert_int_equal(directories_found, result.directories);
	assert_true(result.assets < workload.contents.count);
	assert_false(part_found);
	assert_int_equal(tree_remove(AT_FDCWD, in_top("v2")), 0);
}

/* --- progress --- */

static pthread_t caller;
static unsigned calls;

static int stop(void *context, const char *phase, uint64_t done, uint64_t total)
{
	const unsigned *goes_on = context;

	assert_true(pthread_equal(pthread_self(), caller));
	assert_string_equal(phase, "populate");
	assert_true(done <= total);
	return calls++ >= *goes_on;
}

static void filling_can_be_stopped(void **state)
{
	unsigned goes_on = 0;
	const struct progress progress = { .update = stop, .context = &goes_on };
	_cleanup_close_ int store = open_store_in("v2");
	struct populate_request request = request_for(store, "flat", 1);
	struct populate_result result;

	(void)state;
	caller = pthread_self();
	calls = 0;
	request.progress = &progress;
	assert_int_equal(store_populate(&request, &result), -EINTR);
	assert_sentence("stopped while the store was filled");
	assert_int_equal(result.assets, 0);
	assert_int_equal(tree_remove(AT_FDCWD, in_top("v2")), 0);
}

/* The contents are so large that nobody is done when the stop comes. */
static void a_stop_in_the_middle_leaves_no_part(void **state)
{
	unsigned goes_on = 1;
	const struct progress progress = { .update = stop, .context = &goes_on };
	_cleanup_close_ int store = open_store_in("v2");
	struct populate_request request = request_for(store, "flat", 4);
	struct content list[4];
	const struct contents contents = { .list = list, .count = ARRAY_LENGTH(list) };
	struct populate_result result;
	unsigned descriptors = open_descriptors();

	(void)state;
	caller = pthread_self();
	calls = 0;
	for (uint32_t i = 0; i < ARRAY_LENGTH(list); i++) {
		list[i] =
			(struct content){ .number = (uint64_t)i << 20, .size = UINT64_C(1) << 40 };
		snprintf(list[i].digest, sizeof(list[i].digest), "0123456789%u", i);
	}
	request.contents = &contents;
	request.progress = &progress;
	assert_int_equal(store_populate(&request, &result), -EINTR);
	assert_int_equal(calls, 2);
	assert_int_equal(result.assets, 0);
	assert_int_equal(open_descriptors(), descriptors);
	count_found(in_top("v2"));
	assert_int_equal(files_found, 0);
	assert_int_equal(tree_remove(AT_FDCWD, in_top("v2")), 0);
}

int main(void)
{
	const struct CMUnitTest of_a_few[] = {
		cmocka_unit_test(files_hash_to_their_names),
		cmocka_unit_test(filling_goes_on_from_what_is_there),
		cmocka_unit_test(a_file_in_place_of_a_directory),
		cmocka_unit_test(a_symlink_in_place_of_a_part),
		cmocka_unit_test(a_directory_that_cannot_be_written),
		cmocka_unit_test(a_write_that_fails),
		cmocka_unit_test(filling_can_be_stopped),
		cmocka_unit_test(a_stop_in_the_middle_leaves_no_part),
	};
	const struct CMUnitTest of_packages[] = {
		cmocka_unit_test(any_number_of_writers_fills_the_same_store),
		cmocka_unit_test(one_writer_s_error_stops_all),
	};
	int failed = cmocka_run_group_tests(of_a_few, make_store, remove_store);

	return failed + cmocka_run_group_tests(of_packages, make_packages, remove_store);
}
