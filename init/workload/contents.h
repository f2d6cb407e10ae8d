/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of a workload: one record for each distinct content that its layouts refer to (an
 * "asset" of the store). Bytes are made from (seed, number, size); the XXH3-128 digest of the bytes
 * names the asset, in lower-case hex and not zero-padded. Below 16 bytes, where made contents would
 * collide, the digest of (seed, number, size) names it.
 */
#ifndef BLITBENCH_WORKLOAD_CONTENTS_H
#define BLITBENCH_WORKLOAD_CONTENTS_H

#include "lib/progress.h"

#include <stddef.h>
#include <stdint.h>

enum { DIGEST_TEXT_BYTES = 33, CONTENT_NAMED_BY_BYTES = 16 };

/* More than any disk holds, and so little that sums over states and updates stay in 64 bits. */
#define CONTENTS_BYTES_MAX (UINT64_C(1) << 50)

struct content {
	uint64_t number;                /* package * 2^20 + rank in the package */
	uint64_t size;                  /* bytes, > 0 */
	char digest[DIGEST_TEXT_BYTES]; /* "" until it is named */
	uint32_t version;               /* 0: the workload's own; others precede it (run/age.h) */
};

struct contents {
	struct content *list; /* sorted by number */
	uint32_t count;
	uint64_t bytes; /* sum of the sizes */
};

/* The bytes of each version of a content are made from another seed. */
static inline uint64_t content_seed(uint64_t seed, const struct content *content)
{
	return seed + content->version;
}

/* Fills buffer with the bytes [offset, offset + length) of a content. offset must be a multiple
 * of 8. */
void content_bytes(uint64_t seed, uint64_t number, uint64_t size, uint64_t offset, void *buffer,
		   size_t length);

/*
 * Names every content that has no name yet, on so many threads, and asserts that all names are
 * distinct (-EEXIST with a sentence where they are not; -EINTR, after which names may be wrong).
 * It makes and hashes every byte of the contents.
 */
int contents_name(struct contents *contents, uint64_t seed, unsigned threads,
		  const struct progress *progress);

void contents_free(struct contents *contents);

#endif
