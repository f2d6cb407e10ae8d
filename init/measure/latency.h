/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A histogram of durations in nanoseconds, of fixed size and laid out as HdrHistogram's: a bucket
 * for each value below 64, and 32 of equal width for each power of two from there on, so that a
 * bucket is at most 1/32 (3.1 %) as wide as what it holds. The last one holds everything from its
 * first value (135 s) on. One thread records in one histogram; they are merged afterwards.
 */
#ifndef BLITBENCH_MEASURE_LATENCY_H
#define BLITBENCH_MEASURE_LATENCY_H

#include <stdint.h>

enum {
	LATENCY_SUB_BITS = 5,  /* log2 of the buckets for each power of two */
	LATENCY_TOP_BITS = 37, /* values of more bits are beyond */
	LATENCY_BUCKETS = (LATENCY_TOP_BITS - LATENCY_SUB_BITS + 1) << LATENCY_SUB_BITS,
};

struct latency {
	uint64_t count, sum_nanoseconds, max_nanoseconds;
	uint64_t buckets[LATENCY_BUCKETS];
};

/* The bucket that a value falls into. */
static inline unsigned latency_bucket(uint64_t nanoseconds)
{
	if (nanoseconds >> LATENCY_TOP_BITS)
		return LATENCY_BUCKETS - 1;
	if (nanoseconds < 2u << LATENCY_SUB_BITS)
		return (unsigned)nanoseconds;
	unsigned shift = 63 - (unsigned)__builtin_clzll(nanoseconds) - LATENCY_SUB_BITS;

	return (shift << LATENCY_SUB_BITS) + (unsigned)(nanoseconds >> shift);
}

/* The greatest value of a bucket; UINT64_MAX of the last. */
uint64_t latency_bucket_end(unsigned bucket);

static inline void latency_record(struct latency *latency, uint64_t nanoseconds)
{
	latency->count++;
	latency->sum_nanoseconds += nanoseconds;
	if (nanoseconds > latency->max_nanoseconds)
		latency->max_nanoseconds = nanoseconds;
	latency->buckets[latency_bucket(nanoseconds)]++;
}

/* Adds all that was recorded in the other. */
void latency_merge(struct latency *latency, const struct latency *other);

/*
 * The value that so many thousandths of all are at most, as the greatest of its bucket, which is
 * never below the true one and at most 1/32 above it; but never above the greatest recorded. 0
 * where nothing was.
 */
uint64_t latency_percentile(const struct latency *latency, unsigned thousandths);

#endif
