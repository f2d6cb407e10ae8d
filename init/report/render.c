/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts the rendered report into files. */
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/json_file.h"

static int write_all(int fd, const char *text, size_t length)
{
	while (length) {
		ssize_t written = write(fd, text, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written ? -errno : -EIO;
		text += written;
		length -= (size_t)written;
	}
	return 0;
}

/* True where the file holds this text already, whole: saved by an earlier attempt. */
static bool holds(int directory_fd, const char *name, const char *text, size_t length)
{
	_cleanup_close_ int fd =
		openat(directory_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char block[4096];
	ssize_t got;

	if (fd < 0)
		return false;
	while ((got = read(fd, block, sizeof(block))) > 0) {
		if ((size_t)got > length || memcmp(block, text, (size_t)got))
			return false;
		text += got;
		length -= (size_t)got;
	}
	return !got && !length && !fsync(fd);
}

int report_save(int directory_fd, const char *name, const char *text)
{
	_cleanup_close_ int fd = -1;
	size_t length;
	int error;

	if (!text)
		return error_set(-ENOMEM, "%s: out of memory", name);
	length = strlen(text);
	fd = openat(directory_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0 && errno == EEXIST && holds(directory_fd, name, text, length))
		return 0;
	if (fd < 0 && errno == EEXIST)
		return error_set(-EEXIST,
				 "%s: there is another one in the folder; choose a new folder",
				 name);
	if (fd < 0)
		return error_set(-errno, "%s: cannot make it: %s", name, strerror(errno));
	error = write_all(fd, text, length);
	if (!error && fsync(fd))
		error = -errno;
	if (!error)
		return 0;
	/* Half a report would pass for one, and stand in the way of the next attempt. */
	unlinkat(directory_fd, name, 0);
	return error_set(error, "%s: cannot write it: %s", name, strerror(-error));
}

char *report_json(const json_t *report)
{
	return json_file_text(report);
}

int report_write(const json_t *report, int directory_fd)
{
	static const struct {
		const char *name;
		char *(*render)(const json_t *report);
	} files[] = {
		{ "report.json", report_json },
		{ "report.txt", report_text },
		{ "report.csv", report_csv },
		{ "report.html", report_html },
	};
	int first = 0;

	/* All are tried: one saved is better than none. */
	for (size_t i = 0; i < ARRAY_LENGTH(files); i++) {
		_cleanup_free_ char *text = files[i].render(report);
		int error = report_save(directory_fd, files[i].name, text);

		if (!first)
			first = error;
	}
	if (first)
		return first;
	if (fsync(directory_fd))
		return error_set(-errno, "report: cannot flush its folder: %s", strerror(errno));
	return 0;
}
