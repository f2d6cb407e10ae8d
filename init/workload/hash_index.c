/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/hash_index.h"

#include "lib/error.h"

#include <errno.h>
#include <stdlib.h>

enum { FIRST_SLOTS = 64 };

uint32_t hash_index_find(const struct hash_index *index, uint32_t hash, hash_same *same,
			 const void *context)
{
	uint32_t mask = index->slot_count - 1;

	if (!index->slot_count)
		return NOT_FOUND;
	for (uint32_t at = hash & mask; index->slots[at].element_plus_one; at = (at + 1) & mask) {
		uint32_t element = index->slots[at].element_plus_one - 1;

		if (index->slots[at].hash == hash && same(context, element))
			return element;
	}
	return NOT_FOUND;
}

static void put(struct hash_slot *slots, uint32_t mask, struct hash_slot slot)
{
	uint32_t at = slot.hash & mask;

	while (slots[at].element_plus_one)
		at = (at + 1) & mask;
	slots[at] = slot;
}

static int enlarge(struct hash_index *index)
{
	uint32_t slot_count = index->slot_count ? index->slot_count * 2 : FIRST_SLOTS;
	struct hash_slot *slots = calloc(slot_count, sizeof(*slots));

	if (!slots)
		return error_set(-ENOMEM, "out of memory: an index of %u slots was needed",
				 slot_count);
	for (uint32_t at = 0; at < index->slot_count; at++)
		if (index->slots[at].element_plus_one)
			put(slots, slot_count - 1, index->slots[at]);
	free(index->slots);
	index->slots = slots;
	index->slot_count = slot_count;
	return 0;
}

int hash_index_add(struct hash_index *index, uint32_t hash, uint32_t element)
{
	/* At most two slots in three are used, or searching would get slow. */
	if ((uint64_t)index->used * 3 >= (uint64_t)index->slot_count * 2) {
		int error = enlarge(index);

		if (error)
			return error;
	}
	put(index->slots, index->slot_count - 1, (struct hash_slot){ hash, element + 1 });
	index->used++;
	return 0;
}

void hash_index_free(struct hash_index *index)
{
	free(index->slots);
	*index = (struct hash_index){ 0 };
}
