/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/archive.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/path.h"
#include "workload/source.h"
#include "workload/stone.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Made-up zeros cost time and no bytes of the archive; no package has so many. */
#define HOLE_LIMIT_BYTES (UINT64_C(1) << 30)

struct reading {
	const struct source *source;
	take_item *take;
	void *context;
	struct archive_counts *counts;
	XXH3_state_t *hash_state;
	char path[PATH_LIMIT_BYTES + 1], hard_link[PATH_LIMIT_BYTES + 1];
};

/* --- paths --- */

static bool moved_by_usr_merge(const char *path)
{
	static const char *const names[] = { "bin", "sbin", "lib", "lib32", "lib64", "libx32" };
	size_t length = strcspn(path, "/");

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
		if (strlen(names[i]) == length && !memcmp(path, names[i], length))
			return true;
	return false;
}

enum place { OUTSIDE_USR, BELOW_USR, NAMESAKE_OF_USR };

/*
 * Makes of a path the one that it has below usr/. Returns an enum place, or a negative errno.
 * NAMESAKE_OF_USR: it is one of the directories that usr-merge moves, itself.
 */
static int place_below_usr(char path[PATH_LIMIT_BYTES + 1], const char *spelled)
{
	static const char usr[] = "usr/";
	size_t bytes;
	int error = path_normalise(path, &bytes, spelled);

	if (error)
		return error;
	if (path_below_usr(path))
		return BELOW_USR;
	if (!moved_by_usr_merge(path))
		return OUTSIDE_USR;
	if (bytes + strlen(usr) > PATH_LIMIT_BYTES)
		return error_set(-EINVAL, "the path has over %d bytes below usr/",
				 PATH_LIMIT_BYTES);
	memmove(path + strlen(usr), path, bytes + 1);
	memcpy(path, usr, strlen(usr));
	return strchr(path + strlen(usr), '/') ? BELOW_USR : NAMESAKE_OF_USR;
}

/* --- entries --- */

/* In the C locale libarchive has names that are not ASCII only as UTF-8 where the archive says that
 * they are. */
static const char *path_of(struct archive_entry *header)
{
	const char *path = archive_entry_pathname(header);

	return path ? path : archive_entry_pathname_utf8(header);
}

static const char *hard_link_of(struct archive_entry *header)
{
	const char *path = archive_entry_hardlink(header);

	return path ? path : archive_entry_hardlink_utf8(header);
}

static const char *link_text_of(struct archive_entry *header)
{
	const char *text = archive_entry_symlink(header);

	return text ? text : archive_entry_symlink_utf8(header);
}

/* The zeros of a sparse file that no block has. */
static int hash_hole(struct reading *reading, uint64_t bytes)
{
	static const unsigned char zeros[64 << 10];

	if (bytes > HOLE_LIMIT_BYTES)
		return error_set(-EINVAL,
				 "it has a hole of %" PRIu64 " bytes, and over %" PRIu64
				 " are not believed; leave this archive out",
				 bytes, HOLE_LIMIT_BYTES);
	for (uint64_t length; bytes; bytes -= length) {
		length = bytes < sizeof(zeros) ? bytes : sizeof(zeros);
		XXH3_128bits_update(reading->hash_state, zeros, length);
	}
	return 0;
}

static int hash_block(struct reading *reading, struct archive_item *item, const void *block,
		      size_t bytes, la_int64_t offset)
{
	uint64_t at = (uint64_t)offset;
	int error;

	if (at < item->entry.size || at > SIZE_LIMIT_BYTES || bytes > SIZE_LIMIT_BYTES)
		return error_set(-EINVAL,
				 "it has content at byte %" PRIu64 ", and %" PRIu64
				 " are the most that it may have; leave this archive out",
				 at, SIZE_LIMIT_BYTES);
	error = hash_hole(reading, at - item->entry.size);
	if (error)
		return error;
	XXH3_128bits_update(reading->hash_state, block, bytes);
	item->entry.size = at + bytes;
	return 0;
}

static int hash_content(struct reading *reading, struct archive *archive,
			struct archive_entry *header, struct archive_item *item)
{
	int64_t size = archive_entry_size(header);
	int error;

