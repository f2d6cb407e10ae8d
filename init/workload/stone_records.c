/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/stone_records.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/grow.h"
#include "workload/path.h"

#include <inttypes.h>
#include <sys/stat.h>

enum {
	LAYOUT_RECORD_BYTES = 32, /* without source and target */
	INDEX_RECORD_BYTES = 32,
	DIGEST_BYTES = 16,
	RECORD_LIMIT_BYTES = LAYOUT_RECORD_BYTES + 2 * UINT16_MAX,
	TEXTS_LIMIT_BYTES = 1 << 30,
};

/* --- records out of a stream --- */

/* Takes the record at the beginning of bytes and returns its length, 0 where count bytes are too
 * few to tell or to hold it, or a negative errno. */
typedef int take_record(void *context, const unsigned char *bytes, size_t count);

struct records {
	take_record *take;
	void *context;
	uint64_t count, plain_bytes; /* records, and their bytes, that were taken */
	size_t kept;                 /* bytes of the next one */
	unsigned char buffer[RECORD_LIMIT_BYTES];
};

static int take_records(struct records *records, const unsigned char *bytes, size_t count,
			size_t *used)
{
	*used = 0;
	for (;;) {
		int length = records->take(records->context, bytes + *used, count - *used);

		if (length < 0)
			return error_prefix(length, "record %" PRIu64 ", at plain byte %" PRIu64,
					    records->count + 1, records->plain_bytes);
		if (!length)
			return 0;
		if (++records->count > ENTRY_LIMIT)
			return error_set(-EINVAL,
					 "it has over %" PRIu32 " records; use a smaller package",
					 ENTRY_LIMIT);
		records->plain_bytes += (uint64_t)length;
		*used += (size_t)length;
	}
}

/* Whole records are taken where they lie; one that is spread over several blocks is put together
 * first. */
static int take_bytes(void *context, const unsigned char *bytes, size_t count)
{
	struct records *records = context;
	size_t used;
	int error;

	while (records->kept && count) {
		size_t before = records->kept, room = RECORD_LIMIT_BYTES - before;
		size_t length = count < room ? count : room;

		memcpy(records->buffer + before, bytes, length);
		error = take_records(records, records->buffer, before + length, &used);
		if (error)
			return error;
		if (!used) {
			records->kept += length;
			return 0;
		}
		/* What is left of the buffer came from this block, or the record would not have
		 * been kept. */
		records->kept = 0;
		bytes += used - before;
		count -= used - before;
	}
	error = take_records(records, bytes, count, &used);
	if (error)
		return error;
	memcpy(records->buffer, bytes + used, count - used);
	records->kept = count - used;
	return 0;
}

static int read_records(struct input *input, const struct stone_payload *payload, take_record *take,
			void *context)
{
	_cleanup_free_ struct records *records = calloc(1, sizeof(*records));
	int error;

	if (!records)
		return error_set(-ENOMEM, "out of memory for the records of a package");
	records->take = take;
	records->context = context;
	error = stone_body_read(input, payload, take_bytes, records);
	if (!error && records->kept)
		error = error_set(-EINVAL,
				  "its plain bytes end within record %" PRIu64
				  ", which begins at plain byte %" PRIu64,
				  records->count + 1, records->plain_bytes);
	if (!error && records->count != payload->records)
		error = error_set(-EINVAL, "it has %" PRIu64 " records and announces %" PRIu32,
				  records->count, payload->records);
	return error;
}

static XXH128_hash_t digest_at(const unsigned char *bytes)
{
	return (XXH128_hash_t){ .high64 = stone_u64(bytes), .low64 = stone_u64(bytes + 8) };
}

/* --- layout --- */

struct layout_record {
	uint32_t uid, gid, mode;
	uint8_t type;
	const unsigned char *source, *target;
	size_t source_bytes, target_bytes;
};

