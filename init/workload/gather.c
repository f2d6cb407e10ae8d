/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/gather.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/grow.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* TEXTS_LIMIT_BYTES: of the paths and link texts of one package. */
enum { RANK_BITS = 20, TEXTS_LIMIT_BYTES = 1 << 30 };

/* --- contents --- */

struct content_key {
	const struct gather *gather;
	XXH128_hash_t hash;
	uint64_t size;
};

static bool same_content(const void *context, uint32_t element)
{
	const struct content_key *key = context;
	const struct gathered_content *content = &key->gather->contents[element];

	return content->size == key->size && XXH128_isEqual(content->hash, key->hash);
}

static int find_content(struct gather *gather, const struct archive_item *item, uint32_t *place)
{
	struct content_key key = { gather, item->hash, item->entry.size };
	int error;

	*place = hash_index_find(&gather->by_hash, (uint32_t)item->hash.low64, same_content, &key);
	if (*place != NOT_FOUND)
		return 0;
	*place = (uint32_t)gather->content_count;
	error = GROW(gather->contents, gather->content_capacity, gather->content_count + 1);
	if (!error)
		error = hash_index_add(&gather->by_hash, (uint32_t)item->hash.low64, *place);
	if (error)
		return error;
	gather->contents[gather->content_count++] =
		(struct gathered_content){ item->hash, item->entry.size, 0, 0 };
	return 0;
}

/* --- items --- */

struct path_key {
	const struct gather *gather;
	const char *path;
};

static bool same_path(const void *context, uint32_t element)
{
	const struct path_key *key = context;

	return !strcmp(key->gather->texts + key->gather->items[element].path, key->path);
}

static uint32_t find_path(const struct gather *gather, const char *path)
{
	struct path_key key = { gather, path };

	return hash_index_find(&gather->by_path, (uint32_t)XXH3_64bits(path, strlen(path)),
			       same_path, &key);
}

static int keep_text(struct gather *gather, const char *text, size_t *offset)
{
	size_t bytes = strlen(text) + 1;
	int error;

	if (gather->texts_bytes + bytes > TEXTS_LIMIT_BYTES)
		return error_set(-EINVAL,
				 "the paths up to here take over %d MiB; use a smaller package",
				 TEXTS_LIMIT_BYTES >> 20);
	error = GROW(gather->texts, gather->texts_capacity, gather->texts_bytes + bytes);

	if (error)
		return error;
	memcpy(gather->texts + gather->texts_bytes, text, bytes);
	*offset = gather->texts_bytes;
	gather->texts_bytes += bytes;
	return 0;
}

static int place_item(struct gather *gather, const struct archive_item *listed,
		      struct gathered_item **item)
{
	const char *path = listed->entry.path;
	uint32_t at = find_path(gather, path);
	struct gathered_item fresh = { 0 };
	int error;

	if (at != NOT_FOUND) {
		*item = &gather->items[at];
		return listed->unique ? error_set(-EINVAL, "the path is listed twice; fetch the "
							   "package again")
				      : 0;
	}
	if (gather->item_count >= ENTRY_LIMIT)
		return error_set(-EINVAL,
				 "there are over %" PRIu32 " entries; use a smaller package",
				 ENTRY_LIMIT);
	error = GROW(gather->items, gather->item_capacity, gather->item_count + 1);
	if (!error)
		error = keep_text(gather, path, &fresh.path);
	if (!error)
		error = hash_index_add(&gather->by_path, (uint32_t)XXH3_64bits(path, strlen(path)),
				       (uint32_t)gather->item_count);
	if (error)
		return error;
	*item = &gather->items[gather->item_count++];
	**item = fresh;
	return 0;
}

static int follow_hard_link(const struct gather *gather, const char *target, uint32_t *inode)
{
	uint32_t at = find_path(gather, target);
	char shown[SENTENCE_NAME_BYTES];

	if (at == NOT_FOUND || gather->items[at].entry.type != ENTRY_FILE)
		return error_set(
			-EINVAL,
			"it is a hard link to \"%s\", and there is no such file before it; fetch "
			"the archive again",
			escape_for_sentence(shown, target));
	*inode = gather->items[at].inode;
	return 0;
}