	XXH3_128bits_reset(reading->hash_state);
	for (;;) {
		const void *block;
		la_int64_t offset;
		size_t bytes = 0;
		int status = archive_read_data_block(archive, &block, &bytes, &offset);

		if (status == ARCHIVE_EOF)
			break;
		if (status != ARCHIVE_OK)
			return source_failed(reading->source, archive);
		error = hash_block(reading, item, block, bytes, offset);
		if (error)
			return error;
	}
	if (size > 0 && (uint64_t)size > item->entry.size) {
		error = hash_block(reading, item, "", 0, size);
		if (error)
			return error;
	}
	item->hash = XXH3_128bits_digest(reading->hash_state);
	return 0;
}

static bool known_type(struct archive_entry *header, enum entry_type *type)
{
	switch (archive_entry_filetype(header)) {
	case AE_IFREG:
		*type = ENTRY_FILE;
		return true;
	case AE_IFLNK:
		*type = ENTRY_SYMLINK;
		return true;
	case AE_IFDIR:
		*type = ENTRY_DIRECTORY;
		return true;
	default:
		return false;
	}
}

static int place_hard_link(struct reading *reading, struct archive_entry *header,
			   struct archive_item *item)
{
	const char *target = hard_link_of(header);
	int place;

	if (!target)
		return 0;
	place = place_below_usr(reading->hard_link, target);
	if (place < 0)
		return place;
	if (place == OUTSIDE_USR)
		return error_set(
			-EINVAL,
			"it is a hard link to an entry outside usr/, whose content is not part of "
			"the workload; "
			"leave this archive out");
	item->hard_link = reading->hard_link;
	item->entry.type = ENTRY_FILE;
	return 0;
}

static int check_owner(struct archive_entry *header)
{
	int64_t uid = archive_entry_uid(header), gid = archive_entry_gid(header);

	if (uid >= 0 && uid < UINT32_MAX && gid >= 0 && gid < UINT32_MAX)
		return 0;
	return error_set(-EINVAL,
			 "its owner %" PRId64 ":%" PRId64 " is no owner that a filesystem can hold",
			 uid, gid);
}

static int take_header(struct reading *reading, struct archive *archive,
		       struct archive_entry *header)
{
	const char *spelled = path_of(header);
	struct archive_item item = { .entry = { .path = reading->path } };
	bool hard_link = hard_link_of(header), known = known_type(header, &item.entry.type);
	int place =
		spelled ? place_below_usr(reading->path, spelled)
			: error_set(
				  -EINVAL,
				  "an entry has no name that can be read; fetch the archive again");
	int error;

	if (place < 0)
		return place;
	/* base-files has bin -> usr/bin: that is the merge itself, no entry of usr. */
	if (place == OUTSIDE_USR ||
	    (place == NAMESAKE_OF_USR && known && item.entry.type == ENTRY_SYMLINK)) {
		reading->counts->outside++;
		return 0;
	}
	if (!known && !hard_link) {
		reading->counts->special++;
		return 0;
	}
	item.entry.mode = archive_entry_perm(header) & 07777;
	item.entry.uid = (uint32_t)archive_entry_uid(header);
	item.entry.gid = (uint32_t)archive_entry_gid(header);
	error = check_owner(header);
	if (!error)
		error = place_hard_link(reading, header, &item);
	if (!error && item.entry.type == ENTRY_SYMLINK)
		item.entry.link_text = link_text_of(header);
	/* In cpio's way, which .rpm has, the last of several hard links brings the content. */
	item.has_content =
		item.entry.type == ENTRY_FILE && (!hard_link || archive_entry_size(header) > 0);
	if (!error && item.has_content)
		error = hash_content(reading, archive, header, &item);
	if (error)
		return error;
	reading->counts->taken++;
	return reading->take(reading->context, &item);
}

static int take_named_header(struct reading *reading, struct archive *archive,
			     struct archive_entry *header)
{
	char shown[SENTENCE_NAME_BYTES];
	int error = take_header(reading, archive, header);
	const char *name = error ? path_of(header) : NULL;

	return error ? error_prefix(error, "\"%s\"", escape_for_sentence(shown, name ? name : ""))
		     : 0;
}