static int keep_text(struct stone_layout *layout, const void *text, size_t bytes, size_t *offset)
{
	int error;

	if (memchr(text, '\0', bytes))
		return error_set(-EINVAL, "there is a NUL byte within a path or link text");
	if (layout->texts_bytes + bytes + 1 > TEXTS_LIMIT_BYTES)
		return error_set(-EINVAL,
				 "the paths up to here take over %d MiB; use a smaller package",
				 TEXTS_LIMIT_BYTES >> 20);
	error = GROW(layout->texts, layout->texts_capacity, layout->texts_bytes + bytes + 1);
	if (error)
		return error;
	*offset = layout->texts_bytes;
	memcpy(layout->texts + layout->texts_bytes, text, bytes);
	layout->texts[layout->texts_bytes + bytes] = '\0';
	layout->texts_bytes += bytes + 1;
	return 0;
}

/* The target is a path below /usr, in the one plain spelling. */
static int keep_path(struct stone_layout *layout, const struct layout_record *record,
		     size_t *offset)
{
	char path[sizeof("usr/") + UINT16_MAX], normal[PATH_LIMIT_BYTES + 1];
	char shown[SENTENCE_NAME_BYTES];
	size_t bytes;
	int error;

	memcpy(path, "usr/", 4);
	memcpy(path + 4, record->target, record->target_bytes);
	path[4 + record->target_bytes] = '\0';
	/* usr itself has the empty target. */
	if (!record->target_bytes)
		path[3] = '\0';
	error = path_normalise(normal, &bytes, path);
	if (!error && strcmp(path, normal))
		error = error_set(-EINVAL,
				  "the path is not spelled plainly, as \"%s\"; fetch the package "
				  "again",
				  escape_for_sentence(shown, normal));
	if (!error)
		error = keep_text(layout, path, record->target_bytes ? 4 + record->target_bytes : 3,
				  offset);
	return error ? error_prefix(error, "\"%s\"", escape_for_sentence(shown, path)) : 0;
}

/* 1, or 0 for devices and the like, which are no entries. */
static int check_type(const struct layout_record *record, struct stone_entry *entry)
{
	static const struct {
		uint32_t format;
		int entry;
	} types[] = {
		[1] = { S_IFREG, ENTRY_FILE },
		[2] = { S_IFLNK, ENTRY_SYMLINK },
		[3] = { S_IFDIR, ENTRY_DIRECTORY },
		[4] = { S_IFCHR, -1 },
		[5] = { S_IFBLK, -1 },
		[6] = { S_IFIFO, -1 },
		[7] = { S_IFSOCK, -1 },
	};

	if (!record->type || record->type >= ARRAY_LENGTH(types))
		return error_set(-EINVAL, "its type is %u, and only 1 to 7 are known",
				 record->type);
	if ((record->mode & S_IFMT) != types[record->type].format)
		return error_set(-EINVAL, "its type %u and its mode 0%o do not agree", record->type,
				 record->mode);
	if (record->mode & ~(uint32_t)(S_IFMT | 07777))
		return error_set(-EINVAL, "its mode 0%o is none that a filesystem can hold",
				 record->mode);
	if (types[record->type].entry < 0)
		return 0;
	entry->type = (enum entry_type)types[record->type].entry;
	return 1;
}

static int keep_source(struct stone_layout *layout, const struct layout_record *record,
		       struct stone_entry *entry)
{
	size_t bytes = record->source_bytes;

	switch (entry->type) {
	case ENTRY_FILE:
		if (bytes == DIGEST_BYTES + 1 && !record->source[DIGEST_BYTES])
			bytes--;
		if (bytes != DIGEST_BYTES)
			return error_set(-EINVAL, "its digest has %zu bytes, and a digest has %d",
					 bytes, DIGEST_BYTES);
		entry->digest = digest_at(record->source);
		return 0;
	case ENTRY_SYMLINK:
		while (bytes && !record->source[bytes - 1])
			bytes--;
		if (!bytes || bytes > PATH_LIMIT_BYTES)
			return error_set(-EINVAL,
					 "a symlink with a text of %zu bytes cannot be made",
					 bytes);
		return keep_text(layout, record->source, bytes, &entry->link_text);
	default:
		return 0;
	}
}

