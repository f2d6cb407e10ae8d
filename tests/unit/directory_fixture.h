/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blitbench run --directory within a test: a directory, a small workload, an ordinary user. */
#ifndef BLITBENCH_TESTS_DIRECTORY_FIXTURE_H
#define BLITBENCH_TESTS_DIRECTORY_FIXTURE_H

#include "command_fixture.h"
#include "mounted_fixture.h"

#include <grp.h>
#include <jansson.h>
#include <sys/wait.h>

enum { NOBODY = 65534 };

static const char tree[] = "#mtree\n"
			   "./usr type=dir mode=0755\n"
			   "./usr/bin/a type=file mode=0755 size=5000 inode=1\n"
			   "./usr/bin/b type=file mode=0644 size=5000 inode=1\n"
			   "./usr/bin/c type=file mode=0644 size=20 inode=2\n"
			   "./usr/lib/empty type=file mode=0644 size=0\n"
			   "./usr/lib/link type=link link=../bin/a\n";

static const char delta[] = "#mtree\n"
			    "./usr/bin/nano type=file mode=0755 size=300 inode=3\n";

/* In memory, where no disk has to come to rest; anybody may work in it. */
__attribute__((unused)) static int set_up(void **state)
{
	(void)state;
	strcpy(top, "/dev/shm/blitbench-run-XXXXXX");
	if (!mkdtemp(top) || chmod(top, 0777))
		return -1;
	umask(0);
	put_text("tree.mtree", tree);
	put_text("tree.mtree-nano", delta);
	return mkdir(in_top("site"), 0777);
}

__attribute__((unused)) static int tear_down(void **state)
{
	umask(022);
	unmount_fresh();
	return remove_top(state);
}

__attribute__((unused)) static void assert_empty(const char *path)
{
	_cleanup_closedir_ DIR *directory = opendir(path);
	unsigned names = 0;

	assert_non_null(directory);
	while (readdir(directory))
		names++;
	assert_int_equal(names, 2);
}

__attribute__((unused)) static const char *workload_argument(void)
{
	static char argument[PATH_MAX + 16];

	snprintf(argument, sizeof(argument), "workload=%s", in_top("tree.mtree"));
	return argument;
}

__attribute__((unused)) static json_t *read_report(void)
{
	json_error_t error;
	json_t *report = json_load_file(in_top("out-folder/report.json"), 0, &error);

	if (!report)
		fail_msg("%s", error.text);
	return report;
}

__attribute__((unused)) static const char *text_at(const json_t *object, const char *key, const char *inner)
{
	const char *text = json_string_value(json_object_get(json_object_get(object, key), inner));

	return text ? text : "";
}

__attribute__((unused)) static bool is_unproven(const json_t *trial)
{
	const json_t *flag;
	size_t index;

	json_array_foreach(json_object_get(trial, "flags"), index, flag)
		if (!strcmp(json_string_value(json_object_get(flag, "name")), "unproven"))
			return true;
	return false;
}

/* Of each trial: verified, and whether anything was counted at a disk. */
__attribute__((unused)) static void assert_trials(const json_t *report, size_t wanted, bool counted)
{
	const json_t *trials = json_object_get(report, "trials"), *trial;
	size_t index;

	assert_int_equal(json_array_size(trials), wanted);
	json_array_foreach(trials, index, trial) {
		const json_t *io = json_object_get(trial, "io");

		assert_true(json_is_true(json_object_get(trial, "verified")));
		assert_int_equal(json_is_integer(json_object_get(io, "reads")), counted);
		assert_int_equal(is_unproven(trial), !counted);
	}
}

#define REFUSED(status, sentence, ...)                                                     \
	do {                                                                               \
		int given_ = RUN("run", __VA_ARGS__);                                      \
		assert_complained(sentence);                                               \
		assert_int_equal(given_, status);                                          \
	} while (0)

/* The command in a child that gives root up where there is something to give up. */
__attribute__((unused)) static int run_as_nobody(int argc, const char **argv)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (!child) {
		if (!geteuid() && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
				   setresuid(NOBODY, NOBODY, NOBODY)))
			_exit(99);
		_exit(run_command(in_top("out"), argc, argv));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define RUN_AS_NOBODY(...)                                                               \
	run_as_nobody((int)ARRAY_LENGTH(((const char *[]){ "blitbench", __VA_ARGS__ })), \
		      (const char *[]){ "blitbench", __VA_ARGS__, NULL })

#define directory_test(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
