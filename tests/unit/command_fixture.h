/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs "blitbench ..." within a test and keeps what it prints. */
#ifndef BLITBENCH_TESTS_COMMAND_FIXTURE_H
#define BLITBENCH_TESTS_COMMAND_FIXTURE_H

#include "workload_fixture.h"

#include "cli/command.h"

/* argv begins with the name of the program. */
static int run_command(const char *stdout_path, int argc, const char **argv)
{
	int kept_in = dup(STDIN_FILENO), kept_out = dup(STDOUT_FILENO);
	int kept_err = dup(STDERR_FILENO), in, out, err, status;

	/* Another user's may be left there. */
	unlink(in_top("out"));
	unlink(in_top("err"));
	in = open(in_top("in"), O_RDONLY | O_CLOEXEC);
	out = open(stdout_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	err = open(in_top("err"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(kept_out >= 0 && kept_err >= 0 && out >= 0 && err >= 0);
	fflush(NULL);
	if (in >= 0)
		dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(err, STDERR_FILENO);
	status = command_main(argc, (char **)argv);
	fflush(NULL);
	dup2(kept_in, STDIN_FILENO);
	dup2(kept_out, STDOUT_FILENO);
	dup2(kept_err, STDERR_FILENO);
	close(kept_in);
	close(kept_out);
	close(kept_err);
	close(out);
	close(err);
	if (in >= 0)
		close(in);
	return status;
}

/* Its standard input is the file "in" of the test's folder, where there is one; "out" and "err"
 * have what it printed. */
#define RUN(...) RUN_INTO(in_top("out"), __VA_ARGS__)

/* The same with another standard output. */
#define RUN_INTO(stdout_path, ...)                                                     \
	run_command(stdout_path,                                                       \
		    (int)ARRAY_LENGTH(((const char *[]){ "blitbench", __VA_ARGS__ })), \
		    (const char *[]){ "blitbench", __VA_ARGS__, NULL })

static void assert_printed_to(const char *name, const char *part)
{
	size_t size;
	_cleanup_free_ char *text = get_bytes(in_top(name), &size);

	if (!strstr(text, part))
		fail_msg("\"%s\" is not in what was printed: %s", part, text);
}

__attribute__((unused)) static void assert_printed(const char *part)
{
	assert_printed_to("out", part);
}

__attribute__((unused)) static void assert_complained(const char *part)
{
	assert_printed_to("err", part);
}

#endif
