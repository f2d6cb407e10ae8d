/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/path.h"

#include "lib/error.h"

#include <errno.h>
#include <string.h>

int path_normalise(char path[PATH_LIMIT_BYTES + 1], size_t *path_bytes, const char *spelled)
{
	size_t used = 0;

	*path_bytes = 0;
	if (*spelled == '/')
		return error_set(-EINVAL, "the path is absolute; write paths as ./usr/...");
	while (*spelled) {
		size_t length = strcspn(spelled, "/");

		if (length == 2 && !memcmp(spelled, "..", 2))
			return error_set(
				-EINVAL,
				"the path has \"..\" in it; write it without, below ./usr");
		if (length > NAME_LIMIT_BYTES)
			return error_set(
				-EINVAL,
				"a name in the path has %zu bytes, and no filesystem takes more "
				"than "
				"%d; shorten it",
				length, NAME_LIMIT_BYTES);
		if (length && !(length == 1 && *spelled == '.')) {
			if (used + (used > 0) + length > PATH_LIMIT_BYTES)
				return error_set(-EINVAL, "the path has over %d bytes; shorten it",
						 PATH_LIMIT_BYTES);
			if (used)
				path[used++] = '/';
			memcpy(path + used, spelled, length);
			used += length;
		}
		spelled += length + (spelled[length] == '/');
	}
	path[used] = '\0';
	*path_bytes = used;
	return 0;
}

/* The end of a path comes first, then "/", then all other bytes. */
static int rank(unsigned char byte)
{
	return byte == '/' ? 1 : byte ? byte + 1 : 0;
}

int path_compare(const char *left, const char *right)
{
	while (*left && *left == *right)
		left++, right++;
	return rank((unsigned char)*left) - rank((unsigned char)*right);
}

bool path_below_usr(const char *path)
{
	return !strncmp(path, "usr", 3) && (!path[3] || path[3] == '/');
}
