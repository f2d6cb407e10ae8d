/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/sysfs.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/sysmacros.h>

static int join(char path[PATH_MAX], const char *root, const char *format, va_list arguments)
{
	size_t length = strlen(root);

	if (length >= PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(path, root, length);
	int rest = vsnprintf(path + length, PATH_MAX - length, format, arguments);
	return rest < 0 || (size_t)rest >= PATH_MAX - length ? -ENAMETOOLONG : 0;
}

/* Joins root and the printf arguments that follow format into path; leaves the function with a
 * negative errno. */
#define JOIN_OR_RETURN(path, root, format)                          \
	do {                                                        \
		va_list arguments_;                                 \
		va_start(arguments_, format);                       \
		int joined_ = join(path, root, format, arguments_); \
		va_end(arguments_);                                 \
		if (joined_)                                        \
			return joined_;                             \
	} while (0)

static int read_line(char *buffer, size_t size, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ssize_t length = read(fd, buffer, size - 1);
	if (length < 0)
		return -errno;
	while (length > 0 && isspace((unsigned char)buffer[length - 1]))
		length--;
	buffer[length] = '\0';
	return 0;
}

int sysfs_read(char *buffer, size_t size, const char *root, const char *format, ...)
{
	char path[PATH_MAX];

	buffer[0] = '\0';
	JOIN_OR_RETURN(path, root, format);
	return read_line(buffer, size, path);
}

int sysfs_read_u64(uint64_t *value, const char *root, const char *format, ...)
{
	char path[PATH_MAX], text[64], *end;

	JOIN_OR_RETURN(path, root, format);
	int result = read_line(text, sizeof(text), path);
	if (result)
		return result;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return end == text || *end || errno || text[0] == '-' ? -EINVAL : 0;
}

int sysfs_write(const char *text, const char *root, const char *format, ...)
{
	char path[PATH_MAX];

	JOIN_OR_RETURN(path, root, format);
	_cleanup_close_ int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0)
		return error_set(-errno, "cannot open %s: %s", path, strerror(errno));
	ssize_t length = (ssize_t)strlen(text);
	if (write(fd, text, (size_t)length) != length)
		return error_set(-errno, "cannot write '%s' to %s: %s", text, path,
				 strerror(errno));
	return 0;
}

static bool numbered(const char *name, const char *prefix, unsigned *number)
{
	size_t length = strlen(prefix);
	char *end;

	if (strncmp(name, prefix, length) || !isdigit((unsigned char)name[length]))
		return false;
	unsigned long value = strtoul(name + length, &end, 10);
	*number = (unsigned)value;
	return !*end && value <= UINT_MAX;
}

static int by_value(const void *left, const void *right)
{
	unsigned a = *(const unsigned *)left, b = *(const unsigned *)right;

	return (a > b) - (a < b);
}

size_t sysfs_numbers(unsigned **numbers, const char *prefix, const char *root, const char *format, ...)
{
	char path[PATH_MAX];
	size_t count = 0;
	unsigned number;
	va_list arguments;

	*numbers = NULL;
	va_start(arguments, format);
	int joined = join(path, root, format, arguments);
	va_end(arguments);
	_cleanup_closedir_ DIR *directory = joined ? NULL : opendir(path);
	for (struct dirent *entry = directory ? readdir(directory) : NULL; entry;
	     entry = readdir(directory)) {
		if (!numbered(entry->d_name, prefix, &number))
			continue;
		unsigned *larger = realloc(*numbers, (count + 1) * sizeof(**numbers));
		if (!larger)
			break;
		*numbers = larger;
		larger[count++] = number;
	}
	if (count)
		qsort(*numbers, count, sizeof(**numbers), by_value);
	return count;
}

/* The folder of a partition lies in that of its disk; ".." follows the link. */
dev_t sysfs_whole_disk(dev_t number, const char *root)
{
	unsigned major_number, minor_number;
	uint64_t partition;
	char text[32];
	bool whole = sysfs_read_u64(&partition, root, "/sys/dev/block/%u:%u/partition", major(number),
				    minor(number));

	if (sysfs_read(text, sizeof(text), root, "/sys/dev/block/%u:%u/%sdev", major(number),
		       minor(number), whole ? "" : "../") ||
	    sscanf(text, "%u:%u", &major_number, &minor_number) != 2)
		return 0;
	return makedev(major_number, minor_number);
}

char *sysfs_slurp(const char *root, const char *format, ...)
{
	char path[PATH_MAX];
	size_t used = 0, room = 8192;
	va_list arguments;

	va_start(arguments, format);
	int joined = join(path, root, format, arguments);
	va_end(arguments);
	if (joined) {
		errno = -joined;
		return NULL;
	}
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	_cleanup_free_ char *text = malloc(room + 1);
	while (text) {
		ssize_t got = read(fd, text + used, room - used);
		if (got < 0)
			return NULL;
		used += (size_t)got;
		text[used] = '\0';
		if (got == 0)
			return take_pointer(text);
		if (used == room) {
			char *larger = realloc(text, room * 2 + 1);
			if (!larger)
				return NULL;
			text = larger;
			room *= 2;
		}
	}
	return NULL;
}
