/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/node.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

int node_make(const char *path, dev_t number)
{
	if (unlink(path) && errno != ENOENT)
		return error_set(-errno, "cannot remove the old %s: %s", path, strerror(errno));
	if (mknod(path, S_IFBLK | 0600, number))
		return error_set(-errno, "cannot make the device node %s: %s", path,
				 strerror(errno));
	return 0;
}

int node_open(const char *path, dev_t number, int flags)
{
	struct stat status;

	_cleanup_close_ int fd = open(path, flags | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return error_set(-errno, "cannot open block device %u:%u by %s: %s", major(number),
				 minor(number), path, strerror(errno));
	if (fstat(fd, &status) || !S_ISBLK(status.st_mode) || status.st_rdev != number)
		return error_set(-ESTALE, "%s is no longer block device %u:%u", path, major(number),
				 minor(number));
	return take_fd(&fd);
}
