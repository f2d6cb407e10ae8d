/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/tree_items.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/grow.h"
#include "workload/hash_index.h"
#include "workload/pace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000 /* linux/stat.h, kernel 5.8 */
#endif

enum { READ_BYTES = 256 << 10 };

/* What is known of an inode that has several names, so that it is read once. */
struct known_inode {
	uint64_t number, size;
	uint32_t device_major, device_minor;
	XXH128_hash_t hash;
};

struct walk {
	int top;
	uint32_t device_major, device_minor; /* of the top */
	take_item *take;
	void *context;
	struct tree_counts *counts;
	const struct progress *progress;
	struct pace pace;
	XXH3_state_t *hash_state;
	struct known_inode *inodes;
	size_t inode_count, inode_capacity;
	struct hash_index by_inode;
	size_t path_bytes;
	char path[PATH_LIMIT_BYTES + 1]; /* "usr" and below: the top itself is "usr" */
	char link_text[PATH_LIMIT_BYTES + 2];
	unsigned char buffer[READ_BYTES];
};

static int tell(struct walk *walk)
{
	if (pace_update(&walk->pace, walk->progress, "read files", walk->counts->taken, 0))
		return error_set(-EINTR, "stopped while the files were read");
	return 0;
}

/* The present path as the top's descriptor has it. */
static const char *below_top(const struct walk *walk)
{
	return walk->path[3] ? walk->path + 4 : ".";
}

static void note_unreadable(struct walk *walk, uint64_t *count)
{
	if (!*walk->counts->first_unreadable)
		escape_for_sentence(walk->counts->first_unreadable, walk->path);
	++*count;
}

/* --- contents --- */

static int open_file(const struct walk *walk)
{
	/* O_NONBLOCK: what was a file a moment ago may be a pipe by now. */
	const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = openat(walk->top, below_top(walk), flags | O_NOATIME);

	/* Only an owner may leave the time of access alone. */
	return fd < 0 && errno == EPERM ? openat(walk->top, below_top(walk), flags) : fd;
}

/* 1 when all was read, 0 where the file cannot be read. */
static int hash_file(struct walk *walk, struct archive_item *item)
{
	_cleanup_close_ int fd = open_file(walk);

	if (fd < 0)
		return 0;
	item->entry.size = 0;
	XXH3_128bits_reset(walk->hash_state);
	for (;;) {
		ssize_t bytes = read(fd, walk->buffer, READ_BYTES);
		int error = tell(walk);

		if (error)
			return error;
		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes < 0)
			return 0;
		if (!bytes)
			break;
		XXH3_128bits_update(walk->hash_state, walk->buffer, (size_t)bytes);
		item->entry.size += (uint64_t)bytes;
	}
	item->hash = XXH3_128bits_digest(walk->hash_state);
	return 1;
}

static int make_content(struct walk *walk, const struct statx *status, struct archive_item *item)
{
	const uint64_t identity[] = { status->stx_ino, status->stx_dev_major,
				      status->stx_dev_minor };
	int read_whole = hash_file(walk, item);

	if (read_whole)
		return read_whole < 0 ? read_whole : 0;
	note_unreadable(walk, &walk->counts->unreadable_files);
	item->entry.size = status->stx_size;
	item->hash = XXH3_128bits_withSeed(identity, sizeof(identity), status->stx_size);
	return 0;
}

static bool same_inode(const void *context, uint32_t element)
{
	const struct walk *walk = context;
	const struct known_inode *wanted = &walk->inodes[walk->inode_count];
	const struct known_inode *inode = &walk->inodes[element];

	return inode->number == wanted->number && inode->device_major == wanted->device_major &&
	       inode->device_minor == wanted->device_minor;
}

/* The one that is looked for stands behind the known ones. */
static int find_content(struct walk *walk, const struct statx *status, struct archive_item *item)
{
	uint32_t hash = (uint32_t)XXH3_64bits(&status->stx_ino, sizeof(status->stx_ino)), at;
	struct known_inode *wanted;
	int error;

	if (status->stx_nlink < 2)
		return make_content(walk, status, item);
	error = GROW(walk->inodes, walk->inode_capacity, walk->inode_count + 1);
	if (error)
		return error;
	wanted = &walk->inodes[walk->inode_count];
	*wanted = (struct known_inode){ .number = status->stx_ino,
					.device_major = status->stx_dev_major,
					.device_minor = status->stx_dev_minor };
	at = hash_index_find(&walk->by_inode, hash, same_inode, walk);
	if (at != NOT_FOUND) {
		item->entry.size = walk->inodes[at].size;
		item->hash = walk->inodes[at].hash;
		return 0;
	}
	error = make_content(walk, status, item);
	if (error)
		return error;
	wanted->size = item->entry.size;
	wanted->hash = item->hash;
	return hash_index_add(&walk->by_inode, hash, (uint32_t)walk->inode_count++);
}

/* --- entries --- */

static int read_link(struct walk *walk, struct archive_item *item)
{
	char shown[SENTENCE_NAME_BYTES];
	ssize_t bytes = readlinkat(walk->top, below_top(walk), walk->link_text,
				   sizeof(walk->link_text) - 1);

	if (bytes < 0)
		return errno == ENOENT || errno == EINVAL
			       ? 0
			       : error_set(-errno, "the symlink \"%s\" cannot be read: %s",
					   escape_for_sentence(shown, walk->path), strerror(errno));
	walk->link_text[bytes] = '\0';
	item->entry.link_text = walk->link_text;
	return 1;
}

static bool mounted_on(const struct walk *walk, const struct statx *status)
{
	return status->stx_attributes & STATX_ATTR_MOUNT_ROOT ||
	       status->stx_dev_major != walk->device_major ||
	       status->stx_dev_minor != walk->device_minor;
}

