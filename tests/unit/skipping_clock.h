/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A clock on which whatever is waited for has passed at once: what sleeps returns, and clocks are
 * ahead by as much from then on. For programs linked with --wrap=clock_gettime and
 * --wrap=nanosleep.
 */
#ifndef BLITBENCH_TESTS_SKIPPING_CLOCK_H
#define BLITBENCH_TESTS_SKIPPING_CLOCK_H

#include <stdint.h>
#include <time.h>

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

static int64_t skipped_nanoseconds;
static unsigned sleeps; /* how often something slept */

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	enum { SECOND = 1000000000 };
	int result = __real_clock_gettime(clock, now);
	int64_t nanoseconds = now->tv_nsec + skipped_nanoseconds % SECOND;

	now->tv_sec += skipped_nanoseconds / SECOND + nanoseconds / SECOND;
	now->tv_nsec = nanoseconds % SECOND;
	return result;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)left;
	sleeps++;
	skipped_nanoseconds += time->tv_sec * 1000000000 + time->tv_nsec;
	return 0;
}

#endif
