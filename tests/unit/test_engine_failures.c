/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blits that fail in the middle, by every method: one sentence with the entry and the call, nothing
 * left open or running, and the next blit works. */
#include "engine_fixture.h"

static const char *wanted_words, *wanted_calls;
static int wanted_error;

static void tell_method(char words[128], const struct blit_method *method)
{
	snprintf(words, 128, "%s %s, %u threads", method->engine->name,
		 strategy_name(method->strategy), method->threads);
}

/* "usr/large/f0012: linkat failed: Too many links", the call being one of those. */
static void assert_failure_is_told(const char *method, int result)
{
	const char *call = strstr(error_text(), ": ");
	char name[64];

	if (result != wanted_error || strncmp(error_text(), "usr", 3) || !call ||
	    !strstr(error_text(), wanted_words) || strchr(error_text(), '\n') ||
	    sscanf(call + 2, "%63[^ ] failed:", name) != 1 || !strstr(wanted_calls, name))
		fail_msg("%s: %d, %s", method, result, error_text());
}

static void fails(const struct blit_method *method)
{
	struct transaction transaction;
	unsigned descriptors = descriptors_now(), threads = threads_now();
	uint64_t state = site.state;
	char words[128];

	tell_method(words, method);
	int result = transaction_run(&site, method, &workload.remove, &transaction);
	assert_failure_is_told(words, result);
	assert_true(isnan(transaction.seconds));
	assert_int_equal(descriptors_now(), descriptors);
	assert_int_equal(threads_now(), threads);
	/* The live tree is as it was, and staging empty. */
	assert_int_equal(site.state, state);
	assert_int_equal(faccessat(site.staging_fd, "usr", F_OK, 0), -1);
}

/* 2025 one, its parallel form two, 2026 with hard links two, primed one, handle two. */
enum { METHODS_THAT_LINK = 8 };

/* A site on the mounted filesystem, for so many files of so many contents: below "/f" puts each into a
 * directory of its own, "" all into ten. */
static void make_site_for(unsigned count, const char *below, unsigned contents)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("#mtree\n", out);
	for (unsigned i = 0; i < count; i++)
		fprintf(out, "./usr/d%u/e%05u%s type=file mode=0644 size=9 inode=%u\n", i % 10, i,
			below, 1 + i % contents);
	fclose(out);
	must_load(&workload, text, NULL);
	make_site(in_top("mounted"));
}

static void want_failure(int error, const char *words, const char *calls)
{
	wanted_error = error;
	wanted_words = words;
	wanted_calls = calls;
}

/* Gives an asset so many links more, beside the site. */
static void link_often(const char *asset_path, unsigned count)
{
	assert_int_equal(mkdirat(site.root_fd, "links", 0755), 0);
	_cleanup_close_ int links = openat(site.root_fd, "links", O_RDONLY | O_DIRECTORY);
	assert_true(links >= 0);
	for (unsigned i = 0; i < count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%x", i);
		assert_int_equal(linkat(site.store_fd, asset_path, links, name, 0), 0);
	}
}

/* One inode has at most 65000 links on ext4 (EXT4_LINK_MAX). */
static void too_many_links(void **state)
{
	enum { MOST_LINKS = 65000, LINKS = 500 };

	(void)state;
	mount_fresh("ext4", 64, "-q");
	make_site_for(LINKS, "", 1);
	link_often(site.asset_paths[0], MOST_LINKS - LINKS / 2);
	want_failure(-EMLINK, "Too many links", "linkat");
	assert_int_equal(each_method(fails), METHODS_THAT_LINK);
}

/* Directories need blocks, of which there are not enough; links need none of their own. */
static void a_full_filesystem(void **state)
{
	(void)state;
	mount_fresh("ext4", 16, "-q -b 4096");
	make_site_for(1000, "/f", 50);
	take_room(2);
	want_failure(-ENOSPC, "No space left on device", "mkdirat linkat");
	assert_int_equal(each_method(fails), METHODS_THAT_LINK);
	/* With room, all of it works. */
	assert_int_equal(unlink(in_top("mounted/taken")), 0);
	assert_int_equal(syncfs(site.root_fd), 0);
	struct blit_method method = { engine_find("moss-2026"), STRATEGY_HARDLINK, MANY_THREADS };
	struct transaction transaction;
	if (transaction_run(&site, &method, &workload.remove, &transaction))
		fail_msg("%s", error_text());
}

/* Inodes are what reflinks run out of. */
static void a_full_filesystem_with_reflinks(void **state)
{
	(void)state;
	mount_fresh("xfs", 320, "-q -m reflink=1");
	make_site_for(3500, "", 50);
	take_room(1);
	want_failure(-ENOSPC, "No space left on device", "mkdirat openat ioctl(FICLONE)");
	for (unsigned threads = 1; threads <= MANY_THREADS; threads += MANY_THREADS - 1) {
		struct blit_method method = { engine_find("moss-2026"), STRATEGY_REFLINK, threads };

		fails(&method);
	}
}

static void what_is_in_the_way(const struct blit_method *method)
{
	assert_int_equal(mkdirat(site.staging_fd, "usr", 0755), 0);
	fails(method);
}

static void load_few(void)
{
	must_load(&workload,
		  "#mtree\n"
		  "./usr/a/one type=file mode=0644 size=9 inode=1\n"
		  "./usr/b/two type=file mode=0644 size=9 inode=2\n",
		  NULL);
}

static void a_name_in_the_way(void **state)
{
	(void)state;
	load_few();
	make_site(in_top("site"));
	want_failure(-EEXIST, "usr: mkdirat failed: File exists", "mkdirat");
	assert_in_range(each_method(what_is_in_the_way), METHODS_THAT_LINK, 100);
}

