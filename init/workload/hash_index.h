/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the elements of an array by a hash of their key. The keys stay in the array; the index
 * holds 8 bytes a slot. */
#ifndef BLITBENCH_WORKLOAD_HASH_INDEX_H
#define BLITBENCH_WORKLOAD_HASH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#define NOT_FOUND UINT32_MAX

struct hash_slot {
	uint32_t hash;
	uint32_t element_plus_one; /* 0: free */
};

struct hash_index {
	struct hash_slot *slots;
	uint32_t slot_count; /* a power of two */
	uint32_t used;
};

/* Says whether the array's element has the key that context holds. */
typedef bool hash_same(const void *context, uint32_t element);

/* The element, or NOT_FOUND. */
uint32_t hash_index_find(const struct hash_index *index, uint32_t hash, hash_same *same,
			 const void *context);

/* Adds an element whose key is not in the index yet. 0 or -ENOMEM with a sentence. */
int hash_index_add(struct hash_index *index, uint32_t hash, uint32_t element);

/* Leaves an empty index. */
void hash_index_free(struct hash_index *index);

#endif
