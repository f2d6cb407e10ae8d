/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/input.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/regular.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { ROOM_BYTES = 64 << 10 };

static int fill(int fd, const char *path, const char *what, size_t limit_bytes, char **text, size_t *size)
{
	size_t room = ROOM_BYTES;

	for (;;) {
		if (*size > limit_bytes)
			return error_set(-EFBIG, "%s: too large for %s (over %zu MiB)", path, what,
					 limit_bytes >> 20);
		if (!*text || *size + 1 == room) {
			room *= 2;
			char *larger = realloc(*text, room);
			if (!larger)
				return error_set(-ENOMEM, "%s: out of memory", path);
			*text = larger;
		}
		ssize_t got = read(fd, *text + *size, room - *size - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return error_set(-errno, "%s: cannot be read: %s", path, strerror(errno));
		if (!got)
			break;
		*size += (size_t)got;
	}
	(*text)[*size] = '\0';
	return 0;
}

int input_read(const char *path, const char *what, size_t limit_bytes, char **text, size_t *size)
{
	bool standard = !strcmp(path, "-");
	_cleanup_close_ int opened =
		standard ? -1 :
			   regular_open(path, what, "what comes from a pipe is read with -", NULL);

	*text = NULL;
	*size = 0;
	if (!standard && opened < 0)
		return opened;
	int error = fill(standard ? STDIN_FILENO : opened, standard ? "the standard input" : path, what,
			 limit_bytes, text, size);
	if (error)
		free(take_pointer(*text));
	return error;
}
