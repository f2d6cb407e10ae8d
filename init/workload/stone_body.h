/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The payloads of a .stone: their headers, and their bodies as plain bytes. */
#ifndef BLITBENCH_WORKLOAD_STONE_BODY_H
#define BLITBENCH_WORKLOAD_STONE_BODY_H

#include "workload/input.h"

#include <endian.h>
#include <string.h>

enum stone_kind {
	STONE_META = 1,
	STONE_CONTENT,
	STONE_LAYOUT,
	STONE_INDEX,
	STONE_ATTRIBUTES,
};

struct stone_payload {
	uint64_t at; /* byte of the file at which its header begins */
	uint64_t stored_bytes, plain_bytes, checksum;
	uint32_t records;
	uint8_t kind; /* enum stone_kind */
	bool compressed;
};

/* Takes the next plain bytes of a body. */
typedef int take_plain(void *context, const unsigned char *bytes, size_t count);

/* Reads the header that comes next in the file. -EINVAL for what version 1 does not have. */
int stone_payload_read(struct input *input, struct stone_payload *payload);

/* Reads the body that follows the header and hands its plain bytes to take; without take it is not
 * unpacked. -EINVAL where the checksum or the sizes do not match, whatever take says before. */
int stone_body_read(struct input *input, const struct stone_payload *payload, take_plain *take,
		    void *context);

/* Numbers of a .stone are big-endian. */
static inline uint16_t stone_u16(const unsigned char *bytes)
{
	uint16_t value;

	memcpy(&value, bytes, sizeof(value));
	return be16toh(value);
}

static inline uint32_t stone_u32(const unsigned char *bytes)
{
	uint32_t value;

	memcpy(&value, bytes, sizeof(value));
	return be32toh(value);
}

static inline uint64_t stone_u64(const unsigned char *bytes)
{
	uint64_t value;

	memcpy(&value, bytes, sizeof(value));
	return be64toh(value);
}

#endif
