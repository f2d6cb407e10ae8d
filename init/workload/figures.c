/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/figures.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>

static uint32_t depth_of(const struct layout *layout, uint32_t index)
{
	uint32_t depth = 1;

	for (; index; index = layout->entries[index].parent)
		depth++;
	return depth;
}

int layout_figures(struct layout_figures *figures, const struct layout *layout,
		   const struct contents *contents)
{
	_cleanup_free_ bool *seen = calloc((size_t)contents->count + 1, sizeof(*seen));

	if (!seen)
		return error_set(-ENOMEM, "out of memory for the figures of a workload");
	*figures = (struct layout_figures){
		.entries = layout->entry_count,
		.files = layout->file_count,
		.empty_files = layout->empty_file_count,
		.symlinks = layout->symlink_count,
		.directories = layout->directory_count,
		.bytes = layout->bytes,
		/* Entries are placed level by level, so the last one is among the deepest. */
		.deepest = depth_of(layout, layout->entry_count - 1),
	};
	for (uint32_t i = 0; i < layout->entry_count; i++) {
		const struct entry *entry = &layout->entries[i];
		uint64_t size;

		if (entry->type != ENTRY_FILE || entry->asset == NO_ASSET || seen[entry->asset])
			continue;
		seen[entry->asset] = true;
		size = contents->list[entry->asset].size;
		figures->assets++;
		figures->asset_bytes += size;
		if (size > figures->largest_asset_bytes)
			figures->largest_asset_bytes = size;
	}
	return 0;
}
