/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guard.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* What is meant for the other process does not reach this one, and it keeps nothing of it open: a
 * reader of its output need not wait, a filesystem can be unmounted. musl 1.2.5 does not wrap
 * close_range. */
static void stand_apart(int fd)
{
	setsid();
	for (int signal = 1; signal < NSIG; signal++)
		if (signal != SIGCHLD)
			sigaction(signal, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	if (chdir("/"))
		_exit(1);
	dup2(fd, STDIN_FILENO);
	syscall(SYS_close_range, STDERR_FILENO + 1, UINT_MAX, 0);
	int nowhere = open("/dev/null", O_RDWR);
	dup2(nowhere, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
}

static void stand_guard(int fd, void (*clean_up)(void *context), void *context)
{
	ssize_t got;
	char word;

	stand_apart(fd);
	do
		got = read(STDIN_FILENO, &word, 1);
	while (got < 0 && errno == EINTR);
	/* The end of the pipe without a word is the end of who would have said it. */
	if (got == 0)
		clean_up(context);
	_exit(0);
}

int guard_start(struct guard *guard, void (*clean_up)(void *context), void *context)
{
	int ends[2];

	*guard = (struct guard){ .pid = 0, .fd = -1 };
	if (pipe2(ends, O_CLOEXEC))
		return error_set(-errno, "cannot make a pipe: %s", strerror(errno));
	pid_t pid = fork();
	if (!pid) {
		close(ends[1]);
		stand_guard(ends[0], clean_up, context);
	}
	int failed = pid < 0 ? errno : 0;
	close(ends[0]);
	if (failed) {
		close(ends[1]);
		return error_set(-failed, "cannot start a process: %s", strerror(failed));
	}
	*guard = (struct guard){ .pid = pid, .fd = ends[1] };
	return 0;
}

void guard_stop(struct guard *guard)
{
	if (!guard->pid)
		return;
	ssize_t told = write(guard->fd, "", 1);
	/* Who does not hear it sees the end of the pipe, and finds nothing left to put back. */
	(void)told;
	close(take_fd(&guard->fd));
	while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
		;
	guard->pid = 0;
}
