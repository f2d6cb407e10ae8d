/* SPDX-License-Identifier: GPL-2.0-or-later */
#define ZSTD_STATIC_LINKING_ONLY /* for the allocator of a decoder */
#include "workload/stone_body.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <xxhash.h>
#include <zstd.h>

enum { HEADER_BYTES = 32, PLAIN_BYTES = 128 << 10, WINDOW_LOG_LIMIT = 31 };

/* --- headers --- */

int stone_payload_read(struct input *input, struct stone_payload *payload)
{
	enum { VERSION = 1, COMPRESSION_NONE = 1, COMPRESSION_ZSTD = 2 };
	unsigned char header[HEADER_BYTES];
	int error;

	payload->at = input_offset(input);
	error = input_exactly(input, header, sizeof(header));
	if (error)
		return error;
	payload->stored_bytes = stone_u64(header);
	payload->plain_bytes = stone_u64(header + 8);
	payload->checksum = stone_u64(header + 16);
	payload->records = stone_u32(header + 24);
	payload->kind = header[30];
	payload->compressed = header[31] == COMPRESSION_ZSTD;
	if (stone_u16(header + 28) != VERSION)
		return error_set(-EINVAL, "its version is %u, and only version 1 is known",
				 stone_u16(header + 28));
	if (payload->kind < STONE_META || payload->kind > STONE_ATTRIBUTES)
		return error_set(-EINVAL, "its kind is %u, and only 1 to 5 are known",
				 payload->kind);
	if (!payload->compressed && header[31] != COMPRESSION_NONE)
		return error_set(-EINVAL,
				 "its compression is %u, and only 1 (none) and 2 (zstd) are known",
				 header[31]);
	if (!payload->compressed && payload->stored_bytes != payload->plain_bytes)
		return error_set(-EINVAL,
				 "it has %" PRIu64 " bytes stored and %" PRIu64
				 " plain, though it is not compressed",
				 payload->stored_bytes, payload->plain_bytes);
	return 0;
}

/* --- bodies --- */

/*
 * A frame may ask for a window of 2 GiB to look back on, and moss's do for contents of any size. It
 * gets addresses for it: memory is taken page by page as plain bytes arrive, even where the system
 * hands out no more than it has.
 */
static void *reserve(void *opaque, size_t bytes)
{
	size_t *start;

	(void)opaque;
	bytes += 64; /* the length goes in front, and everything stays aligned */
	start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (start == MAP_FAILED)
		return NULL;
	*start = bytes;
	return (char *)start + 64;
}

static void give_back(void *opaque, void *address)
{
	size_t *start = address ? (size_t *)(void *)((char *)address - 64) : NULL;

	(void)opaque;
	if (start)
		munmap(start, *start);
}

struct body {
	const struct stone_payload *payload;
	take_plain *take;
	void *context;
	ZSTD_DCtx *decoder;
	unsigned char *plain; /* PLAIN_BYTES */
	uint64_t plain_bytes; /* so far */
	bool frame_open;
};

static int hand_out(struct body *body, const unsigned char *bytes, size_t count)
{
	body->plain_bytes += count;
	if (body->plain_bytes > body->payload->plain_bytes)
		return error_set(-EINVAL,
				 "it unpacks to more than the %" PRIu64 " bytes that it announces",
				 body->payload->plain_bytes);
	return count ? body->take(body->context, bytes, count) : 0;
}

static int unpack(struct body *body, const unsigned char *bytes, size_t count)
{
	ZSTD_inBuffer in = { .src = bytes, .size = count };
	bool full = false;

	while (in.pos < in.size || (full && body->frame_open)) {
		ZSTD_outBuffer out = { .dst = body->plain, .size = PLAIN_BYTES };
		size_t left = ZSTD_decompressStream(body->decoder, &out, &in);
		int error;

		if (ZSTD_isError(left))
			return error_set(-EINVAL, "zstd cannot unpack it (%s)",
					 ZSTD_getErrorName(left));
		body->frame_open = left;
		full = out.pos == out.size;
		error = hand_out(body, body->plain, out.pos);
		if (error)
			return error;
	}
	return 0;
}

static int check_end(const struct body *body)
{
	if (body->frame_open)
		return error_set(-EINVAL, "its compressed data are cut off");
	if (body->plain_bytes != body->payload->plain_bytes)
		return error_set(-EINVAL, "it unpacks to %" PRIu64 " bytes and announces %" PRIu64,
				 body->plain_bytes, body->payload->plain_bytes);
	return 0;
}

/* Reads on to the end in any case: where the checksum does not match, that is the reason. */
static int read_stored(struct input *input, struct body *body, XXH3_state_t *checksum)
{
	int error = 0;

	XXH3_64bits_reset(checksum);
	for (uint64_t left = body->payload->stored_bytes; left;) {
		const void *block;
		size_t bytes;
		int status = input_block(input, &block, &bytes);

		if (status)
			return status;
		if (!bytes)
			return error_set(-EINVAL,
					 "the file is cut off: it ends at byte %" PRIu64
					 ", where %" PRIu64 " more are needed; fetch it again",
					 input_offset(input), left);
		if (bytes > left) {
			input_give_back(input, bytes - (size_t)left);
			bytes = (size_t)left;
		}
		left -= bytes;
		XXH3_64bits_update(checksum, block, bytes);
		if (body->take && !error)
			error = body->payload->compressed ? unpack(body, block, bytes)
							  : hand_out(body, block, bytes);
	}
	if (XXH3_64bits_digest(checksum) != body->payload->checksum)
		return error_set(-EINVAL, "its checksum does not match; fetch the file again");
	return error || !body->take ? error : check_end(body);
}

int stone_body_read(struct input *input, const struct stone_payload *payload, take_plain *take,
		    void *context)
{
	const ZSTD_customMem memory = { .customAlloc = reserve, .customFree = give_back };
	_cleanup_free_ unsigned char *plain = malloc(PLAIN_BYTES);
	struct body body = { .payload = payload,
			     .take = take,
			     .context = context,
			     .decoder = ZSTD_createDCtx_advanced(memory),
			     .plain = plain };
	XXH3_state_t *checksum = XXH3_createState();
	int error;

	if (plain && body.decoder && checksum) {
		ZSTD_DCtx_setParameter(body.decoder, ZSTD_d_windowLogMax, WINDOW_LOG_LIMIT);
		error = read_stored(input, &body, checksum);
	} else {
		error = error_set(-ENOMEM, "out of memory for unpacking a package");
	}
	ZSTD_freeDCtx(body.decoder);
	XXH3_freeState(checksum);
	return error;
}
