/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The shared floor: errors, children, sysfs, trees, JSON values. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "child_fixture.h"
#include "scratch.h"
#include "skipping_clock.h"

#include "lib/child.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/mounts.h"
#include "lib/sysfs.h"
#include "lib/tree.h"
#include "lib/values.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

static char top[64];

static int make_top(void **state)
{
	(void)state;
	return scratch_make(top, "lib");
}

static int remove_top(void **state)
{
	(void)state;
	return tree_remove(AT_FDCWD, top);
}

static void put(const char *path, const char *text)
{
	_cleanup_fclose_ FILE *file = fopen(path, "w");

	assert_non_null(file);
	fputs(text, file);
}

static const char *in_top(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	return path;
}

static void error_keeps_and_prefixes_its_sentence(void **state)
{
	(void)state;
	assert_int_equal(error_set(-ENOENT, "no %s", "disk"), -ENOENT);
	assert_string_equal(error_text(), "no disk");
	assert_int_equal(error_prefix(-EIO, "ext4"), -EIO);
	assert_string_equal(error_text(), "ext4: no disk");
	/* The old sentence may be an argument of the new one. */
	error_set(-EIO, "[%s]", error_text());
	assert_string_equal(error_text(), "[ext4: no disk]");
}

static void error_cuts_off_what_is_too_long(void **state)
{
	char huge[10000];

	(void)state;
	memset(huge, 'x', sizeof(huge) - 1);
	huge[sizeof(huge) - 1] = '\0';
	error_set(-EIO, "%s", huge);
	error_prefix(-EIO, "%s", huge);
	assert_int_equal(strlen(error_text()), 4095);
}

/* What /proc/vmstat holds when it is read the next times, and is as ever where that is NULL. */
static const char *memory_counters[2];

char *__real_sysfs_slurp(const char *root, const char *format, ...);
char *__wrap_sysfs_slurp(const char *root, const char *format, ...);

char *__wrap_sysfs_slurp(const char *root, const char *format, ...)
{
	const char *text = memory_counters[0];
	_cleanup_free_ char *path = NULL;
	va_list arguments;

	va_start(arguments, format);
	assert_true(vasprintf(&path, format, arguments) > 0);
	va_end(arguments);
	if (!text || strcmp(path, "/proc/vmstat"))
		return __real_sysfs_slurp(root, "%s", path);
	memory_counters[0] = memory_counters[1];
	return strdup(text);
}

static void child_output_and_status(void **state)
{
	const char *const good[] = { "/bin/sh", "-c", "echo out; echo err >&2", NULL };
	const char *const bad[] = { "/bin/sh", "-c", "echo why; exit 3", NULL };
	const char *const killed[] = { "/bin/sh", "-c", "kill -9 $$", NULL };
	const char *const missing[] = { "/nonexistent/mkfs", NULL };
	struct child_result result;

	(void)state;
	assert_int_equal(child_run(good, 10, &result), 0);
	assert_string_equal(result.output, "out\nerr\n");
	assert_int_equal(child_run(bad, 10, &result), -EIO);
	assert_int_equal(result.exit_status, 3);
	assert_non_null(strstr(error_text(), "why"));
	assert_int_equal(child_run(killed, 10, &result), -EIO);
	assert_int_equal(result.exit_status, 128 + 9);
	assert_non_null(strstr(error_text(), "signal 9 (Killed): "));
	assert_int_equal(child_run(missing, 10, &result), -ENOENT);
	assert_non_null(strstr(error_text(), "/nonexistent/mkfs"));
}

/* It is told by the kernel's own count, which is not always there. */
static void child_that_was_killed_for_want_of_memory_is_told(void **state)
{
	static const char *const counts[][2] = {
		{ "pgfault 1\noom_kill 4\n", "pgfault 1\noom_kill 5\n" },
		{ "pgfault 1\noom_kill 4\n", "pgfault 1\noom_kill 4\n" },
		{ "pgfault 1\n", "" },
	};
	const char *const killed[] = { "/bin/sh", "-c", "kill -9 $$", NULL };
	struct child_result result;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(counts); i++) {
		memory_counters[0] = counts[i][0];
		memory_counters[1] = counts[i][1];
		assert_int_equal(child_run(killed, 10, &result), -EIO);
		assert_int_equal(strstr(error_text(), "(Killed), as the machine has too little memory: ") != NULL, i == 0);
	}
	memory_counters[0] = NULL;
}

