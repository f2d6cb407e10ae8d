/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of a content are 4 KiB blocks. All blocks share one pattern of 512 pseudo-random words,
 * exclusive-ored with a key of the block: no two blocks are alike, none compresses, and making them
 * costs one load, one exclusive or and one store for each word, which compilers vectorise and
 * emulators run well.
 */
#include "workload/contents.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/digest.h"
#include "workload/hash_index.h"
#include "workload/pace.h"

#include <endian.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	BLOCK_WORDS = 512,
	WORD_BYTES = 8,
	BLOCK_BYTES = BLOCK_WORDS * WORD_BYTES,
	CHUNK_BYTES = 64 << 10
};

#define GOLDEN_RATIO UINT64_C(0x9e3779b97f4a7c15)

static uint64_t pattern[BLOCK_WORDS];
static pthread_once_t pattern_once = PTHREAD_ONCE_INIT;

/* The finishing step of MurmurHash3 (public domain): every bit of the input moves about half of the
 * output's bits. */
static uint64_t mix(uint64_t value)
{
	value ^= value >> 33;
	value *= UINT64_C(0xff51afd7ed558ccd);
	value ^= value >> 33;
	value *= UINT64_C(0xc4ceb9fe1a85ec53);
	value ^= value >> 33;
	return value;
}

static void make_pattern(void)
{
	for (uint64_t i = 0; i < BLOCK_WORDS; i++)
		pattern[i] = mix((i + 1) * GOLDEN_RATIO);
}

static void fill_words(unsigned char *restrict out, const uint64_t *restrict words, uint64_t key,
		       size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t word = htole64(words[i] ^ key);

		memcpy(out + i * WORD_BYTES, &word, WORD_BYTES);
	}
}

void content_bytes(uint64_t seed, uint64_t number, uint64_t size, uint64_t offset, void *buffer,
		   size_t length)
{
	uint64_t content_key = mix(mix(mix(seed + GOLDEN_RATIO) ^ number) + size);
	unsigned char *out = buffer;

	pthread_once(&pattern_once, make_pattern);
	while (length) {
		uint64_t key = mix(content_key + offset / BLOCK_BYTES * GOLDEN_RATIO);
		size_t first = offset % BLOCK_BYTES / WORD_BYTES;
		size_t whole = length / WORD_BYTES, left = BLOCK_WORDS - first;
		size_t count = whole < left ? whole : left;

		fill_words(out, pattern + first, key, count);
		out += count * WORD_BYTES;
		length -= count * WORD_BYTES;
		offset += count * WORD_BYTES;
		if (count < left && length) {
			uint64_t word = htole64(pattern[first + count] ^ key);

			memcpy(out, &word, length);
			return;
		}
	}
}

static XXH128_hash_t hash_of_identity(uint64_t seed, const struct content *content)
{
	unsigned char identity[24];

	put_little_endian(identity, seed, 8);
	put_little_endian(identity + 8, content->number, 8);
	put_little_endian(identity + 16, content->size, 8);
	return XXH3_128bits(identity, sizeof(identity));
}

struct naming {
	struct contents *contents;
	XXH128_hash_t *hashes;
	XXH3_state_t *state;
	unsigned char *chunk;
	uint64_t seed, done_bytes;
	const struct progress *progress;
	struct pace pace;
};

static int tell(struct naming *naming)
{
	if (pace_update(&naming->pace, naming->progress, "name contents", naming->done_bytes,
			naming->contents->bytes))
		return error_set(-EINTR, "stopped while the contents were named");
	return 0;
}

static int hash_of_bytes(struct naming *naming, const struct content *content, XXH128_hash_t *hash)
{
	uint64_t offset = 0;

	if (content->size <= CHUNK_BYTES) {
		content_bytes(naming->seed, content->number, content->size, 0, naming->chunk,
			      content->size);
		*hash = XXH3_128bits(naming->chunk, content->size);
		naming->done_bytes += content->size;
		return 0;
	}
	XXH3_128bits_reset(naming->state);
	while (offset < content->size) {
		uint64_t left = content->size - offset;
		size_t length = left < CHUNK_BYTES ? left : CHUNK_BYTES;
		int error;

		content_bytes(naming->seed, content->number, content->size, offset, naming->chunk,
			      length);
		XXH3_128bits_update(naming->state, naming->chunk, length);
		offset += length;
		naming->done_bytes += length;
		error = tell(naming);
		if (error)
			return error;
	}
	*hash = XXH3_128bits_digest(naming->state);
	return 0;
}

static bool same_hash(const void *context, uint32_t element)
{
	const struct naming *naming = context;

	return XXH128_isEqual(naming->hashes[element], naming->hashes[naming->contents->count]);
}

/* The array of hashes has one place more than there are contents, for the one that is looked for.
 */
static int assert_distinct(struct naming *naming, struct hash_index *index)
{
	struct contents *contents = naming->contents;

	for (uint32_t i = 0; i < contents->count; i++) {
		uint32_t key = (uint32_t)naming->hashes[i].low64, twin;
		int error;

		naming->hashes[contents->count] = naming->hashes[i];
		twin = hash_index_find(index, key, same_hash, naming);
		if (twin != NOT_FOUND)
			return error_set(-EEXIST,
					 "contents %" PRIu64 " and %" PRIu64
					 " would both be named %s; choose "
					 "another seed",
					 contents->list[twin].number, contents->list[i].number,
					 contents->list[i].digest);
		error = hash_index_add(index, key, i);
		if (error)
			return error;
	}
	return 0;
}

static int name_all(struct naming *naming)
{
	struct contents *contents = naming->contents;
	struct hash_index index = { 0 };
	int error;

	for (uint32_t i = 0; i < contents->count; i++) {
		struct content *content = &contents->list[i];

		if (content->size < CONTENT_NAMED_BY_BYTES) {
			naming->hashes[i] = hash_of_identity(naming->seed, content);
			naming->done_bytes += content->size;
		} else {
			error = hash_of_bytes(naming, content, &naming->hashes[i]);
			if (error)
				return error;
		}
		digest_print(content->digest, naming->hashes[i]);
		if (i % 256 == 0) {
			error = tell(naming);
			if (error)
				return error;
		}
	}
	error = assert_distinct(naming, &index);
	hash_index_free(&index);
	return error;
}

int contents_name(struct contents *contents, uint64_t seed, const struct progress *progress)
{
	struct naming naming = {
		.contents = contents,
		.hashes = calloc((size_t)contents->count + 1, sizeof(*naming.hashes)),
		.state = XXH3_createState(),
		.chunk = malloc(CHUNK_BYTES),
		.seed = seed,
		.progress = progress,
	};
	int error = naming.hashes && naming.state && naming.chunk
			    ? name_all(&naming)
			    : error_set(-ENOMEM, "out of memory for the names of %u contents",
					contents->count);

	free(naming.chunk);
	XXH3_freeState(naming.state);
	free(naming.hashes);
	return error;
}

void contents_free(struct contents *contents)
{
	free(contents->list);
	*contents = (struct contents){ 0 };
}
