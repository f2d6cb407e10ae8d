/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress of long work, told to whoever started it. Called between system calls at most some ten times a
 * second, never inside a timed region.
 */
#ifndef BLITBENCH_LIB_PROGRESS_H
#define BLITBENCH_LIB_PROGRESS_H

#include <stdint.h>

struct progress {
	/* total 0 = not known; returns non-zero to ask the worker to stop (-EINTR is handed up). */
	int (*update)(void *context, const char *phase, uint64_t done, uint64_t total);
	void *context;
};

static inline int progress_update(const struct progress *progress, const char *phase, uint64_t done, uint64_t total)
{
	return progress && progress->update ? progress->update(progress->context, phase, done, total) : 0;
}

#endif
