/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .stone packages. The checksums of the payloads are put right first, or nothing behind them would
 * ever be reached. */
#include "feed.h"

#include "workload/archive.h"
#include "workload/stone_body.h"

#include <string.h>
#include <xxhash.h>

enum { HEADER_BYTES = 32 };

static void put_right(uint8_t *data, size_t size)
{
	size_t at = HEADER_BYTES;

	while (at + HEADER_BYTES <= size) {
		uint64_t stored = stone_u64(data + at), checksum;

		if (stored > size - at - HEADER_BYTES)
			return;
		checksum = htobe64(XXH3_64bits(data + at + HEADER_BYTES, stored));
		memcpy(data + at + 16, &checksum, sizeof(checksum));
		at += HEADER_BYTES + stored;
	}
}

static int take(void *context, const struct archive_item *item)
{
	size_t *taken = context;

	*taken += strlen(item->entry.path);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint8_t magic[] = { 0, 'm', 'o', 's' };
	uint8_t *copy = malloc(size + sizeof(magic));
	struct archive_counts counts = { 0 };
	size_t taken = 0;

	if (!copy)
		abort();
	memcpy(copy, data, size);
	if (size >= sizeof(magic))
		memcpy(copy, magic, sizeof(magic));
	put_right(copy, size);
	archive_read_items(feed(copy, size), take, &taken, &counts, NULL);
	free(copy);
	return 0;
}
