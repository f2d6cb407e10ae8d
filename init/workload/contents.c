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
#include "workload/workers.h"

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

/* --- naming --- */

struct naming {
	struct contents *contents;
	uint64_t seed;
	uint32_t next; /* atomic: the first content that no worker has taken */
};

/* What one worker needs of its own. */
struct hasher {
	XXH3_state_t *state;
	unsigned char *chunk;
};

static XXH128_hash_t hash_of_bytes(const struct hasher *hasher, uint64_t seed,
				   const struct content *content, struct workers *workers)
{
	uint64_t offset = 0;

	XXH3_128bits_reset(hasher->state);
	while (offset < content->size && !workers_stopped(workers)) {
		uint64_t left = content->size - offset;
		size_t length = left < CHUNK_BYTES ? left : CHUNK_BYTES;

		content_bytes(seed, content->number, content->size, offset, hasher->chunk, length);
		XXH3_128bits_update(hasher->state, hasher->chunk, length);
		offset += length;
		workers_advance(workers, length);
	}
	return XXH3_128bits_digest(hasher->state);
}

static void name_content(const struct hasher *hasher, uint64_t seed, struct content *content,
			 struct workers *workers)
{
	seed = content_seed(seed, content);
	if (content->size >= CONTENT_NAMED_BY_BYTES) {
		digest_print(content->digest, hash_of_bytes(hasher, seed, content, workers));
		return;
	}
	digest_print(content->digest, hash_of_identity(seed, content));
	workers_advance(workers, content->size);
}

static int name_some(void *context, struct workers *workers)
{
	enum { AT_A_TIME = 16 };
	struct naming *naming = context;
	const struct contents *contents = naming->contents;
	struct hasher hasher = { .state = XXH3_createState(), .chunk = malloc(CHUNK_BYTES) };
	uint32_t first = 0;
	int error = hasher.state && hasher.chunk
			    ? 0
			    : error_set(-ENOMEM, "out of memory for naming contents");

	while (!error && first < contents->count && !workers_stopped(workers)) {
		first = __atomic_fetch_add(&naming->next, AT_A_TIME, __ATOMIC_RELAXED);
		for (uint32_t i = first; i < contents->count && i < first + AT_A_TIME; i++)
			if (!contents->list[i].digest[0])
				name_content(&hasher, naming->seed, &contents->list[i], workers);
	}
	free(hasher.chunk);
	XXH3_freeState(hasher.state);
	return error;
}

struct wanted_name {
	const struct contents *contents;
	const char *digest;
};

static bool same_name(const void *context, uint32_t element)
{
	const struct wanted_name *wanted = context;

	return !strcmp(wanted->contents->list[element].digest, wanted->digest);
}

/* The last digits of a name, which are as good as a hash of it. */
static uint32_t name_key(const char *digest)
{
	enum { DIGITS = 8 };
	size_t length = strlen(digest);

	return (uint32_t)strtoul(digest + (length > DIGITS ? length - DIGITS : 0), NULL, 16);
}

static int assert_distinct(const struct contents *contents)
{
	struct hash_index index = { 0 };
	int error = 0;

	for (uint32_t i = 0; !error && i < contents->count; i++) {
		const char *digest = contents->list[i].digest;
		const struct wanted_name wanted = { contents, digest };
		uint32_t twin = hash_index_find(&index, name_key(digest), same_name, &wanted);

		if (twin == NOT_FOUND)
			error = hash_index_add(&index, name_key(digest), i);
		else
			error = error_set(-EEXIST,
					  "contents %" PRIu64 " and %" PRIu64
					  " would both be named %s; choose another seed",
					  contents->list[twin].number, contents->list[i].number,
					  digest);
	}
	hash_index_free(&index);
	return error;
}

static uint64_t unnamed_bytes(const struct contents *contents)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < contents->count; i++)
		if (!contents->list[i].digest[0])
			bytes += contents->list[i].size;
	return bytes;
}

int contents_name(struct contents *contents, uint64_t seed, unsigned threads,
		  const struct progress *progress)
{
	struct naming naming = { .contents = contents, .seed = seed };
	const struct workers_job job = {
		.work = name_some,
		.context = &naming,
		.count = threads,
		.phase = "name contents",
		.stopped = "stopped while the contents were named",
		.total = unnamed_bytes(contents),
		.progress = progress,
	};
	int error = workers_run(&job);

	return error ? error : assert_distinct(contents);
}

void contents_free(struct contents *contents)
{
	free(contents->list);
	*contents = (struct contents){ 0 };
}
