/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/tree.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

long tree_names(int fd, char first[TREE_NAME_BYTES])
{
	_cleanup_close_ int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *listing = own < 0 ? NULL : fdopendir(own);
	long count = 0;

	if (first)
		first[0] = '\0';
	if (!listing)
		return -errno;
	take_fd(&own);
	errno = 0;
	for (const struct dirent *entry; (entry = readdir(listing));) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (!count++ && first)
			snprintf(first, TREE_NAME_BYTES, "%s", entry->d_name);
	}
	return errno ? -errno : count;
}

static int remove_entry(int parent, const char *name, bool directory_known);

/* An ordinary user cannot take anything out of a directory of their own that has no write bit. */
static bool made_writable(int fd)
{
	struct stat status;

	return !fstat(fd, &status) && (status.st_mode & 0700) != 0700 && !fchmod(fd, 0700);
}

/* Never into what somebody has mounted there: EXDEV. A path may come by other mounts on its way. Where
 * openat2(2) is not allowed, as in some containers, mounts cannot be told. */
static int open_within(int parent, const char *name)
{
	const struct open_how how = {
		.flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = strchr(name, '/') ? 0 : RESOLVE_NO_XDEV,
	};
	int fd = (int)syscall(SYS_openat2, parent, name, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(parent, name, (int)how.flags);
	return fd;
}

static int cannot_open(const char *name, int error)
{
	if (error == EXDEV)
		return error_set(-EBUSY, "%s is not removed: something is mounted there; unmount it",
				 name);
	return error_set(-error, "cannot open directory %s to remove it: %s", name, strerror(error));
}

/* Whatever keeps a directory from being opened (its mode, the limit of open files), an empty one goes. */
static int remove_unopened(int parent, const char *name, int error)
{
	if (!unlinkat(parent, name, AT_REMOVEDIR))
		return 0;
	return cannot_open(name, error);
}

static int remove_children(int fd, const char *name)
{
	_cleanup_closedir_ DIR *directory = fdopendir(fd);
	if (!directory) {
		close(fd);
		return error_set(-ENOMEM, "cannot read directory %s: %s", name, strerror(errno));
	}
	for (;;) {
		errno = 0;
		struct dirent *entry = readdir(directory);

		if (!entry)
			break;
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		bool is_directory = entry->d_type == DT_DIR;
		int result = remove_entry(fd, entry->d_name, is_directory);
		if (result == -EACCES && made_writable(fd))
			result = remove_entry(fd, entry->d_name, is_directory);
		/* Somebody else was faster. */
		if (result == -ENOENT)
			continue;
		if (result)
			return error_prefix(result, "%s", name);
	}
	return errno ? error_set(-errno, "cannot read directory %s: %s", name, strerror(errno)) : 0;
}

static int remove_entry(int parent, const char *name, bool directory_known)
{
	/* unlink(2) on a directory is EISDIR on Linux, which also serves filesystems that tell no
	 * d_type. */
	if (!directory_known) {
		if (!unlinkat(parent, name, 0))
			return 0;
		if (errno != EISDIR)
			return error_set(-errno, "cannot remove %s: %s", name, strerror(errno));
	}
	int fd = open_within(parent, name);
	if (fd < 0)
		return remove_unopened(parent, name, errno);
	int result = remove_children(fd, name);
	if (result)
		return result;
	if (unlinkat(parent, name, AT_REMOVEDIR))
		return error_set(-errno, "cannot remove directory %s: %s", name, strerror(errno));
	return 0;
}

int tree_remove(int parent, const char *name)
{
	return remove_entry(parent, name, false);
}

int tree_clear(int parent, const char *name)
{
	int result = tree_remove(parent, name);

	return result == -ENOENT ? 0 : result;
}
