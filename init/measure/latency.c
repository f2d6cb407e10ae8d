/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/latency.h"

uint64_t latency_bucket_end(unsigned bucket)
{
	unsigned shift = bucket >> LATENCY_SUB_BITS;

	if (bucket >= LATENCY_BUCKETS - 1)
		return UINT64_MAX;
	/* The first two rows of buckets are one value wide. */
	shift -= shift > 0;
	return (((uint64_t)bucket - ((uint64_t)shift << LATENCY_SUB_BITS) + 1) << shift) - 1;
}

void latency_merge(struct latency *latency, const struct latency *other)
{
	if (!other->count)
		return;
	latency->count += other->count;
	latency->sum_nanoseconds += other->sum_nanoseconds;
	if (other->max_nanoseconds > latency->max_nanoseconds)
		latency->max_nanoseconds = other->max_nanoseconds;
	for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
		latency->buckets[i] += other->buckets[i];
}

uint64_t latency_percentile(const struct latency *latency, unsigned thousandths)
{
	/* How many are at most the value looked for, rounded up, but at least the first. */
	uint64_t rank = latency->count / 1000 * thousandths +
			(latency->count % 1000 * thousandths + 999) / 1000;
	uint64_t seen = 0;

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		seen += latency->buckets[i];
		if (seen && seen >= rank) {
			uint64_t end = latency_bucket_end(i);

			return end < latency->max_nanoseconds ? end : latency->max_nanoseconds;
		}
	}
	return latency->max_nanoseconds;
}
