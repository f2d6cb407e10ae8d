/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/stone.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/stone_records.h"

#include <errno.h>
#include <inttypes.h>

static const unsigned char magic[STONE_MAGIC_BYTES] = { 0, 'm', 'o', 's' };

struct package {
	struct stone_layout layout;
	struct stone_index index;
	struct stone_payload content; /* kind 0: none so far */
	bool has_layout, has_index, content_checked;
};

bool stone_begins(const unsigned char *bytes, size_t count)
{
	return count >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

/* --- the file's header --- */

static int read_header(struct input *input, unsigned *payloads)
{
	enum { HEADER_BYTES = 32, TYPE_BINARY = 1, VERSION = 1 };
	static const unsigned char fixed[21] = { 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0,
						 4, 0, 0, 5, 0, 0, 6, 0, 0, 7 };
	static const char *const types[] = {
		[2] = "a delta", [3] = "a repository's index", [4] = "a build's manifest"
	};
	unsigned char header[HEADER_BYTES];
	int error = input_exactly(input, header, sizeof(header));
	unsigned type;

	if (error)
		return error;
	if (!stone_begins(header, sizeof(header)) || memcmp(header + 6, fixed, sizeof(fixed)))
		return error_set(-EINVAL, "its header is damaged at bytes 0 to 26; fetch it again");
	if (stone_u32(header + 28) != VERSION)
		return error_set(-EINVAL,
				 "its format has version %" PRIu32 ", and only version 1 is known",
				 stone_u32(header + 28));
	type = header[27];
	if (type != TYPE_BINARY && type < ARRAY_LENGTH(types) && types[type])
		return error_set(-EINVAL, "it is %s, and no package; give the package itself",
				 types[type]);
	if (type != TYPE_BINARY)
		return error_set(-EINVAL, "its type is %u (byte 27), which is not known", type);
	*payloads = stone_u16(header + 4);
	return 0;
}

/* --- contents --- */

/* Checks the digest of each content as the payload passes by. */
struct checking {
	const struct stone_index *index;
	size_t at;           /* the range that comes next or is being read */
	uint64_t plain_byte; /* so many were read */
	XXH3_state_t *state;
};

static int check_digest(struct checking *checking)
{
	const struct stone_range *range = &checking->index->ranges[checking->at++];

	if (XXH128_isEqual(XXH3_128bits_digest(checking->state), range->digest))
		return 0;
	return error_set(-EINVAL,
			 "the content at plain bytes %" PRIu64 " to %" PRIu64
			 " does not have the digest %016" PRIx64 "%016" PRIx64
			 " that the index gives; fetch the package again",
			 range->start, range->end, (uint64_t)range->digest.high64,
			 (uint64_t)range->digest.low64);
}

static int check_bytes(void *context, const unsigned char *bytes, size_t count)
{
	struct checking *checking = context;
	uint64_t first = checking->plain_byte, end = first + count;

	checking->plain_byte = end;
	while (checking->at < checking->index->count) {
		const struct stone_range *range = &checking->index->ranges[checking->at];
		uint64_t from = range->start > first ? range->start : first;
		uint64_t to = range->end < end ? range->end : end;
		int error;

		if (range->start >= end && range->end > end)
			return 0;
		if (range->start >= first)
			XXH3_128bits_reset(checking->state);
		if (to > from)
			XXH3_128bits_update(checking->state, bytes + (from - first), to - from);
		if (range->end > end)
			return 0;
		error = check_digest(checking);
		if (error)
			return error;
	}
	return 0;
}

static int check_content(struct input *input, struct package *package)
{
	struct checking checking = { .index = &package->index, .state = XXH3_createState() };
	int error;

	if (!checking.state)
		return error_set(-ENOMEM, "out of memory for checking a package");
	error = stone_body_read(input, &package->content, check_bytes, &checking);
	/* Empty contents may lie at the very end. */
	if (!error)
		error = check_bytes(&checking, (const unsigned char *)"", 0);
	if (!error && checking.at < package->index.count)
		error = error_set(-EINVAL,
				  "it has %" PRIu64 " plain bytes, and the index has a content "
				  "that ends at %" PRIu64,
				  checking.plain_byte, package->index.ranges[checking.at].end);
	XXH3_freeState(checking.state);
	package->content_checked = true;
	return error;
}

/* --- payloads --- */

static int second(const char *name)
{
	return error_set(-EINVAL, "it is a second %s payload, and a package has one", name);
}

static int read_payload(struct input *input, struct package *package,
			const struct stone_payload *payload)
{
	switch (payload->kind) {
	case STONE_LAYOUT:
		if (package->has_layout)
			return second("layout");
		package->has_layout = true;
		return stone_layout_read(input, payload, &package->layout);
	case STONE_INDEX:
		if (package->has_index)
			return second("index");
		package->has_index = true;
		return stone_index_read(input, payload, &package->index);
	case STONE_CONTENT:
		if (package->content.kind)
			return second("content");
		package->content = *payload;
		/* Before the index it cannot be checked yet. */
		return package->has_index ? check_content(input, package)
					  : stone_body_read(input, payload, NULL, NULL);
	default:
		return stone_body_read(input, payload, NULL, NULL);
	}
}

static int named_payload(int error, const struct stone_payload *payload)
{
	static const char *const names[] = {
		[STONE_META] = "meta ",
		[STONE_CONTENT] = "content ",
		[STONE_LAYOUT] = "layout ",
		[STONE_INDEX] = "index ",
		[STONE_ATTRIBUTES] = "attributes ",
	};
	const char *name = payload->kind < ARRAY_LENGTH(names) ? names[payload->kind] : NULL;

	if (!error || error == -EINTR)
		return error;
	return error_prefix(error, "the %spayload at byte %" PRIu64, name ? name : "", payload->at);
}

static int check_content_late(struct input *input, struct package *package)
{
	struct stone_payload again;
	int error;

	if (!package->content.kind || package->content_checked)
		return 0;
	error = input_seek(input, package->content.at);
	if (!error)
		error = stone_payload_read(input, &again);
	if (!error)
		error = check_content(input, package);
	return named_payload(error, &package->content);
}

static int read_package(struct input *input, struct package *package)
{
	unsigned payloads = 0;
	char next;
	int status = read_header(input, &payloads);

	for (unsigned i = 0; !status && i < payloads; i++) {
		struct stone_payload payload = { 0 };

		status = stone_payload_read(input, &payload);
		if (!status)
			status = read_payload(input, package, &payload);
		status = named_payload(status, &payload);
	}
	if (status)
		return status;
	status = input_peek(input, &next, 1);
	if (status > 0)
		return error_set(-EINVAL,
				 "at byte %" PRIu64
				 ", behind the last payload, there is more; fetch it again",
				 input_offset(input));
	return status ? status : check_content_late(input, package);
}

/* --- entries --- */

static int find_size(const struct package *package, const struct stone_entry *entry, uint64_t *size)
{
	static const XXH128_hash_t empty = { .high64 = UINT64_C(0x99aa06d3014798d8),
					     .low64 = UINT64_C(0x6001c324468d497f) };
	const struct stone_range *range = stone_index_find(&package->index, entry->digest);

	*size = range ? range->end - range->start : 0;
	if (range || XXH128_isEqual(entry->digest, empty))
		return 0;
	return error_set(-EINVAL,
			 "the package has no content of the digest %016" PRIx64 "%016" PRIx64
			 ", so its size is not known; give the whole package",
			 (uint64_t)entry->digest.high64, (uint64_t)entry->digest.low64);
}

static int take_entries(const struct package *package, take_item *take, void *context,
			struct archive_counts *counts)
{
	const struct stone_layout *layout = &package->layout;
	char shown[SENTENCE_NAME_BYTES];

	counts->special += layout->special;
	for (size_t i = 0; i < layout->count; i++) {
		const struct stone_entry *entry = &layout->entries[i];
		struct archive_item item = {
			.entry = { .path = layout->texts + entry->path,
				   .type = entry->type,
				   .mode = entry->mode,
				   .uid = entry->uid,
				   .gid = entry->gid },
			.unique = true,
		};
		int error = 0;

		if (entry->type == ENTRY_SYMLINK)
			item.entry.link_text = layout->texts + entry->link_text;
		if (entry->type == ENTRY_FILE) {
			item.has_content = true;
			item.hash = entry->digest;
			error = find_size(package, entry, &item.entry.size);
		}
		if (!error)
			error = take(context, &item);
		if (error)
			return error_prefix(error, "\"%s\"",
					    escape_for_sentence(shown, item.entry.path));
		counts->taken++;
	}
	return 0;
}

int stone_read_items(struct input *input, take_item *take, void *context,
		     struct archive_counts *counts)
{
	struct package package = { 0 };
	int error = read_package(input, &package);

	/* A content that nothing indexes is of no file, but what files need must be there. */
	if (!error && package.index.count && !package.content.kind)
		error = error_set(-EINVAL, "it has an index and no content payload; give the whole "
					   "package");
	if (!error && !package.has_layout)
		error = error_set(-EINVAL, "it has no layout payload, so it has no files");
	if (!error)
		error = take_entries(&package, take, context, counts);
	stone_layout_free(&package.layout);
	stone_index_free(&package.index);
	return error;
}
