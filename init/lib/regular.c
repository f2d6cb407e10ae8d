/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/regular.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"

int regular_open(const char *path, const char *what, const char *instead, uint64_t *size_bytes)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;

	if (fd < 0 || fstat(fd, &status))
		return error_set(-errno, "%s: cannot open %s: %s", path, what, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_set(-EINVAL, "%s: not a file; %s", path, instead);
	if (size_bytes)
		*size_bytes = (uint64_t)status.st_size;
	return take_fd(&fd);
}
