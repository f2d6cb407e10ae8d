/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/layout.h"

#include <stdlib.h>
#include <string.h>

const char *layout_path(const struct layout *layout, uint32_t index, char *buffer, size_t size)
{
	size_t length = layout->entries[index].name_length, end;

	if (!size)
		return buffer;
	for (uint32_t at = index; at; at = layout->entries[at].parent)
		length += 1u + layout->entries[layout->entries[at].parent].name_length;
	/* Written from its end, so that the parents need be followed only once more. */
	end = length;
	for (uint32_t at = index;; at = layout->entries[at].parent) {
		const struct entry *entry = &layout->entries[at];
		size_t start = end - entry->name_length;

		if (start < size)
			memcpy(buffer + start, entry_name(layout, entry),
			       end < size ? entry->name_length : size - start);
		if (!at)
			break;
		end = start - 1;
		if (end < size)
			buffer[end] = '/';
	}
	buffer[length < size ? length : size - 1] = '\0';
	return buffer;
}

/* No stack: what comes after a subtree follows from the array, in which the children of a directory
 * stand together. */
static uint32_t next_in_order(const struct layout *layout, uint32_t index)
{
	const struct entry *entries = layout->entries;

	if (entries[index].child_count)
		return entries[index].first_child;
	while (index) {
		const struct entry *parent = &entries[entries[index].parent];

		if (index + 1 < parent->first_child + parent->child_count)
			return index + 1;
		index = entries[index].parent;
	}
	return layout->entry_count;
}

int layout_walk(const struct layout *layout,
		int (*visit)(void *context, const struct layout *layout, uint32_t index),
		void *context)
{
	for (uint32_t index = 0; index < layout->entry_count;
	     index = next_in_order(layout, index)) {
		int result = visit(context, layout, index);

		if (result)
			return result;
	}
	return 0;
}

void layout_free(struct layout *layout)
{
	free(layout->entries);
	free(layout->names);
	*layout = (struct layout){ 0 };
}
