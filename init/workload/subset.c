/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/subset.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

struct candidate {
	uint64_t hash; /* of the path; equal ones go by index */
	uint32_t index;
};

struct subset {
	const struct layout *layout;
	const struct contents *contents;
	bool *kept;    /* of each entry */
	uint64_t room; /* entries that are still to be kept */
	take_entry *take;
	void *context;
};

static int by_hash(const void *a, const void *b)
{
	const struct candidate *left = a, *right = b;

	if (left->hash != right->hash)
		return left->hash < right->hash ? -1 : 1;
	return left->index < right->index ? -1 : left->index > right->index;
}

static void keep(struct subset *subset, uint32_t index)
{
	if (!subset->room)
		return;
	subset->kept[index] = true;
	subset->room--;
}

/* From the top down, so that no entry is kept without what is above it. */
static void keep_directory(struct subset *subset, uint32_t index)
{
	const struct entry *directory = &subset->layout->entries[index];

	if (subset->kept[index])
		return;
	if (index)
		keep_directory(subset, directory->parent);
	keep(subset, index);
	for (uint32_t i = 0; i < directory->child_count; i++) {
		uint32_t child = directory->first_child + i;

		if (subset->layout->entries[child].type != ENTRY_DIRECTORY)
			keep(subset, child);
	}
}

static int keep_all(struct subset *subset)
{
	const struct layout *layout = subset->layout;
	_cleanup_free_ struct candidate *candidates =
		calloc(layout->directory_count, sizeof(*candidates));
	uint32_t count = 0;

	if (!candidates)
		return error_set(-ENOMEM, "out of memory for a subset");
	for (uint32_t i = 0; i < layout->entry_count; i++) {
		char path[PATH_LIMIT_BYTES + 1];

		if (layout->entries[i].type != ENTRY_DIRECTORY)
			continue;
		layout_path(layout, i, path, sizeof(path));
		candidates[count++] = (struct candidate){ XXH3_64bits(path, strlen(path)), i };
	}
	qsort(candidates, count, sizeof(*candidates), by_hash);
	for (uint32_t i = 0; i < count && subset->room; i++)
		keep_directory(subset, candidates[i].index);
	return 0;
}

static int hand_out(void *context, const struct layout *layout, uint32_t index)
{
	const struct subset *subset = context;
	const struct entry *entry = &layout->entries[index];
	char path[PATH_LIMIT_BYTES + 1];
	struct listed_entry listed = { .path = path,
				       .type = (enum entry_type)entry->type,
				       .mode = entry->mode,
				       .uid = entry->uid,
				       .gid = entry->gid };

	if (!subset->kept[index])
		return 0;
	layout_path(layout, index, path, sizeof(path));
	if (entry->type == ENTRY_SYMLINK)
		listed.link_text = entry_link_text(layout, entry);
	if (entry->type == ENTRY_FILE && entry->asset != NO_ASSET) {
		const struct content *content = &subset->contents->list[entry->asset];

		listed.size = content->size;
		listed.number = content->number;
		listed.numbered = content->number < FIRST_OWN_NUMBER;
	}
	return subset->take(subset->context, &listed);
}

int subset_each(const struct layout *layout, const struct contents *contents, uint64_t entries,
		take_entry *take, void *context)
{
	_cleanup_free_ bool *kept = calloc(layout->entry_count, sizeof(*kept));
	struct subset subset = { .layout = layout,
				 .contents = contents,
				 .kept = kept,
				 .room = entries,
				 .take = take,
				 .context = context };
	int error;

	if (!kept)
		return error_set(-ENOMEM, "out of memory for a subset");
	if (entries > layout->entry_count)
		return error_set(-EINVAL,
				 "it has %" PRIu32 " entries, and a subset of %" PRIu64
				 " cannot be made of them",
				 layout->entry_count, entries);
	error = keep_all(&subset);
	return error ? error : layout_walk(layout, hand_out, &subset);
}