static int keep_entry(struct stone_layout *layout, const struct layout_record *record)
{
	struct stone_entry entry = { .uid = record->uid,
				     .gid = record->gid,
				     .mode = record->mode & 07777 };
	int status = check_type(record, &entry);

	if (status < 0)
		return status;
	if (!status) {
		layout->special++;
		return 0;
	}
	status = keep_path(layout, record, &entry.path);
	if (!status)
		status = keep_source(layout, record, &entry);
	/* The highest number means "leave as it is" to chown. */
	if (!status && (entry.uid == UINT32_MAX || entry.gid == UINT32_MAX))
		status = error_set(-EINVAL, "its owner %" PRIu32 ":%" PRIu32 " cannot own a file",
				   entry.uid, entry.gid);
	if (!status)
		status = GROW(layout->entries, layout->capacity, layout->count + 1);
	if (!status)
		layout->entries[layout->count++] = entry;
	return status;
}

static int take_layout_record(void *context, const unsigned char *bytes, size_t count)
{
	struct layout_record record;
	size_t length;
	int error;

	if (count < LAYOUT_RECORD_BYTES)
		return 0;
	record.uid = stone_u32(bytes);
	record.gid = stone_u32(bytes + 4);
	record.mode = stone_u32(bytes + 8);
	record.source_bytes = stone_u16(bytes + 16);
	record.target_bytes = stone_u16(bytes + 18);
	record.type = bytes[20];
	length = LAYOUT_RECORD_BYTES + record.source_bytes + record.target_bytes;
	if (count < length)
		return 0;
	record.source = bytes + LAYOUT_RECORD_BYTES;
	record.target = record.source + record.source_bytes;
	while (record.target_bytes && !record.target[record.target_bytes - 1])
		record.target_bytes--;
	error = keep_entry(context, &record);
	return error ? error : (int)length;
}

int stone_layout_read(struct input *input, const struct stone_payload *payload,
		      struct stone_layout *layout)
{
	return read_records(input, payload, take_layout_record, layout);
}

void stone_layout_free(struct stone_layout *layout)
{
	free(layout->entries);
	free(layout->texts);
	*layout = (struct stone_layout){ 0 };
}

/* --- index --- */

static int take_index_record(void *context, const unsigned char *bytes, size_t count)
{
	struct stone_index *index = context;
	struct stone_range range;
	int error;

	if (count < INDEX_RECORD_BYTES)
		return 0;
	range.start = stone_u64(bytes);
	range.end = stone_u64(bytes + 8);
	range.digest = digest_at(bytes + 16);
	if (range.start > range.end)
		return error_set(-EINVAL, "its content begins at %" PRIu64 " and ends at %" PRIu64,
				 range.start, range.end);
	error = GROW(index->ranges, index->capacity, index->count + 1);
	if (error)
		return error;
	index->ranges[index->count++] = range;
	return INDEX_RECORD_BYTES;
}

static int by_start(const void *a, const void *b)
{
	const struct stone_range *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	return left->end < right->end ? -1 : left->end > right->end;
}

struct digest_key {
	const struct stone_index *index;
	XXH128_hash_t digest;
};

static bool same_digest(const void *context, uint32_t element)
{
	const struct digest_key *key = context;

	return XXH128_isEqual(key->index->ranges[element].digest, key->digest);
}

const struct stone_range *stone_index_find(const struct stone_index *index, XXH128_hash_t digest)
{
	struct digest_key key = { index, digest };
	uint32_t at = hash_index_find(&index->by_digest, (uint32_t)digest.low64, same_digest, &key);

	return at == NOT_FOUND ? NULL : &index->ranges[at];
}

int stone_index_read(struct input *input, const struct stone_payload *payload,
		     struct stone_index *index)
{
	int error = read_records(input, payload, take_index_record, index);

	if (error)
		return error;
	if (index->count)
		qsort(index->ranges, index->count, sizeof(*index->ranges), by_start);
	for (uint32_t i = 0; i < index->count; i++) {
		const struct stone_range *range = &index->ranges[i];

		if (i && range->start < range[-1].end)
			return error_set(-EINVAL,
					 "the contents at bytes %" PRIu64 " and %" PRIu64
					 " overlap",
					 range[-1].start, range->start);
		if (stone_index_find(index, range->digest))
			return error_set(-EINVAL, "the content at byte %" PRIu64 " is listed twice",
					 range->start);
		error = hash_index_add(&index->by_digest, (uint32_t)range->digest.low64, i);
		if (error)
			return error;
	}
	return 0;
}

void stone_index_free(struct stone_index *index)
{
	free(index->ranges);
	hash_index_free(&index->by_digest);
	*index = (struct stone_index){ 0 };
}
