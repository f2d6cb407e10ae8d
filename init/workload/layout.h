/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout: the tree that a blit makes, held compactly. All names lie in one arena, all entries
 * in one array; entries[0] is "usr" itself, the children of a directory are contiguous and sorted
 * bytewise by name, so that walking children in array order and descending into each directory as
 * it comes is moss's order.
 */
#ifndef BLITBENCH_WORKLOAD_LAYOUT_H
#define BLITBENCH_WORKLOAD_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum entry_type { ENTRY_FILE, ENTRY_SYMLINK, ENTRY_DIRECTORY };

/* An empty file has no asset: it is created, never linked. */
#define NO_ASSET UINT32_MAX

struct entry {
	uint32_t name;   /* offset of the NUL-terminated name in layout.names */
	uint32_t parent; /* index of the directory that holds it; entries[0] is its own */
	union {
		uint32_t asset;     /* file: index into the contents, or NO_ASSET */
		uint32_t link_text; /* symlink: offset of the NUL-terminated text in layout.names */
		uint32_t first_child; /* directory: index of its first child */
	};
	uint32_t child_count; /* directory only, else 0 */
	uint32_t uid, gid;
	uint16_t mode; /* permission bits only, & 07777 */
	uint8_t type;  /* enum entry_type */
	uint8_t name_length;
};

struct layout {
	struct entry *entries;
	uint32_t entry_count; /* usr counted */
	uint32_t file_count, symlink_count, directory_count;
	uint32_t empty_file_count;
	uint64_t bytes; /* sum of the sizes of all files, each occurrence counted */
	char *names;
	size_t names_bytes;
};

static inline const char *entry_name(const struct layout *layout, const struct entry *entry)
{
	return layout->names + entry->name;
}

static inline const char *entry_link_text(const struct layout *layout, const struct entry *entry)
{
	return layout->names + entry->link_text;
}

/* Writes the path of an entry ("usr/bin/nano") into buffer; returns buffer. Cut off where size is
 * too small. */
const char *layout_path(const struct layout *layout, uint32_t index, char *buffer, size_t size);

/* Calls visit for each entry in moss's order: depth-first, bytewise, a directory before what it
 * holds. Stops and returns the first non-zero. */
int layout_walk(const struct layout *layout,
		int (*visit)(void *context, const struct layout *layout, uint32_t index),
		void *context);

void layout_free(struct layout *layout);

#endif
