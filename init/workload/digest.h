/* SPDX-License-Identifier: GPL-2.0-or-later */
/* XXH3-128 as moss prints it: lower-case hex, not zero-padded. */
#ifndef BLITBENCH_WORKLOAD_DIGEST_H
#define BLITBENCH_WORKLOAD_DIGEST_H

#include "workload/contents.h"

#include <inttypes.h>
#include <stdio.h>
#include <xxhash.h>

static inline void digest_print(char text[DIGEST_TEXT_BYTES], XXH128_hash_t hash)
{
	if (hash.high64)
		snprintf(text, DIGEST_TEXT_BYTES, "%" PRIx64 "%016" PRIx64, (uint64_t)hash.high64,
			 (uint64_t)hash.low64);
	else
		snprintf(text, DIGEST_TEXT_BYTES, "%" PRIx64, (uint64_t)hash.low64);
}

/* Numbers are hashed in this order of bytes on every machine. */
static inline void put_little_endian(unsigned char *out, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		out[i] = (unsigned char)(value >> 8 * i);
}

#endif