static int take_directory(struct walk *walk);

/* Makes an item of what lies at the present path, and of all below it. */
static int take_entry_here(struct walk *walk, const struct statx *status)
{
	struct archive_item item = { .entry = { .path = walk->path,
						.mode = status->stx_mode & 07777,
						.uid = status->stx_uid,
						.gid = status->stx_gid },
				     .unique = true };
	int result = 1;

	switch (status->stx_mode & S_IFMT) {
	case S_IFREG:
		item.entry.type = ENTRY_FILE;
		item.has_content = true;
		result = find_content(walk, status, &item);
		if (!result)
			result = 1;
		break;
	case S_IFLNK:
		item.entry.type = ENTRY_SYMLINK;
		result = read_link(walk, &item);
		break;
	case S_IFDIR:
		item.entry.type = ENTRY_DIRECTORY;
		break;
	default:
		walk->counts->special++;
		return 0;
	}
	if (result < 0)
		return result;
	if (!result) {
		walk->counts->vanished++;
		return 0;
	}
	result = walk->take(walk->context, &item);
	if (result)
		return result;
	walk->counts->taken++;
	if (item.entry.type != ENTRY_DIRECTORY)
		return 0;
	if (walk->path[3] && mounted_on(walk, status)) {
		walk->counts->mounts++;
		return 0;
	}
	return take_directory(walk);
}

static int take_name(struct walk *walk, const char *name)
{
	const unsigned wanted = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_GID |
				STATX_INO | STATX_SIZE;
	size_t before = walk->path_bytes, bytes = strlen(name);
	char shown[SENTENCE_NAME_BYTES];
	struct statx status;
	int error = 0;

	if (before + 1 + bytes > PATH_LIMIT_BYTES)
		return error_set(-ENAMETOOLONG, "%s: a path below it has over %d bytes",
				 escape_for_sentence(shown, walk->path), PATH_LIMIT_BYTES);
	walk->path[before] = '/';
	memcpy(walk->path + before + 1, name, bytes + 1);
	walk->path_bytes += 1 + bytes;
	if (!statx(walk->top, below_top(walk), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, wanted,
		   &status))
		error = take_entry_here(walk, &status);
	else if (errno == ENOENT)
		walk->counts->vanished++;
	else
		error = error_set(-errno, "\"%s\" cannot be looked at: %s",
				  escape_for_sentence(shown, walk->path), strerror(errno));
	walk->path[before] = '\0';
	walk->path_bytes = before;
	return error;
}

/* The names of the present directory, one behind the other; NULL where it cannot be read, or where
 * memory is short, which *error tells. */
static char *list_names(const struct walk *walk, size_t *bytes, int *error)
{
	int fd =
		openat(walk->top, below_top(walk), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_cleanup_closedir_ DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	_cleanup_free_ char *names = NULL;
	size_t capacity = 0;

	*bytes = 0;
	*error = 0;
	if (!directory) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	for (;;) {
		struct dirent *entry;
		size_t length;

		errno = 0;
		entry = readdir(directory);
		if (!entry && errno)
			return NULL;
		length = entry ? strlen(entry->d_name) + 1 : 1;
		*error = GROW(names, capacity, *bytes + length);
		if (*error)
			return NULL;
		if (!entry)
			return take_pointer(names);
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		memcpy(names + *bytes, entry->d_name, length);
		*bytes += length;
	}
}

/* The directory is closed before what it holds is entered, so that depth costs no descriptors. */
static int take_directory(struct walk *walk)
{
	size_t bytes;
	int error;
	_cleanup_free_ char *names = list_names(walk, &bytes, &error);

	if (error)
		return error;
	if (!names) {
		note_unreadable(walk, &walk->counts->closed_directories);
		return 0;
	}
	for (char *name = names; !error && name < names + bytes; name += strlen(name) + 1) {
		error = tell(walk);
		if (!error)
			error = take_name(walk, name);
	}
	return error;
}

/* --- the walk --- */

static int open_top(struct walk *walk, const char *directory, struct statx *status)
{
	walk->top = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (walk->top < 0 || statx(walk->top, "", AT_EMPTY_PATH, STATX_BASIC_STATS, status))
		return error_set(-errno, "it cannot be read: %s", strerror(errno));
	walk->device_major = status->stx_dev_major;
	walk->device_minor = status->stx_dev_minor;
	strcpy(walk->path, "usr");
	walk->path_bytes = 3;
	return 0;
}

static int take_tree(struct walk *walk, const char *directory)
{
	struct statx status;
	int error;

	walk->hash_state = XXH3_createState();
	if (!walk->hash_state)
		return error_set(-ENOMEM, "out of memory for reading files");
	error = open_top(walk, directory, &status);
	return error ? error : take_entry_here(walk, &status);
}

int tree_read_items(const char *directory, take_item *take, void *context,
		    struct tree_counts *counts, const struct progress *progress)
{
	_cleanup_free_ struct walk *walk = calloc(1, sizeof(*walk));
	char shown[SENTENCE_NAME_BYTES];
	int error;

	*counts = (struct tree_counts){ 0 };
	if (!walk)
		return error_set(-ENOMEM, "out of memory for reading files");
	walk->top = -1;
	walk->take = take;
	walk->context = context;
	walk->counts = counts;
	walk->progress = progress;
	error = take_tree(walk, directory);
	if (walk->top >= 0)
		close(walk->top);
	XXH3_freeState(walk->hash_state);
	free(walk->inodes);
	hash_index_free(&walk->by_inode);
	return error ? error_prefix(error, "%s", escape_for_sentence(shown, directory)) : 0;
}