/* Finds or makes the inode of a file; its content is that of all its names. */
static int place_inode(struct gather *gather, const struct archive_item *item, uint32_t *inode)
{
	int error;

	if (item->hard_link) {
		error = follow_hard_link(gather, item->hard_link, inode);
	} else {
		*inode = (uint32_t)gather->inode_count;
		error = GROW(gather->inodes, gather->inode_capacity, gather->inode_count + 1);
		if (!error)
			gather->inodes[gather->inode_count++] = 0;
	}
	return error || !item->has_content ? error
					   : find_content(gather, item, &gather->inodes[*inode]);
}

int gather_item(void *context, const struct archive_item *archive_item)
{
	struct gather *gather = context;
	const struct listed_entry *entry = &archive_item->entry;
	struct gathered_item *item = NULL;
	uint32_t inode = 0;
	size_t link_text = 0;
	int error = 0;

	if (entry->type == ENTRY_FILE)
		error = place_inode(gather, archive_item, &inode);
	else if (entry->type == ENTRY_SYMLINK)
		error = keep_text(gather, entry->link_text ? entry->link_text : "", &link_text);
	if (!error)
		error = place_item(gather, archive_item, &item);
	if (error)
		return error;
	item->entry = *entry;
	item->link_text = link_text;
	item->inode = inode;
	return 0;
}

/* --- numbers --- */

struct ranked {
	const char *path;
	uint64_t size;
	uint32_t content;
};

static int by_size_and_path(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	return strcmp(left->path, right->path);
}

/* Ranks go to the distinct contents of the package, whether or not an earlier package has numbered
 * them already. */
static int rank_contents(struct gather *gather)
{
	_cleanup_free_ struct ranked *list = calloc(gather->item_count + 1, sizeof(*list));
	uint64_t rank = 0;
	size_t count = 0;

	if (!list)
		return error_set(-ENOMEM, "out of memory for a package of %zu entries",
				 gather->item_count);
	for (size_t i = 0; i < gather->item_count; i++) {
		const struct gathered_item *item = &gather->items[i];
		uint32_t content;

		if (item->entry.type != ENTRY_FILE)
			continue;
		content = gather->inodes[item->inode];
		if (gather->contents[content].size)
			list[count++] = (struct ranked){ gather->texts + item->path,
							 gather->contents[content].size, content };
	}
	qsort(list, count, sizeof(*list), by_size_and_path);
	for (size_t i = 0; i < count; i++) {
		struct gathered_content *content = &gather->contents[list[i].content];

		if (content->ranked_in == gather->packages)
			continue;
		if (!content->ranked_in)
			content->number = (gather->packages << RANK_BITS) + rank;
		content->ranked_in = gather->packages;
		rank++;
	}
	/* A package that has more contents than a number has ranks takes up the next numbers too. */
	if (rank)
		gather->packages += (rank - 1) >> RANK_BITS;
	return 0;
}

int gather_number(struct gather *gather)
{
	int error = rank_contents(gather);

	for (size_t i = 0; i < gather->item_count; i++) {
		struct gathered_item *item = &gather->items[i];
		const struct gathered_content *content;

		item->entry.path = gather->texts + item->path;
		item->entry.link_text = gather->texts + item->link_text;
		if (item->entry.type != ENTRY_FILE)
			continue;
		content = &gather->contents[gather->inodes[item->inode]];
		item->entry.size = content->size;
		item->entry.number = content->number;
		item->entry.numbered = content->ranked_in;
	}
	return error;
}

/* --- packages --- */

void gather_begin(struct gather *gather)
{
	hash_index_free(&gather->by_path);
	gather->item_count = 0;
	gather->texts_bytes = 0;
	gather->inode_count = 0;
	gather->packages++;
}

void gather_free(struct gather *gather)
{
	hash_index_free(&gather->by_path);
	hash_index_free(&gather->by_hash);
	free(gather->items);
	free(gather->texts);
	free(gather->inodes);
	free(gather->contents);
	*gather = (struct gather){ 0 };
}
