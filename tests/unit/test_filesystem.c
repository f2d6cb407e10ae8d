/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filesystems: the table, and each row's tools on a loop device. A tool, a right or a
 * filesystem that this machine lacks skips a test and says so.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "child_fixture.h"
#include "scratch.h"

#include "fs/filesystem.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "lib/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <xxhash.h>

static const char *const names[] = { "ext4", "xfs", "xfs-parent", "f2fs", "btrfs" };

/* A sparse file on a loop device, and a mountpoint. */
static struct {
	char top[64], image[128], mountpoint[128], node[32];
	int loop_fd;
	bool mounted;
} scratch;

static void the_table_is_complete(void **state)
{
	(void)state;
	assert_string_equal(filesystem_names(), "ext4, xfs, xfs-parent, f2fs, btrfs");
	assert_null(filesystem_find("zfs"));
	assert_null(filesystem_find(""));
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		const struct filesystem *fs = filesystem_find(names[i]);

		assert_non_null(fs);
		assert_string_equal(fs->name, names[i]);
		/* "xfs", or "xfs-parent" of a variant: what the report says of it names it. */
		assert_memory_equal(fs->name, fs->type, strlen(fs->type));
		if (fs->name[strlen(fs->type)])
			assert_string_equal(fs->name + strlen(fs->type) + 1, fs->variant);
		else
			assert_string_equal(fs->variant, "default");
		assert_int_equal(fs->make[0][0], '/');
		assert_int_equal(fs->check[0][0], '/');
		assert_non_null(strstr(fs->mount_options, "nodiscard"));
		assert_true(fs->minimum_bytes >= 1ULL << 30);
		bool labelled = false;
		for (size_t k = 0; fs->make[k]; k++)
			labelled |= !strcmp(fs->make[k], FILESYSTEM_LABEL);
		assert_true(labelled);
	}
}

