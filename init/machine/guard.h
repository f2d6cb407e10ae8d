/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small process beside this one that cleans up where this one dies without doing so: killed, out of
 * memory, or by a mistake of its own. */
#ifndef BLITBENCH_MACHINE_GUARD_H
#define BLITBENCH_MACHINE_GUARD_H

#include <sys/types.h>

struct guard {
	pid_t pid; /* 0 = there is none */
	int fd;
};

/* Starts it: when this process is gone, and guard_stop was not called, it calls clean_up and ends. What
 * clean_up reads beyond memory that is shared (mmap) is as it was at the start. -errno with a
 * sentence. */
int guard_start(struct guard *guard, void (*clean_up)(void *context), void *context);

/* Tells it that nothing is left to do, and awaits its end. Where there is none it does nothing. */
void guard_stop(struct guard *guard);

#endif
