/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/figures.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <string.h>

/* --- distributions --- */

static int by_value(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

static uint64_t percentile(const uint64_t *sorted, uint64_t count, uint64_t percent)
{
	return sorted[(count * percent + 99) / 100 - 1];
}

static void distribute(struct distribution *distribution, uint64_t *values, uint64_t count)
{
	*distribution = (struct distribution){ .count = count };
	if (!count)
		return;
	qsort(values, count, sizeof(*values), by_value);
	distribution->minimum = values[0];
	distribution->median = percentile(values, count, 50);
	distribution->percentile_90 = percentile(values, count, 90);
	distribution->percentile_99 = percentile(values, count, 99);
	distribution->maximum = values[count - 1];
}

/* Which value of an entry is meant; false where it has none. */
typedef bool value_of(const struct layout *layout, const struct contents *contents,
		      const struct entry *entry, uint64_t *value);

static bool name_bytes(const struct layout *layout, const struct contents *contents,
		       const struct entry *entry, uint64_t *value)
{
	(void)layout;
	(void)contents;
	*value = entry->name_length;
	return true;
}

static bool link_text_bytes(const struct layout *layout, const struct contents *contents,
			    const struct entry *entry, uint64_t *value)
{
	(void)contents;
	if (entry->type != ENTRY_SYMLINK)
		return false;
	*value = strlen(entry_link_text(layout, entry));
	return true;
}

static bool children(const struct layout *layout, const struct contents *contents,
		     const struct entry *entry, uint64_t *value)
{
	(void)layout;
	(void)contents;
	*value = entry->child_count;
	return entry->type == ENTRY_DIRECTORY;
}

static bool file_bytes(const struct layout *layout, const struct contents *contents,
		       const struct entry *entry, uint64_t *value)
{
	(void)layout;
	if (entry->type != ENTRY_FILE || entry->asset == NO_ASSET)
		return false;
	*value = contents->list[entry->asset].size;
	return true;
}

static int find_distributions(struct layout_figures *figures, const struct layout *layout,
			      const struct contents *contents)
{
	const struct {
		value_of *value;
		struct distribution *distribution;
	} table[] = {
		{ name_bytes, &figures->name_bytes },
		{ link_text_bytes, &figures->link_text_bytes },
		{ children, &figures->children },
		{ file_bytes, &figures->file_bytes },
	};
	_cleanup_free_ uint64_t *values = calloc(layout->entry_count, sizeof(*values));

	if (!values)
		return error_set(-ENOMEM, "out of memory for the figures of a workload");
	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		uint64_t count = 0;

		for (uint32_t at = 0; at < layout->entry_count; at++)
			count += table[i].value(layout, contents, &layout->entries[at],
						&values[count]);
		distribute(table[i].distribution, values, count);
	}
	return 0;
}

/* --- contents --- */

struct users {
	uint32_t files;
	uint16_t mode; /* of the first of them */
	bool collide;
};

static void count_contents(struct layout_figures *figures, const struct layout *layout,
			   const struct contents *contents, struct users *users)
{
	for (uint32_t i = 0; i < layout->entry_count; i++) {
		const struct entry *entry = &layout->entries[i];
		struct users *user;

		if (entry->type != ENTRY_FILE || entry->asset == NO_ASSET)
			continue;
		user = &users[entry->asset];
		if (!user->files++)
			user->mode = entry->mode;
		user->collide |= user->mode != entry->mode;
		figures->by_size[63 - __builtin_clzll(contents->list[entry->asset].size)]++;
	}
	for (uint32_t i = 0; i < contents->count; i++) {
		uint64_t size = contents->list[i].size;

		/* A content can be of the delta only. */
		if (!users[i].files)
			continue;
		figures->assets++;
		figures->asset_bytes += size;
		if (size > figures->largest_asset_bytes)
			figures->largest_asset_bytes = size;
		if (users[i].files > 1) {
			figures->shared_contents++;
			figures->shared_files += users[i].files;
		}
		if (users[i].collide) {
			figures->colliding_contents++;
			figures->colliding_files += users[i].files;
		}
	}
}

/* --- entries --- */

static uint32_t depth_of(const struct layout *layout, uint32_t index)
{
	uint32_t depth = 1;

	for (; index; index = layout->entries[index].parent)
		depth++;
	return depth;
}

static void count_entries(struct layout_figures *figures, const struct layout *layout)
{
	for (uint32_t i = 0; i < layout->entry_count; i++) {
		const struct entry *entry = &layout->entries[i];
		uint32_t depth = depth_of(layout, i);

		figures->by_depth[depth]++;
		if (depth > figures->deepest)
			figures->deepest = depth;
		figures->empty_directories += entry->type == ENTRY_DIRECTORY && !entry->child_count;
		figures->special_modes += (entry->mode & 07000) != 0;
		figures->other_owners += entry->uid || entry->gid;
	}
}

int layout_figures(struct layout_figures *figures, const struct layout *layout,
		   const struct contents *contents)
{
	_cleanup_free_ struct users *users = calloc((size_t)contents->count + 1, sizeof(*users));

	if (!users)
		return error_set(-ENOMEM, "out of memory for the figures of a workload");
	*figures = (struct layout_figures){
		.entries = layout->entry_count,
		.files = layout->file_count,
		.empty_files = layout->empty_file_count,
		.symlinks = layout->symlink_count,
		.directories = layout->directory_count,
		.bytes = layout->bytes,
	};
	count_entries(figures, layout);
	count_contents(figures, layout, contents, users);
	return find_distributions(figures, layout, contents);
}
