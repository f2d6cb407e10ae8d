/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What filling a store comes to at the very least: a loop over all assets, with the calls that each
 * needs and nothing else. The fill is measured against it, in calls and in seconds. It ends the
 * program where something fails.
 */
#ifndef BLITBENCH_TESTS_BARE_LOOP_H
#define BLITBENCH_TESTS_BARE_LOOP_H

#include "workload/populate.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the directories of a path that are not known yet, by a bit for each that can be. */
static inline void bare_directories(int store_fd, const char *path, unsigned char *known)
{
	size_t length = 0;
	unsigned long number = 1; /* of the root in a tree of 256 children a node */

	for (const char *slash = path; (slash = strchr(slash, '/')); slash++) {
		char directory[STORE_PATH_BYTES];

		number = number << 8 | strtoul(path + length, NULL, 16);
		length = (size_t)(slash - path) + 1;
		if (known[number / 8] & 1u << number % 8)
			continue;
		snprintf(directory, sizeof(directory), "%.*s", (int)length - 1, path);
		if (mkdirat(store_fd, directory, 0777))
			err(1, "mkdirat %s", directory);
		known[number / 8] |= (unsigned char)(1u << number % 8);
	}
}

static inline void bare_asset(int store_fd, const char *path, uint64_t seed,
			      const struct content *content, char *bytes)
{
	char part[STORE_PATH_BYTES + 8];

	snprintf(part, sizeof(part), "%s.part", path);
	int fd = openat(store_fd, part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		err(1, "openat %s", part);
	for (uint64_t at = 0; at < content->size; at += POPULATE_WRITE_BYTES) {
		uint64_t left = content->size - at;
		size_t length = left < POPULATE_WRITE_BYTES ? left : POPULATE_WRITE_BYTES;

		content_bytes(seed, content->number, content->size, at, bytes, length);
		if (write(fd, bytes, length) != (ssize_t)length)
			err(1, "write %s", part);
	}
	if (close(fd) || renameat(store_fd, part, store_fd, path))
		err(1, "close or renameat %s", path);
}

static inline void bare_loop(int store_fd, const struct fanout *fanout,
			     const struct contents *contents, uint64_t seed)
{
	unsigned char *known = calloc(1 << 22, 1);
	char *bytes = malloc(POPULATE_WRITE_BYTES), path[STORE_PATH_BYTES];

	if (!known || !bytes)
		err(1, "malloc");
	for (uint32_t i = 0; i < contents->count; i++) {
		store_path(path, fanout, contents->list[i].digest);
		bare_directories(store_fd, path, known);
		bare_asset(store_fd, path, seed, &contents->list[i], bytes);
	}
	free(known);
	free(bytes);
}

#endif
