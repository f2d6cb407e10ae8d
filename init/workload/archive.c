/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/archive.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/filters.h"
#include "workload/path.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { READ_BYTES = 256 << 10 };

struct reading {
	take_item *take;
	void *context;
	struct archive_counts *counts;
	XXH3_state_t *hash_state;
	unsigned char *buffer; /* READ_BYTES */
	char path[PATH_LIMIT_BYTES + 1], hard_link[PATH_LIMIT_BYTES + 1];
};

static int damaged(struct archive *archive)
{
	char shown[SENTENCE_NAME_BYTES];

	return error_set(-EINVAL, "the archive is damaged or cut off (%s); fetch it again",
			 filters_reason(shown, archive));
}

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

static int hash_content(struct reading *reading, struct archive *archive, struct archive_item *item)
{
	XXH3_128bits_reset(reading->hash_state);
	for (;;) {
		la_ssize_t bytes = archive_read_data(archive, reading->buffer, READ_BYTES);

		if (bytes < 0)
			return damaged(archive);
		if (!bytes)
			break;
		XXH3_128bits_update(reading->hash_state, reading->buffer, (size_t)bytes);
		item->entry.size += (uint64_t)bytes;
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
	if (!error && item.entry.type == ENTRY_FILE && !hard_link)
		error = hash_content(reading, archive, &item);
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
			return damaged(archive);
		status = take_named_header(reading, archive, header);
		if (status)
			return status;
	}
}

/* --- archives --- */

struct nested {
	struct archive *outer;
};

static la_ssize_t read_nested(struct archive *inner, void *context, const void **block)
{
	struct nested *nested = context;
	la_int64_t offset;
	size_t bytes = 0;
	int status = archive_read_data_block(nested->outer, block, &bytes, &offset);

	if (status == ARCHIVE_EOF)
		return 0;
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
	filters_support(inner);
	status = archive_read_open(inner, &nested, NULL, read_nested, NULL);
	status = status == ARCHIVE_OK ? take_headers(reading, inner) : damaged(inner);
	archive_read_free(inner);
	return status;
}

static int take_debian_package(struct reading *reading, struct archive *outer,
			       struct archive_entry *header)
{
	for (;;) {
		const char *name = archive_entry_pathname(header);
		int status;

		if (name && !strncmp(name, "data.tar", strlen("data.tar")))
			return take_nested(reading, outer);
		status = archive_read_next_header(outer, &header);
		if (status == ARCHIVE_EOF)
			return error_set(-EINVAL,
					 "there is no data.tar in it, so it is no Debian package");
		if (status != ARCHIVE_OK)
			return damaged(outer);
	}
}

static int not_an_archive(void)
{
	return error_set(-EINVAL, "it is neither a .deb nor a tarball, or damaged; fetch it again");
}

/* The first header tells what the archive is; the others are taken as they come. */
static int take_archive(struct reading *reading, struct archive *archive)
{
	struct archive_entry *header;
	int status = archive_read_next_header(archive, &header);

	if (status == ARCHIVE_EOF)
		return 0;
	if (status < ARCHIVE_WARN)
		return not_an_archive();
	if ((archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_AR)
		return take_debian_package(reading, archive, header);
	status = take_named_header(reading, archive, header);
	return status ? status : take_headers(reading, archive);
}

static int open_and_take(struct reading *reading, struct archive *archive, const char *file)
{
	int status;

	archive_read_support_format_tar(archive);
	archive_read_support_format_ar(archive);
	filters_support(archive);
	status = filters_open(archive, file);
	if (status)
		return status == -EINVAL ? not_an_archive() : status;
	return take_archive(reading, archive);
}

int archive_read_items(const char *file, take_item *take, void *context,
		       struct archive_counts *counts)
{
	_cleanup_free_ struct reading *reading = calloc(1, sizeof(*reading));
	_cleanup_free_ unsigned char *buffer = malloc(READ_BYTES);
	XXH3_state_t *hash_state = XXH3_createState();
	struct archive *archive = archive_read_new();
	char shown[SENTENCE_NAME_BYTES];
	int error;

	if (reading && buffer && hash_state && archive) {
		reading->take = take;
		reading->context = context;
		reading->counts = counts;
		reading->buffer = buffer;
		reading->hash_state = hash_state;
		error = open_and_take(reading, archive, file);
	} else {
		error = error_set(-ENOMEM, "out of memory for reading archives");
	}
	archive_read_free(archive);
	XXH3_freeState(hash_state);
	return error ? error_prefix(error, "%s", escape_for_sentence(shown, file)) : 0;
}
