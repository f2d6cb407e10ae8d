/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/child.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { GRACE_SECONDS = 5, ALIVE_MILLISECONDS = 500 };

static void (*still_waiting)(void);

void child_while_waiting(void (*alive)(void))
{
	still_waiting = alive;
}

/* How long a child may go on: TERM, KILL, and then it is given up. */
struct patience {
	pid_t pid;
	double deadline;
	enum { PATIENT, TERMINATED, KILLED } stage;
};

static double patience_left(const struct patience *patience)
{
	return patience->deadline - clock_seconds();
}

/* The next of what can be done. */
static void patience_over(struct patience *patience)
{
	kill(-patience->pid, patience->stage++ == PATIENT ? SIGTERM : SIGKILL);
	patience->deadline = clock_seconds() + GRACE_SECONDS;
}

/* Only the end of a tool's output says why it failed, so the oldest text makes room for the newest.
 */
static void keep_tail(struct child_result *result, const char *bytes, size_t count)
{
	size_t used = strlen(result->output), room = sizeof(result->output) - 1;

	if (used + count > room) {
		size_t surplus = used + count - room;

		memmove(result->output, result->output + surplus, used - surplus);
		used -= surplus;
	}
	for (size_t i = 0; i < count; i++)
		result->output[used + i] = bytes[i] ? bytes[i] : ' ';
	result->output[used + count] = '\0';
}

static void exec_child(const char *const argv[], int output)
{
	static char *const environment[] = { "PATH=/sbin:/bin", "TERM=dumb", NULL };
	sigset_t none;
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	setpgid(0, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(null < 0 ? output : null, STDIN_FILENO);
	dup2(output, STDOUT_FILENO);
	dup2(output, STDERR_FILENO);
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0U,
		0); /* whatever it was that this process had open */
	execve(argv[0], (char *const *)argv, environment);
	dprintf(STDERR_FILENO, "cannot start %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

/* Waits for the descriptor no longer than the patience lasts, in pieces where somebody is told of
 * it. */
static bool await(int fd, const struct patience *patience)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	int milliseconds = (int)(patience_left(patience) * 1000) + 1;

	if (still_waiting) {
		still_waiting();
		milliseconds =
			milliseconds < ALIVE_MILLISECONDS ? milliseconds : ALIVE_MILLISECONDS;
	}
	return poll(&wanted, 1, milliseconds) > 0;
}

/* Reads until the child's end of the pipe closes, or it gets KILL: who else holds that end does not
 * count. */
static void collect(int pipe_fd, struct patience *patience, struct child_result *result)
{
	char bytes[4096];

	while (patience->stage != KILLED) {
		if (patience_left(patience) <= 0) {
			patience_over(patience);
			continue;
		}
		if (!await(pipe_fd, patience))
			continue;
		ssize_t got = read(pipe_fd, bytes, sizeof(bytes));
		if (got == 0 || (got < 0 && errno != EINTR))
			return;
		if (got > 0)
			keep_tail(result, bytes, (size_t)got);
	}
}

/* False for one that not even KILL has ended in time, since it waits within the kernel for a disk.
 */
static bool reap(struct patience *patience, int *status)
{
	_cleanup_close_ int process = (int)syscall(SYS_pidfd_open, patience->pid, 0);

	while (!await(process, patience)) {
		if (patience_left(patience) > 0)
			continue;
		if (patience->stage == KILLED)
			return false;
		patience_over(patience);
	}
	return waitpid(patience->pid, status, 0) == patience->pid;
}

/* How many processes the kernel has ended since it was out of memory. */
static unsigned long out_of_memory_kills(void)
{
	_cleanup_free_ char *counters = sysfs_slurp("", "/proc/vmstat");
	const char *found = counters ? strstr(counters, "\noom_kill ") : NULL;

	return found ? strtoul(found + strlen("\noom_kill "), NULL, 10) : 0;
}

int child_run(const char *const argv[], unsigned limit_seconds, struct child_result *result)
{
	int ends[2], status = 0;
	double started = clock_seconds();

	memset(result, 0, sizeof(*result));
	result->exit_status = 127;
	if (access(argv[0], X_OK))
		return error_set(-errno, "cannot run %s: %s", argv[0], strerror(errno));
	if (pipe2(ends, O_CLOEXEC))
		return error_set(-errno, "cannot make a pipe for %s: %s", argv[0], strerror(errno));
	_cleanup_close_ int reader = ends[0];
	unsigned long killed = out_of_memory_kills();
	pid_t pid = fork();
	if (pid == 0)
		exec_child(argv, ends[1]);
	close(ends[1]);
	if (pid > 0)
		setpgid(pid, pid); /* in both, since either may come first */
	if (pid < 0)
		return error_set(-errno, "cannot start %s: %s", argv[0], strerror(errno));
	struct patience patience = { .pid = pid, .deadline = started + limit_seconds };
	collect(reader, &patience, result);
	bool ended = reap(&patience, &status);
	result->timed_out = patience.stage != PATIENT;
	result->seconds = clock_seconds() - started;
	result->exit_status = !ended                ? 128 + SIGKILL
			      : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						    : WEXITSTATUS(status);
	if (!ended)
		return error_set(
			-EBUSY,
			"%s did not finish within %u seconds and cannot be killed, since a disk "
			"does not answer it: %s",
			argv[0], limit_seconds, result->output);
	if (result->timed_out)
		return error_set(-ETIMEDOUT,
				 "%s did not finish within %u seconds and was stopped: %s", argv[0],
				 limit_seconds, result->output);
	if (WIFSIGNALED(status))
		return error_set(-EIO, "%s was ended by signal %d (%s)%s: %s", argv[0],
				 WTERMSIG(status), strsignal(WTERMSIG(status)),
				 out_of_memory_kills() > killed
					 ? ", as the machine has too little memory"
					 : "",
				 result->output);
	if (result->exit_status)
		return error_set(-EIO, "%s failed with status %d: %s", argv[0], result->exit_status,
				 result->output);
	return 0;
}
