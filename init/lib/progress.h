/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress of long work, told to whoever started it. Called between system calls at most some ten
 * times a second, never inside a timed region.
 */
#ifndef BLITBENCH_LIB_PROGRESS_H
#define BLITBENCH_LIB_PROGRESS_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

struct progress {
	/* total 0 = not known; returns non-zero to ask the worker to stop (-EINTR is handed up). */
	int (*update)(void *context, const char *phase, uint64_t done, uint64_t total);
	/* A finished line for people, without its end of line. */
	void (*say)(void *context, const char *line);
	void *context;
};

static inline int progress_update(const struct progress *progress, const char *phase, uint64_t done,
				  uint64_t total)
{
	return progress && progress->update
		       ? progress->update(progress->context, phase, done, total)
		       : 0;
}

static inline void progress_say(const struct progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static inline void progress_say(const struct progress *progress, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	if (!progress || !progress->say)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	progress->say(progress->context, line);
}

#endif
