/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The clocks of the project: one that times, one that places what was timed. */
#ifndef BLITBENCH_LIB_CLOCK_H
#define BLITBENCH_LIB_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Of CLOCK_MONOTONIC_RAW, which no clock adjustment slews; only differences mean anything. */
static inline uint64_t clock_nanoseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline double clock_seconds(void)
{
	return (double)clock_nanoseconds() / 1e9;
}

/* Since boot, with the time that the machine was asleep (CLOCK_BOOTTIME). */
static inline double clock_boot_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#endif
