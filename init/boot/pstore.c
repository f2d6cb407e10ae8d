/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/pstore.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mount.h>

#define DISABLED "/sys/module/efi_pstore/parameters/pstore_disable"

int pstore_open(void)
{
	char backend[32] = "";

	if (!sysfs_write("N", "", DISABLED))
		sysfs_read(backend, sizeof(backend), "", "/sys/module/pstore/parameters/backend");
	if (strcmp(backend, "efi_pstore"))
		return error_set(
			-ENODEV,
			"pstore = yes, but the firmware keeps nothing for the kernel: it is no UEFI, or "
			"does not let its variables be written");
	if (mount("pstore", PSTORE_FOLDER, "pstore", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) &&
	    errno != EBUSY)
		return error_set(-errno, "cannot mount pstore on " PSTORE_FOLDER ": %s",
				 strerror(errno));
	return 0;
}

/* The whole of one; what the kernel left may hold any bytes. */
static int copy(int from_fd, const char *name, int directory_fd)
{
	_cleanup_close_ int in = openat(from_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	char path[NAME_MAX + 1], bytes[4096];
	ssize_t got;

	if (in < 0)
		return -errno;
	if ((size_t)snprintf(path, sizeof(path), PSTORE_PREFIX "%s", name) >= sizeof(path))
		return -ENAMETOOLONG;
	_cleanup_close_ int out =
		openat(directory_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (out < 0)
		return -errno;
	while ((got = read(in, bytes, sizeof(bytes))) > 0)
		if (write(out, bytes, (size_t)got) != got)
			return -EIO;
	if (got < 0 || fsync(out) || fsync(directory_fd))
		return -errno;
	return 0;
}

int pstore_take(const char *from, int directory_fd)
{
	_cleanup_closedir_ DIR *records = opendir(from);
	int count = 0;

	for (const struct dirent *entry; records && (entry = readdir(records));) {
		if (entry->d_name[0] == '.')
			continue;
		int result = copy(dirfd(records), entry->d_name, directory_fd);
		if (!result && unlinkat(dirfd(records), entry->d_name, 0))
			result = -errno;
		if (result)
			return error_set(
				result,
				"the kernel's last words in %s could not be moved to the results: %s",
				entry->d_name, strerror(-result));
		count++;
	}
	return count;
}