static void child_keeps_the_end_of_long_output(void **state)
{
	const char *const argv[] = { "/bin/sh", "-c", "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done", NULL };
	struct child_result result;

	(void)state;
	assert_int_equal(child_run(argv, 30, &result), 0);
	assert_true(strlen(result.output) <= sizeof(result.output) - 1);
	assert_non_null(strstr(result.output, "line 2999\n"));
	assert_null(strstr(result.output, "line 0\n"));
}

static void child_that_hangs_is_stopped(void **state)
{
	const char *const argv[] = { "/bin/sh", "-c", "echo begun; sleep 1000 & wait", NULL };
	struct child_result result;

	(void)state;
	waits = "wsw";
	assert_int_equal(child_run(argv, 100, &result), -ETIMEDOUT);
	assert_string_equal(waits, "");
	assert_true(result.timed_out);
	assert_string_equal(result.output, "begun\n");
	assert_int_equal(result.exit_status, 128 + SIGTERM);
}

/* A program that ignores TERM and one whose own child keeps the pipe open both get KILL. */
static void child_that_ignores_term_is_killed(void **state)
{
	const char *const argv[] = { "/bin/sh", "-c",
				     "trap '' TERM; echo begun; while :; do sleep 1; done", NULL };
	struct child_result result;

	(void)state;
	waits = "wss";
	assert_int_equal(child_run(argv, 100, &result), -ETIMEDOUT);
	assert_string_equal(waits, "");
	assert_int_equal(result.exit_status, 128 + SIGKILL);
}

/* As one does that waits within the kernel for a disk that does not answer. */
static void child_that_cannot_be_killed_is_given_up(void **state)
{
	const char *const argv[] = { "/bin/sh", "-c", "trap '' TERM; echo begun; while :; do sleep 1; done", NULL };
	struct child_result result;

	(void)state;
	waits = "wsss";
	assert_int_equal(child_run(argv, 100, &result), -EBUSY);
	assert_string_equal(waits, "");
	assert_true(result.timed_out);
	assert_string_equal(result.output, "begun\n");
	assert_non_null(strstr(error_text(), "cannot be killed"));
	assert_int_equal(wait(NULL) > 0, true);
}

/* It has nothing to read from long before it ends. */
static void child_that_closes_its_output_is_waited_for(void **state)
{
	const char *const argv[] = { "/bin/sh", "-c", "exec >&- 2>&-; sleep 1000", NULL };
	struct child_result result;

	(void)state;
	waits = "ws";
	assert_int_equal(child_run(argv, 100, &result), -ETIMEDOUT);
	assert_int_equal(result.exit_status, 128 + SIGTERM);
}

static unsigned times_told;

static void tell(void)
{
	times_told++;
}

static void whoever_wants_is_told_that_a_child_is_waited_for(void **state)
{
	const char *const argv[] = { "/bin/sh", "-c", "echo begun; sleep 1000", NULL };
	struct child_result result;

	(void)state;
	times_told = 0;
	child_while_waiting(tell);
	waits = "wssssssssss";
	assert_int_equal(child_run(argv, 5, &result), -ETIMEDOUT);
	child_while_waiting(NULL);
	assert_int_equal(times_told >= 6, true);
}

static void child_has_no_environment_and_no_descriptors(void **state)
{
	const char *const argv[] = { "/bin/sh", "-c", "test -z \"$HOME\" && test -z \"$USER\" && ls /proc/self/fd | wc -l", NULL };
	struct child_result result;

	(void)state;
	setenv("HOME", "/somewhere", 1);
	_cleanup_close_ int secret = open("/etc/passwd", O_RDONLY);
	assert_true(secret >= 0);
	assert_int_equal(child_run(argv, 10, &result), 0);
	/* stdin, stdout, stderr and the one that ls reads the folder with */
	assert_int_equal(atoi(result.output), 4);
}

static void sysfs_lines_and_numbers(void **state)
{
	char text[8];
	uint64_t value;

	(void)state;
	put(in_top("line"), "performance \n\n");
	assert_int_equal(sysfs_read(text, sizeof(text), top, "/%s", "line"), 0);
	assert_string_equal(text, "perform");
	put(in_top("hex"), "0x10\n");
	assert_int_equal(sysfs_read_u64(&value, top, "/hex"), 0);
	assert_int_equal(value, 16);
	static const char *const wrong[] = { "", "12x", "-1", "99999999999999999999999" };
	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		put(in_top("wrong"), wrong[i]);
		assert_int_equal(sysfs_read_u64(&value, top, "/wrong"), -EINVAL);
	}
	assert_int_equal(sysfs_read_u64(&value, top, "/none"), -ENOENT);
	assert_int_equal(sysfs_write("x", top, "/no/such"), -ENOENT);
	assert_non_null(strstr(error_text(), "/no/such"));
}

