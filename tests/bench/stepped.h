/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One blit in a child that is traced, to count what it does exactly: instructions of user space one
 * by one, which the processors of many virtual machines cannot count, or system calls by number. On
 * one thread. It ends the program where something fails.
 */
#ifndef BLITBENCH_TESTS_STEPPED_H
#define BLITBENCH_TESTS_STEPPED_H

#include "blit/engine.h"
#include "lib/error.h"
#include "lib/tree.h"

#include <err.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STEPPED_CALLS = 512 };

struct stepped {
	unsigned long long instructions;
	unsigned long long calls[STEPPED_CALLS]; /* by number */
};

/* Stops right before and right after the blit. */
static inline void stepped_child(struct blit *blit, const struct engine *engine)
{
	ptrace(PTRACE_TRACEME, 0, 0, 0);
	if (blit_begin(blit))
		errx(1, "%s", error_text());
	raise(SIGSTOP);
	int error = engine->blit(blit);
	raise(SIGSTOP);
	_exit(error != 0);
}

/* Until it stops by itself. request is PTRACE_SINGLESTEP, or PTRACE_SYSCALL, which stops where a call
 * begins and where it ends. */
static inline void stepped_count(pid_t child, int request, struct stepped *stepped)
{
	struct __ptrace_syscall_info info;
	int status;

	for (;;) {
		if (ptrace(request, child, 0, 0) || waitpid(child, &status, 0) != child)
			err(1, "ptrace");
		stepped->instructions++;
		if (!WIFSTOPPED(status) || (WSTOPSIG(status) & 0x7f) != SIGTRAP)
			return;
		if (request == PTRACE_SYSCALL &&
		    ptrace(PTRACE_GET_SYSCALL_INFO, child, (void *)sizeof(info), &info) > 0 &&
		    info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr < STEPPED_CALLS)
			stepped->calls[info.entry.nr]++;
	}
}

/* The tree that it makes below staging_fd is removed again. */
static inline struct stepped stepped_blit(struct blit *blit, const struct engine *engine, int request)
{
	struct stepped stepped = { 0 };
	pid_t child = fork();
	int status;

	if (!child)
		stepped_child(blit, engine);
	if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
		errx(1, "the blit cannot be traced");
	ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD);
	stepped_count(child, request, &stepped);
	ptrace(PTRACE_CONT, child, 0, 0);
	if (waitpid(child, &status, 0) != child || status)
		errx(1, "the blit failed");
	if (tree_remove(blit->staging_fd, "usr"))
		errx(1, "%s", error_text());
	return stepped;
}

#endif
