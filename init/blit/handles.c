/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/handles.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* Below the store's top, .moss/assets/v2. */
#define TABLE "../../handles"

static const char magic[8] = "handles1";

/* The file: this, and count records of the inode's number (8 bytes) and the handle. */
struct header {
	char magic[8];
	uint32_t count;
	int32_t handle_type;   /* the same for all files of a filesystem */
	uint32_t handle_bytes; /* likewise; at most MAX_HANDLE_SZ */
	uint32_t unused;
};

enum { INODE_BYTES = sizeof(uint64_t), DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* The kernel's structure, with room for the largest handle. */
union any_handle {
	struct file_handle handle;
	unsigned char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
};

static int store_failed(const char *call, const char *path)
{
	return error_set(-errno, "cannot take the handle of asset %s: %s: %s", path, call,
			 strerror(errno));
}

static int table_failed(const char *call)
{
	return error_set(-errno, "the table of handles .moss/handles: %s: %s", call,
			 strerror(errno));
}

static size_t record_bytes(const struct header *header)
{
	return INODE_BYTES + header->handle_bytes;
}

static size_t table_bytes(const struct header *header)
{
	return sizeof(*header) + header->count * record_bytes(header);
}

static const struct header *header_of(const struct handles *handles)
{
	return (const struct header *)handles->table;
}

static const unsigned char *record_of(const struct handles *handles, uint32_t asset)
{
	const struct header *header = header_of(handles);

	return handles->table + sizeof(*header) + asset * record_bytes(header);
}

/* --- written when the store has been filled --- */

static int take_handle(int store_fd, const char *path, union any_handle *any, uint64_t *inode)
{
	struct stat status;
	int mount_id;

	any->handle.handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(store_fd, path, &any->handle, &mount_id, 0))
		return store_failed("name_to_handle_at", path);
	if (fstatat(store_fd, path, &status, AT_SYMLINK_NOFOLLOW))
		return store_failed("fstatat", path);
	*inode = status.st_ino;
	return 0;
}

static int write_table(int store_fd, const char (*asset_paths)[STORE_PATH_BYTES],
		       struct header *header, FILE *out)
{
	union any_handle any;
	uint64_t inode;

	for (uint32_t i = 0; i < header->count; i++) {
		int error = take_handle(store_fd, asset_paths[i], &any, &inode);

		if (error)
			return error;
		if (!i) {
			header->handle_type = any.handle.handle_type;
			header->handle_bytes = any.handle.handle_bytes;
			fwrite(header, sizeof(*header), 1, out);
		}
		if (any.handle.handle_type != header->handle_type ||
		    any.handle.handle_bytes != header->handle_bytes)
			return error_set(-EINVAL,
					 "asset %s has a handle of another type than others",
					 asset_paths[i]);
		fwrite(&inode, INODE_BYTES, 1, out);
		fwrite(any.handle.f_handle, header->handle_bytes, 1, out);
		if (ferror(out))
			return table_failed("write");
	}
	return fflush(out) ? table_failed("write") : 0;
}

int handles_save(int store_fd, const char (*asset_paths)[STORE_PATH_BYTES], uint32_t count)
{
	struct header header = { .count = count };
	int fd = openat(store_fd, TABLE, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	_cleanup_fclose_ FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (!out)
		return table_failed("open");
	memcpy(header.magic, magic, sizeof(magic));
	return write_table(store_fd, asset_paths, &header, out);
}

/* --- read within the blit --- */

static int check_table(const struct handles *handles)
{
	const struct header *header = header_of(handles);

	if (!handles->count)
		return 0;
	if (handles->table_bytes < sizeof(*header) || memcmp(header->magic, magic, sizeof(magic)) ||
	    header->count != handles->count || header->handle_bytes > MAX_HANDLE_SZ ||
	    table_bytes(header) != handles->table_bytes)
		return error_set(-EINVAL,
				 "the table of handles .moss/handles is not one of %u assets",
				 handles->count);
	return 0;
}

int handles_load(struct handles *handles, int store_fd, uint32_t count)
{
	struct stat status;
	size_t done = 0;

	*handles = (struct handles){ .count = count };
	_cleanup_close_ int fd = openat(store_fd, TABLE, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status))
		return table_failed("open");
	handles->table_bytes = (size_t)status.st_size;
	handles->table = malloc(handles->table_bytes + 1);
	if (!handles->table)
		return error_set(-ENOMEM, "out of memory for the handles of %u assets", count);
	while (done < handles->table_bytes) {
		ssize_t got = read(fd, handles->table + done, handles->table_bytes - done);

		if (got <= 0)
			return got ? table_failed("read")
				   : error_set(-EIO, "the table of handles shrinks");
		done += (size_t)got;
	}
	return check_table(handles);
}

/* One pass of a radix sort, by the digit that begins at this bit. */
static void sort_by_digit(struct inode_order *to, const struct inode_order *from, uint32_t count,
			  unsigned bit)
{
	uint32_t starts[DIGITS] = { 0 }, sum = 0;

	for (uint32_t i = 0; i < count; i++)
		starts[from[i].inode >> bit & (DIGITS - 1)]++;
	for (unsigned digit = 0; digit < DIGITS; digit++) {
		uint32_t here = starts[digit];

		starts[digit] = sum;
		sum += here;
	}
	for (uint32_t i = 0; i < count; i++)
		to[starts[from[i].inode >> bit & (DIGITS - 1)]++] = from[i];
}

int handles_sort(struct handles *handles)
{
	size_t count = handles->count;
	/* The passes go back and forth between the two halves. */
	struct inode_order *from = malloc((2 * count + 1) * sizeof(*from)), *to = from + count;
	uint64_t all = 0;

	handles->places = from;
	if (!from)
		return error_set(-ENOMEM, "out of memory for sorting %u handles", handles->count);
	for (uint32_t i = 0; i < count; i++) {
		memcpy(&from[i].inode, record_of(handles, i), INODE_BYTES);
		from[i].asset = i;
		all |= from[i].inode;
	}
	for (unsigned bit = 0; bit < 64 && all >> bit; bit += DIGIT_BITS) {
		struct inode_order *sorted = to;

		sort_by_digit(to, from, handles->count, bit);
		to = from;
		from = sorted;
	}
	handles->order = from;
	return 0;
}

int handles_open(const struct handles *handles, int mount_fd, uint32_t asset, int flags)
{
	const struct header *header = header_of(handles);
	union any_handle any;

	any.handle.handle_bytes = header->handle_bytes;
	any.handle.handle_type = header->handle_type;
	memcpy(any.handle.f_handle, record_of(handles, asset) + INODE_BYTES, header->handle_bytes);
	return open_by_handle_at(mount_fd, &any.handle, flags);
}

int handles_reopen(int store_fd, const char *path)
{
	union any_handle any;
	int mount_id;

	any.handle.handle_bytes = MAX_HANDLE_SZ;
	if (name_to_handle_at(store_fd, path, &any.handle, &mount_id, 0))
		return -1;
	return open_by_handle_at(store_fd, &any.handle, O_PATH | O_CLOEXEC);
}

void handles_free(struct handles *handles)
{
	free(handles->table);
	free(handles->places);
	*handles = (struct handles){ .count = 0 };
}
