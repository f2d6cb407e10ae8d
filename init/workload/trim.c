/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/trim.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/path.h"

#include <errno.h>
#include <string.h>

typedef const struct listed_entry *sorted_entry;

static int in_moss_order(const void *a, const void *b)
{
	return path_compare((*(const sorted_entry *)a)->path, (*(const sorted_entry *)b)->path);
}

/* How many names follow the first bytes of a path. */
static uint64_t names_after(const char *path, size_t bytes)
{
	uint64_t names = 0;

	for (path += bytes; *path; path++)
		names += *path == '/';
	return names;
}

static size_t known_bytes(const struct trim *trim, const char *path)
{
	size_t known = layout_build_known_bytes(trim->build, path);
	size_t below = trim->below ? layout_build_known_bytes(trim->below, path) : 0;

	return known > below ? known : below;
}

/* How many bytes of a path, in whole names, it shares with another one. */
static size_t shared_bytes(const char *path, const char *other)
{
	size_t shared = 0;

	for (size_t i = 0;; i++) {
		bool path_ends = !path[i] || path[i] == '/',
		     other_ends = !other[i] || other[i] == '/';

		if (path_ends && other_ends)
			shared = i;
		if (path[i] != other[i] || !path[i])
			return shared;
	}
}

/* In moss's order whatever shares a directory stands together, so each new entry, made parents
 * included, is counted where it comes first. */
static uint64_t count_new(const struct trim *trim, const sorted_entry *list, size_t count)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < count; i++) {
		size_t known = known_bytes(trim, list[i]->path);
		size_t shared = i ? shared_bytes(list[i]->path, list[i - 1]->path) : 0;

		sum += names_after(list[i]->path, known > shared ? known : shared);
	}
	return sum;
}

static int merge_entry(struct trim *trim, const struct listed_entry *entry)
{
	char shown[SENTENCE_NAME_BYTES];
	int error = layout_build_add(trim->build, entry);

	return error ? error_prefix(error, "\"%s\"", escape_for_sentence(shown, entry->path)) : 0;
}

/* There is room for the first few of an entry's missing parents only. */
static int merge_parents(struct trim *trim, const struct listed_entry *entry, size_t known)
{
	char path[PATH_LIMIT_BYTES + 1];
	const struct listed_entry parent = { .path = path, .type = ENTRY_DIRECTORY, .mode = 0755 };

	if (!trim->room)
		return 0;
	for (; trim->room; trim->room--)
		known += 1 + strcspn(entry->path + known + 1, "/");
	memcpy(path, entry->path, known);
	path[known] = '\0';
	return merge_entry(trim, &parent);
}

static int merge_while_there_is_room(struct trim *trim, const sorted_entry *list, size_t count,
				     uint64_t *merged)
{
	for (size_t i = 0; i < count; i++) {
		size_t known = known_bytes(trim, list[i]->path);
		uint64_t wanted = names_after(list[i]->path, known);
		int error;

		if (wanted > trim->room)
			return merge_parents(trim, list[i], known);
		trim->room -= wanted;
		error = merge_entry(trim, list[i]);
		if (error)
			return error;
		++*merged;
	}
	return 0;
}

/* In the package's own order, which counts where it disagrees with itself. */
static int merge_all(struct trim *trim, const struct gather *gather, uint64_t *merged)
{
	for (; *merged < gather->item_count; ++*merged) {
		int error = merge_entry(trim, &gather->items[*merged].entry);

		if (error)
			return error;
	}
	return 0;
}

int trim_merge(struct trim *trim, const struct gather *gather, uint64_t *merged)
{
	_cleanup_free_ sorted_entry *list = NULL;
	uint64_t count;

	*merged = 0;
	if (trim->room == NO_LIMIT)
		return merge_all(trim, gather, merged);
	list = calloc(gather->item_count + 1, sizeof(*list));
	if (!list)
		return error_set(-ENOMEM, "out of memory for a package of %zu entries",
				 gather->item_count);
	for (size_t i = 0; i < gather->item_count; i++)
		list[i] = &gather->items[i].entry;
	qsort(list, gather->item_count, sizeof(*list), in_moss_order);
	count = count_new(trim, list, gather->item_count);
	if (count > trim->room)
		return merge_while_there_is_room(trim, list, gather->item_count, merged);
	trim->room -= count;
	return merge_all(trim, gather, merged);
}
