/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of a .stone's layout and index payloads. */
#ifndef BLITBENCH_WORKLOAD_STONE_RECORDS_H
#define BLITBENCH_WORKLOAD_STONE_RECORDS_H

#include "workload/hash_index.h"
#include "workload/mtree.h"
#include "workload/stone_body.h"

#include <xxhash.h>

struct stone_entry {
	size_t path, link_text; /* offsets into texts; link_text of a symlink only */
	XXH128_hash_t digest;   /* of a file's content */
	uint32_t uid, gid;
	uint16_t mode;
	enum entry_type type;
};

struct stone_layout {
	struct stone_entry *entries;
	size_t count, capacity;
	uint64_t special; /* devices, pipes and sockets, which are no entries */
	char *texts;
	size_t texts_bytes, texts_capacity;
};

/* One content: bytes start to end of the plain content payload. */
struct stone_range {
	uint64_t start, end;
	XXH128_hash_t digest;
};

struct stone_index {
	struct stone_range *ranges; /* by start */
	size_t count, capacity;
	struct hash_index by_digest;
};

/* Reads the bodies that follow such headers. layout and index begin as { 0 } and are freed by
 * their own functions, after errors too. */
int stone_layout_read(struct input *input, const struct stone_payload *payload,
		      struct stone_layout *layout);
int stone_index_read(struct input *input, const struct stone_payload *payload,
		     struct stone_index *index);

/* NULL where the index does not have it. */
const struct stone_range *stone_index_find(const struct stone_index *index, XXH128_hash_t digest);

void stone_layout_free(struct stone_layout *layout);
void stone_index_free(struct stone_index *index);

#endif
