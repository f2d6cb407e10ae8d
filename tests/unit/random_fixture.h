/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Made-up times, the same for the same seed on every machine. */
#ifndef BLITBENCH_TESTS_RANDOM_FIXTURE_H
#define BLITBENCH_TESTS_RANDOM_FIXTURE_H

#include <math.h>
#include <stdint.h>

/* splitmix64: above 0, below 1. */
static inline double uniform(uint64_t *seed)
{
	uint64_t value = *seed += 0x9e3779b97f4a7c15;

	value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
	value = (value ^ value >> 27) * 0x94d049bb133111eb;
	return ((double)((value ^ value >> 31) >> 11) + 0.5) / 9007199254740992.0;
}

/* How many times as long as undisturbed a session took: skewed, with a MAD of some 1.5 % of the
 * median, and once in thirty sessions up to a third more. */
static inline double skewed_noise(uint64_t *seed)
{
	double noise = 1 - 0.03 * log(uniform(seed));

	return uniform(seed) < 1.0 / 30 ? noise + uniform(seed) / 3 : noise;
}

#endif
