/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes .stone files for tests, right ones and wrong ones, from the description of the format: a
 * file header, then payloads, all numbers big-endian. */
#ifndef BLITBENCH_TESTS_STONE_WRITER_H
#define BLITBENCH_TESTS_STONE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

struct bytes {
	unsigned char at[1 << 20];
	size_t count;
};

static void put_number(struct bytes *bytes, uint64_t value, unsigned width)
{
	while (width--)
		bytes->at[bytes->count++] = (unsigned char)(value >> 8 * width);
}

static void put_raw(struct bytes *bytes, const void *raw, size_t count)
{
	memcpy(bytes->at + bytes->count, raw, count);
	bytes->count += count;
}

enum { STONE_HEADER_BYTES = 32, TYPE_BINARY = 1 };
enum { META = 1, CONTENT, LAYOUT, INDEX, ATTRIBUTES };
enum { NONE = 1, ZSTD };
enum { SMALL_WINDOW_LOG = 17, LARGEST_WINDOW_LOG = 31 };
enum { REGULAR = 1, SYMLINK, DIRECTORY, CHARACTER, BLOCK, FIFO, SOCKET };

static void put_file_header(struct bytes *file, unsigned payloads, unsigned type, unsigned version)
{
	static const unsigned char fixed[] = { 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0,
					       4, 0, 0, 5, 0, 0, 6, 0, 0, 7 };

	put_raw(file, "\0mos", 4);
	put_number(file, payloads, 2);
	put_raw(file, fixed, sizeof(fixed));
	put_number(file, type, 1);
	put_number(file, version, 4);
}

/* A body as it lies in the file, behind a header that describes it. */
static void put_stored(struct bytes *file, unsigned kind, unsigned compression, const void *stored,
		       size_t stored_bytes, uint64_t plain_bytes, unsigned records)
{
	put_number(file, stored_bytes, 8);
	put_number(file, plain_bytes, 8);
	put_number(file, XXH3_64bits(stored, stored_bytes), 8);
	put_number(file, records, 4);
	put_number(file, 1, 2);
	put_number(file, kind, 1);
	put_number(file, compression, 1);
	put_raw(file, stored, stored_bytes);
}

/* Compressed as moss does: as a stream, whose length its header does not tell; moss takes the
 * largest window, which is 31. */
static size_t compress_stream(void *out, size_t size, const void *plain, size_t count,
			      int window_log)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_inBuffer in = { plain, count, 0 };
	ZSTD_outBuffer stored = { out, size, 0 };

	ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, 1);
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
	/* The tables that the level would have, or the window asks for gigabytes. */
	ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, 12);
	ZSTD_CCtx_setParameter(context, ZSTD_c_chainLog, 12);
	ZSTD_compressStream2(context, &stored, &in, ZSTD_e_flush);
	ZSTD_compressStream2(context, &stored, &in, ZSTD_e_end);
	ZSTD_freeCCtx(context);
	return stored.pos;
}

static void put_payload(struct bytes *file, unsigned kind, unsigned compression,
			const struct bytes *plain, unsigned records)
{
	static unsigned char stored[2 << 20];
	size_t count;

	if (compression == NONE) {
		put_stored(file, kind, NONE, plain->at, plain->count, plain->count, records);
		return;
	}
	count = compress_stream(stored, sizeof(stored), plain->at, plain->count, SMALL_WINDOW_LOG);
	put_stored(file, kind, ZSTD, stored, count, plain->count, records);
}

/* source and target with their lengths, for they may have NULs. */
struct record {
	unsigned uid, gid, mode, type;
	const void *source;
	size_t source_bytes;
	const char *target;
	size_t target_bytes;
};

static void put_layout_record(struct bytes *layout, const struct record *record)
{
	put_number(layout, record->uid, 4);
	put_number(layout, record->gid, 4);
	put_number(layout, record->mode, 4);
	put_number(layout, 7, 4); /* tag */
	put_number(layout, record->source_bytes, 2);
	put_number(layout, record->target_bytes, 2);
	put_number(layout, record->type, 1);
	put_raw(layout, "\0\0\0\0\0\0\0\0\0\0", 11);
	put_raw(layout, record->source, record->source_bytes);
	put_raw(layout, record->target, record->target_bytes);
}

static void put_digest(struct bytes *bytes, const void *content, size_t count)
{
	XXH128_hash_t hash = XXH3_128bits(content, count);

	put_number(bytes, hash.high64, 8);
	put_number(bytes, hash.low64, 8);
}

/* A file of the content: its layout record, its bytes and, where the content is new, its index
 * record. */
struct stone {
	struct bytes layout, index, content;
	unsigned layout_records, index_records;
};

static void add_record(struct stone *stone, const struct record *record)
{
	put_layout_record(&stone->layout, record);
	stone->layout_records++;
}

static void add_index(struct stone *stone, uint64_t start, uint64_t end, const void *content,
		      size_t count)
{
	put_number(&stone->index, start, 8);
	put_number(&stone->index, end, 8);
	put_digest(&stone->index, content, count);
	stone->index_records++;
}

static void add_file(struct stone *stone, const char *target, unsigned mode, const char *content,
		     bool fresh)
{
	struct bytes digest = { .count = 0 };

	put_digest(&digest, content, strlen(content));
	add_record(stone, &(struct record){ .mode = 0100000 | mode,
					    .type = REGULAR,
					    .source = digest.at,
					    .source_bytes = 16,
					    .target = target,
					    .target_bytes = strlen(target) });
	if (!fresh)
		return;
	add_index(stone, stone->content.count, stone->content.count + strlen(content), content,
		  strlen(content));
	put_raw(&stone->content, content, strlen(content));
}

__attribute__((unused)) static void add_special(struct stone *stone, const char *target,
						unsigned mode, unsigned type, const char *source)
{
	add_record(stone, &(struct record){ .mode = mode,
					    .type = type,
					    .source = source,
					    .source_bytes = strlen(source),
					    .target = target,
					    .target_bytes = strlen(target) });
}

/* The whole file, in moss's order. */
static void put_stone(struct bytes *file, const struct stone *stone, unsigned compression)
{
	static struct bytes meta;

	meta.count = 0;
	put_raw(&meta, "\0\0\0\5\0\1\11\0name", 12);
	put_file_header(file, 4, TYPE_BINARY, 1);
	put_payload(file, META, compression, &meta, 1);
	put_payload(file, LAYOUT, compression, &stone->layout, stone->layout_records);
	put_payload(file, INDEX, compression, &stone->index, stone->index_records);
	put_payload(file, CONTENT, compression, &stone->content, 0);
}

#endif