/* An asset that has gone from the store. */
static void a_missing_asset(void **state)
{
	char away[STORE_PATH_BYTES + 8];
	const struct blit_method prepared = { engine_find("handle"), STRATEGY_HARDLINK, 1 };
	struct transaction transaction;

	(void)state;
	load_few();
	make_site(in_top("site"));
	if (transaction_run(&site, &prepared, &workload.remove, &transaction))
		fail_msg("%s", error_text());
	snprintf(away, sizeof(away), "%s.away", site.asset_paths[1]);
	assert_int_equal(renameat(site.store_fd, site.asset_paths[1], site.store_fd, away), 0);
	want_failure(-ENOENT, "No such file or directory", "linkat openat");
	for (unsigned threads = 1; threads <= MANY_THREADS; threads += MANY_THREADS - 1) {
		struct blit_method method = { engine_find("moss-2025-parallel"), STRATEGY_HARDLINK,
					      threads };

		fails(&method);
		assert_sentence("usr/b/two: linkat failed");
		method.engine = engine_find("moss-2026");
		fails(&method);
		assert_sentence("usr/b/two: openat failed");
	}
	/* Priming comes upon it before there is an entry. */
	struct blit_method primed = { engine_find("primed"), STRATEGY_HARDLINK, 1 };
	assert_int_equal(transaction_run(&site, &primed, &workload.remove, &transaction), -ENOENT);
	assert_sentence(site.asset_paths[1]);
	assert_sentence("fstatat failed: No such file or directory");
	/* By its handle it is still found. */
	site.prepared_for = prepared.engine;
	if (transaction_run(&site, &prepared, &workload.remove, &transaction))
		fail_msg("%s", error_text());
}

static void an_unplugged_disk(void **state)
{
	(void)state;
	mount_fresh("ext4", 64, "-q");
	load_few();
	make_site(in_top("mounted"));
	struct blit_method method = { engine_find("moss-2026"), STRATEGY_HARDLINK, MANY_THREADS };
	struct transaction transaction;
	unsigned descriptors = descriptors_now(), threads = threads_now();
	assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction), 0);
	pull_the_plug();
	assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction), -EIO);
	assert_sentence("usr: mkdirat failed: Input/output error");
	assert_int_equal(descriptors_now(), descriptors);
	assert_int_equal(threads_now(), threads);
}

/* --- the handle engine's own --- */

static double figure(const struct transaction *transaction, const char *name)
{
	for (unsigned i = 0; i < transaction->figure_count; i++)
		if (!strcmp(transaction->figures[i].name, name))
			return transaction->figures[i].value;
	fail_msg("there is no figure %s", name);
	return NAN;
}

static void a_stale_handle_gives_way_to_the_path(void **state)
{
	struct blit_method method = { engine_find("handle"), STRATEGY_HARDLINK, MANY_THREADS };
	struct transaction transaction;
	struct stat status;
	char *text = NULL;

	(void)state;
	mount_fresh("ext4", 64, "-q");
	load_few();
	make_site(in_top("mounted"));
	assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction), 0);
	assert_true(figure(&transaction, "stale") == 0);
	assert_true(figure(&transaction, "table_bytes") > 2 * sizeof(uint64_t));
	/* Another inode in the place of the first asset, of the same content. */
	const char *path = site.asset_paths[0];
	assert_int_equal(unlinkat(site.store_fd, path, 0), 0);
	_cleanup_close_ int fd = openat(site.store_fd, path, O_CREAT | O_EXCL | O_WRONLY, 0644);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "123456789", 9), 9);
	/* The old inode lives on in the tree; once that has gone, its handle leads nowhere. */
	assert_int_equal(tree_remove(site.root_fd, "usr"), 0);
	site.state = 0;
	site.oldest_state = 1;
	assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction), 0);
	assert_true(figure(&transaction, "stale") == 1);
	assert_int_equal(fstat(fd, &status), 0);
	assert_int_equal(status.st_nlink, 2);
	free(text);
}

static void a_damaged_table_is_told(void **state)
{
	struct blit_method method = { engine_find("handle"), STRATEGY_HARDLINK, 1 };
	struct transaction transaction;
	unsigned descriptors;

	(void)state;
	load_few();
	make_site(in_top("site"));
	assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction), 0);
	descriptors = descriptors_now();
	for (unsigned i = 0; i < 3; i++) {
		if (i == 0) /* too short */
			assert_int_equal(truncate(in_top("site/.moss/handles"), 30), 0);
		if (i == 1)
			assert_int_equal(truncate(in_top("site/.moss/handles"), 0), 0);
		if (i == 2) /* of other assets */
			put_text("site/.moss/handles", "handles1\1\0\0\0");
		assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction),
				 -EINVAL);
		assert_sentence(".moss/handles is not one of 2 assets");
		assert_int_equal(faccessat(site.staging_fd, "usr", F_OK, 0), -1);
	}
	assert_int_equal(unlink(in_top("site/.moss/handles")), 0);
	assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction), -ENOENT);
	assert_sentence(".moss/handles: open: No such file");
	assert_int_equal(descriptors_now(), descriptors);
	/* It is made anew when the store has changed. */
	assert_int_equal(site_learn_assets(&site), 0);
	assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction), 0);
}

#define failure_test(name) \
	cmocka_unit_test_setup_teardown(name, make_engine_test, remove_engine_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		failure_test(too_many_links),
		failure_test(a_full_filesystem),
		failure_test(a_full_filesystem_with_reflinks),
		failure_test(a_name_in_the_way),
		failure_test(a_missing_asset),
		failure_test(an_unplugged_disk),
		failure_test(a_stale_handle_gives_way_to_the_path),
		failure_test(a_damaged_table_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