static void sysfs_slurps_whole_files(void **state)
{
	(void)state;
	_cleanup_fclose_ FILE *file = fopen(in_top("long"), "w");
	for (int i = 0; i < 10000; i++)
		fprintf(file, "%07d\n", i);
	fflush(file);
	_cleanup_free_ char *text = sysfs_slurp(top, "/long");
	assert_non_null(text);
	assert_int_equal(strlen(text), 80000);
	assert_string_equal(text + 79992, "0009999\n");
	assert_null(sysfs_slurp(top, "/none"));
	assert_int_equal(errno, ENOENT);
}

static void tree_goes_whole_and_symlinks_are_not_followed(void **state)
{
	struct stat status;

	(void)state;
	mkdir(in_top("keep"), 0755);
	put(in_top("keep/file"), "precious");
	mkdir(in_top("tree"), 0755);
	mkdir(in_top("tree/a"), 0700);
	put(in_top("tree/a/file"), "x");
	assert_int_equal(symlink("../keep", in_top("tree/link")), 0);
	_cleanup_close_ int parent = open(top, O_RDONLY | O_DIRECTORY);
	assert_int_equal(tree_remove(parent, "tree"), 0);
	assert_int_equal(stat(in_top("tree"), &status), -1);
	assert_int_equal(stat(in_top("keep/file"), &status), 0);
	assert_int_equal(tree_remove(parent, "tree"), -ENOENT);
	/* A symlink itself goes, what it points to stays. */
	assert_int_equal(symlink("keep", in_top("link")), 0);
	assert_int_equal(tree_remove(parent, "link"), 0);
	assert_int_equal(stat(in_top("keep/file"), &status), 0);
}

/* Whatever is mounted in a tree is somebody's. */
static void what_is_mounted_in_a_tree_stays(void **state)
{
	struct stat status;

	(void)state;
	mkdir(in_top("keep"), 0755);
	put(in_top("keep/file"), "precious");
	mkdir(in_top("tree"), 0755);
	mkdir(in_top("tree/a"), 0755);
	char keep[128];
	snprintf(keep, sizeof(keep), "%s/keep", top);
	if (mount(keep, in_top("tree/a"), NULL, MS_BIND, NULL)) {
		print_message("skipped: nothing can be mounted: %s\n", strerror(errno));
		skip();
	}
	_cleanup_close_ int parent = open(top, O_RDONLY | O_DIRECTORY);
	int result = tree_remove(parent, "tree"), kept = stat(in_top("keep/file"), &status);
	assert_int_equal(umount(in_top("tree/a")), 0);
	assert_int_equal(result, -EBUSY);
	assert_int_equal(kept, 0);
	assert_non_null(strstr(error_text(), "something is mounted there"));
	assert_int_equal(tree_remove(parent, "tree"), 0);
}

/* Both come to the end of it, whoever takes what. */
static void two_may_remove_one_tree(void **state)
{
	struct stat status;
	char name[64];
	int ended;

	(void)state;
	mkdir(in_top("tree"), 0755);
	for (unsigned i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "tree/%u", i);
		mkdir(in_top(name), 0755);
		snprintf(name, sizeof(name), "tree/%u/file", i);
		put(in_top(name), "");
	}
	_cleanup_close_ int parent = open(top, O_RDONLY | O_DIRECTORY);
	pid_t child = fork();
	int result = tree_clear(parent, "tree");
	if (!child)
		_exit(result ? 1 : 0);
	assert_int_equal(result, 0);
	assert_int_equal(stat(in_top("tree"), &status), -1);
	assert_int_equal(waitpid(child, &ended, 0), child);
	assert_int_equal(ended, 0);
}