static int take_headers(struct reading *reading, struct archive *archive)
{
	struct archive_entry *header;

	for (;;) {
		int status = archive_read_next_header(archive, &header);

		if (status == ARCHIVE_EOF)
			return 0;
		/* A warning is about a name that is no UTF-8 or the like; what was read is whole.
		 */
		if (status < ARCHIVE_WARN)
			return source_failed(reading->source, archive);
		status = take_named_header(reading, archive, header);
		if (status)
			return status;
	}
}

/* --- archives --- */

struct nested {
	struct archive *outer;
	bool begun;
	int error; /* of a compression that is not undone */
};

static la_ssize_t read_nested(struct archive *inner, void *context, const void **block)
{
	struct nested *nested = context;
	la_int64_t offset;
	size_t bytes = 0;
	int status = archive_read_data_block(nested->outer, block, &bytes, &offset);

	if (status == ARCHIVE_EOF)
		return 0;
	if (status == ARCHIVE_OK && !nested->begun)
		nested->error = source_check_compression(*block, bytes);
	nested->begun = true;
	if (nested->error) {
		archive_set_error(inner, EINVAL, "%s", error_text());
		return -1;
	}
	if (status == ARCHIVE_OK)
		return (la_ssize_t)bytes;
	archive_set_error(inner, archive_errno(nested->outer), "%s",
			  archive_error_string(nested->outer));
	return -1;
}

/* The files of a Debian package are a tarball in an ar archive. */
static int take_nested(struct reading *reading, struct archive *outer)
{
	struct nested nested = { .outer = outer };
	struct archive *inner = archive_read_new();
	int status;

	if (!inner)
		return error_set(-ENOMEM, "out of memory for a package");
	archive_read_support_format_tar(inner);
	source_support_filters(inner);
	status = archive_read_open(inner, &nested, NULL, read_nested, NULL);
	if (nested.error)
		status = nested.error;
	else
		status = status == ARCHIVE_OK ? take_headers(reading, inner)
					      : source_failed(reading->source, inner);
	archive_read_free(inner);
	return status;
}

static int take_debian_package(struct reading *reading, struct archive *outer,
			       struct archive_entry *header)
{
	while (header) {
		const char *name = archive_entry_pathname(header);
		int status;

		if (name && !strncmp(name, "data.tar", strlen("data.tar")))
			return take_nested(reading, outer);
		status = archive_read_next_header(outer, &header);
		if (status == ARCHIVE_EOF)
			break;
		if (status < ARCHIVE_WARN)
			return source_failed(reading->source, outer);
	}
	return error_set(-EINVAL, "there is no data.tar in it, so it is no Debian package");
}

static int take_source(struct reading *reading, const struct source *source)
{
	int status;

	switch (source->kind) {
	case SOURCE_STONE:
		return stone_read_items(source->input, reading->take, reading->context,
					reading->counts);
	case SOURCE_MANIFEST:
	case SOURCE_EMPTY:
		return error_set(-EINVAL, "it is no package or archive that this program knows, or "
					  "damaged; fetch it again (a manifest is a workload as it "
					  "is)");
	case SOURCE_DEBIAN:
		return take_debian_package(reading, source->archive, source->header);
	default:
		break;
	}
	if (!source->header)
		return 0;
	status = take_named_header(reading, source->archive, source->header);
	return status ? status : take_headers(reading, source->archive);
}

int archive_read_source(const struct source *source, take_item *take, void *context,
			struct archive_counts *counts)
{
	_cleanup_free_ struct reading *reading = calloc(1, sizeof(*reading));
	int error;

	if (reading)
		reading->hash_state = XXH3_createState();
	if (!reading || !reading->hash_state)
		return error_set(-ENOMEM, "out of memory for reading archives");
	reading->source = source;
	reading->take = take;
	reading->context = context;
	reading->counts = counts;
	error = take_source(reading, source);
	XXH3_freeState(reading->hash_state);
	return error;
}

int archive_read_items(const char *file, take_item *take, void *context,
		       struct archive_counts *counts, const struct progress *progress)
{
	char shown[SENTENCE_NAME_BYTES];
	struct source source;
	int error = source_open(&source, file, "read archives", progress);

	if (!error) {
		error = archive_read_source(&source, take, context, counts);
		source_close(&source);
	}
	return error ? error_prefix(error, "%s", escape_for_sentence(shown, file)) : 0;
}
