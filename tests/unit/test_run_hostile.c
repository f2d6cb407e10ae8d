/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blitbench run --directory where others work in the directory too, or where little is allowed: what is
 * theirs stays, and what it has made goes. */
#include "directory_fixture.h"

#include <sys/resource.h>
#include <sys/xattr.h>

/* --- what is somebody's --- */

static void what_a_killed_run_leaves_is_told(void **state)
{
	(void)state;
	assert_int_equal(run_shell("mkdir -p site/.moss/assets/v2 site/.moss/root site/usr"), 0);
	REFUSED(1, "if it was killed, remove .moss and usr there", "--directory", in_top("site"),
		workload_argument());
	/* That of moss itself is no such thing. */
	assert_int_equal(run_shell("mkdir site/.moss/db"), 0);
	REFUSED(1, "make a new directory", "--directory", in_top("site"), workload_argument());
	assert_int_equal(run_shell("rmdir site/.moss/db && touch site/mine"), 0);
	REFUSED(1, "make a new directory", "--directory", in_top("site"), workload_argument());
}

/* setgid and a default ACL would give the trees other modes than the engines do. */
static void what_a_directory_hands_down_changes_no_mode(void **state)
{
	static const unsigned char acl[] = {
		2, 0, 0, 0,                              /* version; then tag, permissions, id */
		1, 0, 7, 0, 0xff, 0xff, 0xff, 0xff,      /* user */
		4, 0, 7, 0, 0xff, 0xff, 0xff, 0xff,      /* group */
		0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,   /* others */
	};

	(void)state;
	assert_int_equal(chmod(in_top("site"), 02777), 0);
	if (setxattr(in_top("site"), "system.posix_acl_default", acl, sizeof(acl), 0))
		print_message("no default ACL here: %s\n", strerror(errno));
	assert_int_equal(RUN("run", "--directory", in_top("site"), workload_argument(), "trials=1",
			     "engines=moss-2025 moss-2025-parallel", "-o", in_top("out-folder")),
			 0);
	json_t *report = read_report();
	assert_trials(report, 4, false);
	json_decref(report);
	assert_empty(in_top("site"));
}

/* As ramfs, which knows of no blocks and no inodes. */
static void what_does_not_count_its_room_is_not_full(void **state)
{
	(void)state;
	if (mount("none", in_top("site"), "ramfs", 0, NULL)) {
		print_message("skipped: no ramfs can be mounted: %s\n", strerror(errno));
		skip();
	}
	int status = RUN("run", "--directory", in_top("site"), workload_argument(), "trials=1");
	assert_int_equal(umount(in_top("site")), 0);
	assert_int_equal(status, 0);
}

/* --- what a process may be denied --- */

static int status_of(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* A run in a child that has set a limit first; a hard limit of 0 is left as it is. */
static int run_limited(int what, rlim_t soft, rlim_t hard)
{
	fflush(NULL);
	pid_t child = fork();

	if (!child) {
		struct rlimit limit;

		getrlimit(what, &limit);
		limit.rlim_cur = soft;
		limit.rlim_max = hard ? hard : limit.rlim_max;
		if (setrlimit(what, &limit))
			_exit(99);
		_exit(RUN("run", "--directory", in_top("site"), workload_argument(), "trials=1",
			  "engines=moss-2025 moss-2025-parallel"));
	}
	return status_of(child);
}

static void put_deep_tree(unsigned levels)
{
	char text[8192] = "#mtree\n./usr/";

	for (unsigned i = 0; i < levels; i++)
		strcat(text, "d/");
	strcat(text, "a type=file mode=0644 size=9 inode=1\n");
	put_text("tree.mtree", text);
}

/* Verifying and removing go as deep as blitting does. */
static void deep_trees_need_no_descriptors_to_be_allowed_first(void **state)
{
	(void)state;
	put_deep_tree(300);
	assert_int_equal(run_limited(RLIMIT_NOFILE, 64, 0), 0);
	assert_empty(in_top("site"));
}

static void too_few_descriptors_leave_nothing(void **state)
{
	rlim_t step = getenv("BLITBENCH_THOROUGH") ? 1 : 3;

	(void)state;
	put_deep_tree(60);
	for (rlim_t limit = 24; limit < 64; limit += step) {
		assert_int_equal(run_limited(RLIMIT_NOFILE, limit, limit), 1);
		assert_empty(in_top("site"));
	}
	assert_printed("Too many open files");
}

static void too_large_files_leave_nothing(void **state)
{
	(void)state;
	/* For what is printed as well. */
	assert_int_equal(run_limited(RLIMIT_FSIZE, 4000, 0), 1);
	assert_printed("File too large");
	assert_empty(in_top("site"));
}

/* What would be printed goes to no file that is opened in the place of a closed stream. */
static void closed_streams_are_no_files(void **state)
{
	(void)state;
	for (unsigned closed = 1; closed < 8; closed++) {
		fflush(NULL);
		pid_t child = fork();

		if (!child) {
			const char *arguments[] = { "blitbench", "run", "--directory",
						    in_top("site"), workload_argument(), "trials=1",
						    "-o", in_top("out-folder"), NULL };

			for (int fd = 0; fd < 3; fd++)
				if (closed & 1u << fd)
					close(fd);
			_exit(command_main(8, (char **)arguments));
		}
		assert_int_equal(status_of(child), closed & 1u << STDOUT_FILENO ? 1 : 0);
		assert_int_equal(run_shell("! grep -v '^{.*}$' out-folder/journal.jsonl"), 0);
		json_t *report = read_report();
		assert_trials(report, 2, false);
		json_decref(report);
		assert_int_equal(tree_remove(AT_FDCWD, in_top("out-folder")), 0);
		assert_empty(in_top("site"));
	}
}

/* Directories that their owner can make and not open, not list, or not write to. */
static void what_a_user_cannot_open_is_removed(void **state)
{
	(void)state;
	for (unsigned mode = 0; mode <= 0700; mode += 0100) {
		char text[256];

		snprintf(text, sizeof(text),
			 "#mtree\n./usr/a/shut type=dir mode=%04o\n"
			 "./usr/a/shut/b type=file mode=0644 size=9 inode=1\n",
			 mode);
		put_text("tree.mtree", text);
		assert_int_equal(RUN_AS_NOBODY("run", "--directory", in_top("site"),
					       workload_argument(), "trials=1",
					       "engines=moss-2025 moss-2025-parallel"),
				 mode == 0700 ? 0 : 1);
		assert_empty(in_top("site"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		directory_test(what_a_killed_run_leaves_is_told),
		directory_test(what_a_directory_hands_down_changes_no_mode),
		directory_test(what_does_not_count_its_room_is_not_full),
		directory_test(deep_trees_need_no_descriptors_to_be_allowed_first),
		directory_test(too_few_descriptors_leave_nothing),
		directory_test(too_large_files_leave_nothing),
		directory_test(closed_streams_are_no_files),
		directory_test(what_a_user_cannot_open_is_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