static void json_text_is_always_legal(void **state)
{
	static const struct {
		const char *bytes, *expected;
	} cases[] = {
		{ "plain", "plain" },
		{ "\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xbe", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x92\xbe" },
		{ "bad\xff end", "bad\xef\xbf\xbd end" },
		{ "cut\xe2\x82", "cut\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		json_t *text = json_text(cases[i].bytes);

		assert_non_null(text);
		assert_string_equal(json_string_value(text), cases[i].expected);
		json_decref(text);
	}
	assert_true(json_is_null(json_text(NULL)));
	assert_true(json_is_null(json_measured(NAN)));
	assert_true(json_is_null(json_measured(INFINITY)));
}

static const char *const mount_lines[] = {
	"21 1 8:2 / / rw,relatime shared:1 - ext4 /dev/sda2 rw,errors=remount-ro",
	"35 21 8:17 /sub /mnt/with\\040blank ro,noatime master:1 propagate_from:2 - xfs /dev/sd\\134b1 "
	"rw,attr2,noquota",
	"36 21 0:40 / /mnt/plain rw - btrfs /dev/sdc rw",
	"cut off",
};

static unsigned mounts_seen;

static bool check_mount(void *context, const struct mounted *mounted)
{
	const unsigned *stop_at = context;

	switch (mounts_seen++) {
	case 0:
		assert_int_equal(mounted->id, 21);
		assert_int_equal(mounted->number, makedev(8, 2));
		assert_string_equal(mounted->where, "/");
		assert_string_equal(mounted->type, "ext4");
		assert_string_equal(mounted->source, "/dev/sda2");
		assert_string_equal(mounted->options, "rw,relatime,errors=remount-ro");
		break;
	case 1:
		assert_int_equal(mounted->number, makedev(8, 17));
		assert_string_equal(mounted->where, "/mnt/with blank");
		assert_string_equal(mounted->source, "/dev/sd\\b1");
		assert_string_equal(mounted->options, "ro,noatime,attr2,noquota");
		break;
	case 2:
		assert_string_equal(mounted->options, "rw");
		break;
	default:
		assert_int_equal(mounted->number, 0);
		assert_string_equal(mounted->where, "");
		assert_string_equal(mounted->type, "");
		assert_string_equal(mounted->options, "");
	}
	return mounts_seen == *stop_at;
}

static void mounts_are_told_one_by_one(void **state)
{
	unsigned all = 99, two = 2;

	(void)state;
	mounts_seen = 0;
	assert_int_equal(mounts_each(top, check_mount, &all), -ENOENT);
	assert_int_equal(mkdir(in_top("proc"), 0755), 0);
	assert_int_equal(mkdir(in_top("proc/self"), 0755), 0);
	_cleanup_fclose_ FILE *file = fopen(in_top("proc/self/mountinfo"), "w");
	assert_non_null(file);
	for (size_t i = 0; i < ARRAY_LENGTH(mount_lines); i++)
		fprintf(file, "%s\n", mount_lines[i]);
	fflush(file);
	assert_int_equal(mounts_each(top, check_mount, &all), 0);
	assert_int_equal(mounts_seen, ARRAY_LENGTH(mount_lines));
	mounts_seen = 0;
	assert_int_equal(mounts_each(top, check_mount, &two), 0);
	assert_int_equal(mounts_seen, 2);
}

static void names_of_a_directory_are_counted(void **state)
{
	char first[TREE_NAME_BYTES];

	(void)state;
	_cleanup_close_ int fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(tree_names(fd, first), 0);
	assert_string_equal(first, "");
	put(in_top("one"), "");
	for (int i = 0; i < 2; i++) { /* the descriptor's place does not matter */
		assert_int_equal(tree_names(fd, first), 1);
		assert_string_equal(first, "one");
	}
	put(in_top("two"), "");
	assert_int_equal(tree_names(fd, NULL), 2);
	assert_int_equal(tree_names(-1, first), -EBADF);
	_cleanup_close_ int file = open(in_top("one"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(tree_names(file, first), -ENOTDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(error_keeps_and_prefixes_its_sentence),
		cmocka_unit_test(error_cuts_off_what_is_too_long),
		cmocka_unit_test(child_output_and_status),
		cmocka_unit_test(child_that_was_killed_for_want_of_memory_is_told),
		cmocka_unit_test(child_keeps_the_end_of_long_output),
		cmocka_unit_test(child_that_hangs_is_stopped),
		cmocka_unit_test(child_that_ignores_term_is_killed),
		cmocka_unit_test(child_that_cannot_be_killed_is_given_up),
		cmocka_unit_test(child_that_closes_its_output_is_waited_for),
		cmocka_unit_test(whoever_wants_is_told_that_a_child_is_waited_for),
		cmocka_unit_test(child_has_no_environment_and_no_descriptors),
		cmocka_unit_test_setup_teardown(sysfs_lines_and_numbers, make_top, remove_top),
		cmocka_unit_test_setup_teardown(sysfs_slurps_whole_files, make_top, remove_top),
		cmocka_unit_test_setup_teardown(tree_goes_whole_and_symlinks_are_not_followed,
						make_top, remove_top),
		cmocka_unit_test_setup_teardown(what_is_mounted_in_a_tree_stays, make_top,
						remove_top),
		cmocka_unit_test_setup_teardown(two_may_remove_one_tree, make_top, remove_top),
		cmocka_unit_test(json_text_is_always_legal),
		cmocka_unit_test_setup_teardown(mounts_are_told_one_by_one, make_top, remove_top),
		cmocka_unit_test_setup_teardown(names_of_a_directory_are_counted, make_top,
						remove_top),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
