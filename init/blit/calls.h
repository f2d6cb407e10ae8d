/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls that musl does not wrap, or not as the one call that is asked for. */
#ifndef BLITBENCH_BLIT_CALLS_H
#define BLITBENCH_BLIT_CALLS_H

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's number on every architecture, from Linux 6.6. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

/* fchmodat with flags: musl would fall back to several other calls without a word. */
static inline int call_fchmodat2(int parent, const char *name, mode_t mode, int flags)
{
	return (int)syscall(SYS_fchmodat2, parent, name, mode, flags);
}

#endif