static void exit_statuses_are_judged(void **state)
{
	static const struct {
		const char *name;
		int exit_status, verdict;
	} cases[] = {
		{ "ext4", 0, 0 },    { "ext4", 1, 1 },	       { "ext4", 4, 1 },
		{ "ext4", 12, 1 },   { "ext4", 8, -1 },	       { "ext4", 16, -1 },
		{ "ext4", 127, -1 }, { "ext4", 128 + 9, -1 },  { "ext4", 128 + 11, -1 },
		{ "xfs", 0, 0 },     { "xfs", 1, 1 },	       { "xfs", 2, -1 },
		{ "xfs", 127, -1 },  { "xfs", 128 + 6, -1 },   { "f2fs", 0, 0 },
		{ "f2fs", 1, 1 },    { "f2fs", 4, 1 },	       { "f2fs", 8, -1 },
		{ "f2fs", 255, 1 },  { "f2fs", 128 + 11, -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
		assert_int_equal(filesystem_find(cases[i].name)->check_status(cases[i].exit_status),
				 cases[i].verdict);
}

/* Why there is no loop device; NULL where there is one now. */
static const char *attach_loop(void)
{
	_cleanup_close_ int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	_cleanup_close_ int image = open(scratch.image, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (image < 0 || ftruncate(image, 1 << 30))
		return "no room for a sparse file of 1 GiB";
	if (control < 0)
		return "no loop devices here";
	/* Another process may take the free one first. */
	for (int attempt = 0; attempt < 20; attempt++) {
		int number = ioctl(control, LOOP_CTL_GET_FREE);

		if (number < 0)
			return "no loop device is free";
		snprintf(scratch.node, sizeof(scratch.node), "/dev/loop%d", number);
		scratch.loop_fd = open(scratch.node, O_RDWR | O_CLOEXEC);
		if (scratch.loop_fd < 0)
			return "a loop device cannot be opened";
		if (!ioctl(scratch.loop_fd, LOOP_SET_FD, image)) {
			struct loop_info64 info = { .lo_flags = LO_FLAGS_AUTOCLEAR };

			ioctl(scratch.loop_fd, LOOP_SET_STATUS64, &info);
			return NULL;
		}
		close(scratch.loop_fd);
		scratch.loop_fd = -1;
	}
	return "no loop device could be had";
}

static int make_scratch(void **state)
{
	(void)state;
	scratch.loop_fd = -1;
	scratch.mounted = false;
	if (scratch_make(scratch.top, "fs"))
		return -1;
	snprintf(scratch.image, sizeof(scratch.image), "%s/image", scratch.top);
	snprintf(scratch.mountpoint, sizeof(scratch.mountpoint), "%s/mounted", scratch.top);
	return mkdir(scratch.mountpoint, 0755);
}

/* Also after a test that failed half-way. */
static int remove_scratch(void **state)
{
	(void)state;
	if (scratch.mounted)
		umount2(scratch.mountpoint, 0);
	if (scratch.loop_fd >= 0)
		close(scratch.loop_fd);
	return tree_remove(AT_FDCWD, scratch.top);
}

/* cmocka's skip() returns by longjmp; the reason goes where the runner shows it. */
#define SKIP(...)                                       \
	do {                                            \
		print_message("skipped: " __VA_ARGS__); \
		print_message("\n");                    \
		skip();                                 \
	} while (0)

/* A variant may ask for more than this machine's tool knows: the image brings its own. */
static void must_make(const struct filesystem *fs)
{
	struct child_result made;

	if (!filesystem_make(fs, scratch.node, &made))
		return;
	if (strcmp(fs->variant, "default") && strstr(made.output, "unknown option"))
		SKIP("%s: its tools are too old", fs->name);
	fail_msg("%s", error_text());
}

static const struct filesystem *fresh(const char *name)
{
	const struct filesystem *fs = filesystem_find(name);

	if (geteuid())
		SKIP("%s: only root has loop devices", name);
	if (access(fs->make[0], X_OK) || access(fs->check[0], X_OK))
		SKIP("%s: its tools are not installed", name);
	const char *why = attach_loop();
	if (why)
		SKIP("%s: %s", name, why);
	must_make(fs);
	return fs;
}

static void mount_fresh(const struct filesystem *fs)
{
	_cleanup_free_ char *known = sysfs_slurp("", "/proc/filesystems");
	char line[32];

	snprintf(line, sizeof(line), "\t%s\n", fs->type);
	bool in_kernel = known && strstr(known, line);
	/* skip() leaves by longjmp, and no cleanup runs. */
	free(take_pointer(known));
	if (!in_kernel)
		SKIP("%s: not in this machine's kernel", fs->name);
	if (filesystem_mount(fs, scratch.node, scratch.mountpoint))
		fail_msg("%s", error_text());
	scratch.mounted = true;
}

static void unmount(void)
{
	if (filesystem_unmount(scratch.mountpoint))
		fail_msg("%s", error_text());
	scratch.mounted = false;
}

static json_int_t integer(const json_t *object, const char *name)
{
	return json_integer_value(json_object_get(object, name));
}

static bool has_feature(const json_t *features, const char *name)
{
	json_t *one;
	size_t i;

	json_array_foreach(json_object_get(features, "features"), i, one)
		if (!strcmp(json_string_value(one), name))
			return true;
	return false;
}

static void assert_check(const struct filesystem *fs, const char *status)
{
	json_t *check;

	assert_int_equal(filesystem_check(fs, scratch.node, &check), 0);
	assert_string_equal(json_string_value(json_object_get(check, "status")), status);
	assert_int_equal(json_object_get(check, "output") != NULL, strcmp(status, "clean") != 0);
	assert_true(json_is_real(json_object_get(check, "seconds")));
	json_decref(check);
}

/* A digest of the whole image, whose holes read as zeros. */
static uint64_t sum_of_image(void)
{
	static unsigned char bytes[1 << 20];
	XXH3_state_t *state = XXH3_createState();
	_cleanup_close_ int fd = open(scratch.image, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	assert_true(state && fd >= 0);
	fsync(scratch.loop_fd);
	XXH3_64bits_reset(state);
	for (off_t at = 0; (at = lseek(fd, at, SEEK_DATA)) >= 0; at += got) {
		got = pread(fd, bytes, sizeof(bytes), at);
		assert_true(got > 0);
		XXH3_64bits_update(state, &at, sizeof(at));
		XXH3_64bits_update(state, bytes, (size_t)got);
	}
	uint64_t digest = XXH3_64bits_digest(state);
	XXH3_freeState(state);
	return digest;
}

/* Overwrites part of the device with 0xff. */
static void damage(off_t offset, size_t length)
{
	_cleanup_free_ char *bytes = malloc(length);

	memset(bytes, 0xff, length);
	assert_int_equal(pwrite(scratch.loop_fd, bytes, length, offset), length);
	assert_int_equal(fsync(scratch.loop_fd), 0);
}

/* Like the store and a tree: directories, files, a second link. */
static void put_files(void)
{
	char path[256], other[256];

	for (int i = 0; i < 50; i++) {
		snprintf(path, sizeof(path), "%s/%02x", scratch.mountpoint, i);
		assert_int_equal(mkdir(path, 0755), 0);
		snprintf(path, sizeof(path), "%s/%02x/asset", scratch.mountpoint, i);
		_cleanup_fclose_ FILE *file = fopen(path, "w");
		assert_non_null(file);
		fprintf(file, "content %d", i);
		snprintf(other, sizeof(other), "%s/link-%d", scratch.mountpoint, i);
		assert_int_equal(link(path, other), 0);
	}
}

static void assert_common(const struct filesystem *fs, const json_t *features)
{
	assert_null(json_object_get(features, "error"));
	assert_true(integer(features, "total_bytes") > 700 << 20);
	assert_true(integer(features, "total_bytes") <= 1 << 30);
	assert_true(integer(features, "free_bytes") > 0);
	assert_int_equal(integer(features, "block_bytes"), 4096);
	json_t *mounted = filesystem_mount_json(fs, scratch.mountpoint);
	assert_string_equal(json_string_value(json_object_get(mounted, "options")),
			    fs->mount_options);
	assert_non_null(strstr(json_string_value(json_object_get(mounted, "effective")), "rw"));
	json_decref(mounted);
}

/* mkfs, mount, features, use, unmount, check: what a session does. Returns the features. */
static json_t *session(const struct filesystem *fs)
{
	mount_fresh(fs);
	json_t *features = filesystem_features(fs, scratch.node, scratch.mountpoint);
	assert_common(fs, features);
	put_files();
	unmount();
	uint64_t before = sum_of_image();
	assert_check(fs, "clean");
	assert_true(sum_of_image() == before);
	return features;
}

static void ext4_is_made_described_and_checked(void **state)
{
	(void)state;
	json_t *features = session(fresh("ext4"));
	assert_int_equal(integer(features, "inode_bytes"), 256);
	assert_int_equal(integer(features, "inodes"), (1 << 30) / 16384);
	assert_int_equal(integer(features, "total_inodes"), integer(features, "inodes"));
	assert_true(integer(features, "log_bytes") >= 4 << 20 &&
		    integer(features, "log_bytes") < 1 << 30);
	assert_int_equal(integer(features, "flex_groups"), 16);
	assert_true(has_feature(features, "has_journal"));
	assert_true(has_feature(features, "extent"));
	assert_true(has_feature(features, "dir_index"));
	assert_true(has_feature(features, "metadata_csum"));
	assert_true(has_feature(features, "64bit"));
	assert_false(has_feature(features, "inline_data"));
	json_decref(features);
	/* The inode table of the first group: bg_inode_table_lo of the descriptor that follows the
	 * superblock's block. */
	uint32_t table;
	assert_int_equal(pread(scratch.loop_fd, &table, sizeof(table), 4096 + 8), sizeof(table));
	damage((off_t)table * 4096, 4096);
	assert_check(filesystem_find("ext4"), "errors");
}

static void xfs_is_made_described_and_checked(void **state)
{
	(void)state;
	json_t *features = session(fresh("xfs"));
	assert_int_equal(integer(features, "inode_bytes"), 512);
	assert_int_equal(integer(features, "agcount"), 4);
	assert_int_equal(integer(features, "ag_bytes"), 256 << 20);
	assert_int_equal(integer(features, "inode_max_percent"), 25);
	assert_true(integer(features, "log_bytes") >= 10 << 20 &&
		    integer(features, "log_bytes") < 1 << 30);
	assert_true(has_feature(features, "crc"));
	assert_true(has_feature(features, "ftype"));
	assert_true(has_feature(features, "finobt"));
	assert_false(has_feature(features, "ascii_ci"));
	json_decref(features);
	/* The headers of the second allocation group. */
	damage(256 << 20, 4096);
	assert_check(filesystem_find("xfs"), "errors");
}

static void xfs_parent_has_what_aerynos_asks_for(void **state)
{
	(void)state;
	json_t *features = session(fresh("xfs-parent"));
	assert_true(has_feature(features, "parent"));
	assert_true(has_feature(features, "exchange"));
	json_decref(features);
}

static void btrfs_is_made_described_and_checked(void **state)
{
	(void)state;
	json_t *features = session(fresh("btrfs"));
	assert_int_equal(integer(features, "node_bytes"), 16384);
	assert_int_equal(integer(features, "devices"), 1);
	assert_string_equal(json_string_value(json_object_get(features, "checksum")), "crc32c");
	assert_true(has_feature(features, "extended_iref"));
	assert_true(has_feature(features, "no_holes"));
	assert_true(has_feature(features, "free_space_tree"));
	assert_false(has_feature(features, "mixed_groups"));
	json_decref(features);
	/* Its trees lie somewhere behind the first superblock. */
	damage(1 << 20, 128 << 20);
	assert_check(filesystem_find("btrfs"), "errors");
}

static void f2fs_is_made_and_checked(void **state)
{
	(void)state;
	const struct filesystem *fs = fresh("f2fs");
	uint64_t before = sum_of_image();
	assert_check(fs, "clean");
	assert_true(sum_of_image() == before);
	/* The superblock alone can be described without this kernel knowing f2fs; the mountpoint is
	 * then no f2fs. */
	json_t *features = filesystem_features(fs, scratch.node, scratch.mountpoint);
	assert_null(json_object_get(features, "error"));
	assert_int_equal(integer(features, "block_bytes"), 4096);
	assert_int_equal(integer(features, "segment_bytes"), 2 << 20);
	assert_true(integer(features, "segments") > 400 && integer(features, "segments") < 512);
	assert_true(integer(features, "segments_main") < integer(features, "segments"));
	assert_int_equal(integer(features, "segments_per_section"), 1);
	/* mkfs.f2fs writes its own version into the superblock. */
	json_t *made = filesystem_make_json(fs, scratch.node);
	const char *format = json_string_value(json_object_get(features, "format"));
	assert_memory_equal(json_string_value(json_object_get(made, "version")), format,
			    strlen(format));
	json_decref(made);
	assert_int_equal(json_array_size(json_object_get(features, "features")), 0);
	json_decref(features);
	/* The start of the main area, with the root's node: main_blkaddr of the superblock, at
	 * 1024. */
	uint32_t main_block;
	assert_int_equal(pread(scratch.loop_fd, &main_block, sizeof(main_block), 1024 + 92),
			 sizeof(main_block));
	damage((off_t)main_block * 4096, 16 << 20);
	before = sum_of_image();
	assert_check(fs, "errors");
	assert_true(sum_of_image() == before);
}

static void f2fs_lives_through_a_session(void **state)
{
	(void)state;
	json_decref(session(fresh("f2fs")));
}

static void a_fresh_one_replaces_any_other(void **state)
{
	static const char *const order[] = { "ext4", "f2fs", "xfs",   "btrfs", "ext4",
					     "xfs",  "f2fs", "btrfs", "xfs",   "ext4" };

	(void)state;
	fresh("ext4");
	for (size_t i = 0; i < ARRAY_LENGTH(order); i++) {
		const struct filesystem *fs = filesystem_find(order[i]);

		if (access(fs->make[0], X_OK))
			SKIP("%s: its tools are not installed", fs->name);
		must_make(fs);
		assert_check(fs, "clean");
	}
}

static void the_making_is_told_with_the_tools_version(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		const struct filesystem *fs = filesystem_find(names[i]);

		if (access(fs->make[0], X_OK))
			SKIP("%s: its tools are not installed", names[i]);
		json_t *told = filesystem_make_json(fs, "/dev/target");
		const json_t *argv = json_object_get(told, "argv");
		size_t count = json_array_size(argv);
		assert_string_equal(json_string_value(json_array_get(argv, 0)), fs->make[0]);
		assert_string_equal(json_string_value(json_array_get(argv, count - 1)),
				    "/dev/target");
		const char *version = json_string_value(json_object_get(told, "version"));
		assert_non_null(version);
		assert_true(strspn(version, "0123456789.") >= 3);
		json_decref(told);
	}
}

static void what_is_no_filesystem_is_an_error_in_words(void **state)
{
	char path[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		const struct filesystem *fs = filesystem_find(names[i]);
		struct child_result made;

		assert_true(filesystem_mount(fs, "/nonexistent", scratch.mountpoint) < 0);
		assert_non_null(strstr(error_text(), "cannot mount /nonexistent as "));
		if (!access(fs->make[0], X_OK)) {
			assert_true(filesystem_make(fs, "/nonexistent/node", &made) < 0);
			assert_non_null(strstr(error_text(), fs->make[0]));
		}
		json_t *check;
		assert_int_equal(filesystem_check(fs, "/nonexistent/node", &check), 0);
		assert_string_equal(json_string_value(json_object_get(check, "status")), "not-run");
		assert_non_null(strstr(json_string_value(json_object_get(check, "output")),
				       "/nonexistent/node"));
		json_decref(check);

		/* A file of zeros, and one that is too short. */
		snprintf(path, sizeof(path), "%s/zeros", scratch.top);
		_cleanup_close_ int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		for (off_t length = 8192; length >= 0; length -= 8192) {
			assert_int_equal(ftruncate(fd, length), 0);
			json_t *features = filesystem_features(fs, path, scratch.top);
			assert_non_null(json_string_value(json_object_get(features, "error")));
			json_decref(features);
		}
	}
	assert_true(filesystem_unmount("/nonexistent") < 0);
	assert_non_null(strstr(error_text(), "cannot unmount /nonexistent: "));
}

/* As a check does that waits within the kernel for a disk which does not answer: whoever would format that disk
 * next is told. One that ends late is none such. */
static void a_check_that_cannot_be_ended_is_told(void **state)
{
	static const char *const stubborn[] = { "/bin/sh", "-c", "trap '' TERM; echo begun; while :; do sleep 1; done", NULL };
	static const struct {
		const char *waits;
		int result;
	} cases[] = { { "wsss", -EBUSY }, { "wss", 0 } };
	struct filesystem fs = *filesystem_find("ext4");

	(void)state;
	fs.check = stubborn;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		json_t *check;

		waits = cases[i].waits;
		assert_int_equal(filesystem_check(&fs, "/dev/null", &check), cases[i].result);
		assert_string_equal(waits, "");
		assert_string_equal(json_string_value(json_object_get(check, "status")), "not-run");
		assert_string_equal(json_string_value(json_object_get(check, "output")), "begun\n");
		json_decref(check);
	}
	while (wait(NULL) > 0)
		;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_scratch, remove_scratch)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_table_is_complete),
		TEST(exit_statuses_are_judged),
		TEST(ext4_is_made_described_and_checked),
		TEST(xfs_is_made_described_and_checked),
		TEST(xfs_parent_has_what_aerynos_asks_for),
		TEST(btrfs_is_made_described_and_checked),
		TEST(f2fs_is_made_and_checked),
		TEST(f2fs_lives_through_a_session),
		TEST(a_check_that_cannot_be_ended_is_told),
		TEST(a_fresh_one_replaces_any_other),
		TEST(the_making_is_told_with_the_tools_version),
		TEST(what_is_no_filesystem_is_an_error_in_words),
	};

	return cmocka_run_group_tests_name("filesystem", tests, NULL, NULL);
}
