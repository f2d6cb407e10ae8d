/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/store.h"

#include "lib/cleanup.h"

#include <string.h>

/* With fewer, an asset lies directly under v2/. */
enum { SHORT_DIGEST_CHARACTERS = 10 };

static const struct fanout fanouts[] = {
	{ "3x2", 3 },
	{ "2x2", 2 },
	{ "1x2", 1 },
	{ "flat", 0 },
};

const struct fanout *fanout_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(fanouts); i++)
		if (!strcmp(fanouts[i].name, name))
			return &fanouts[i];
	return NULL;
}

static unsigned levels_of(const struct fanout *fanout, const char *digest)
{
	return strnlen(digest, SHORT_DIGEST_CHARACTERS) < SHORT_DIGEST_CHARACTERS ? 0
										  : fanout->levels;
}

void store_path(char path[STORE_PATH_BYTES], const struct fanout *fanout, const char *digest)
{
	char *out = path;

	for (unsigned level = 0; level < levels_of(fanout, digest); level++) {
		*out++ = digest[2 * level];
		*out++ = digest[2 * level + 1];
		*out++ = '/';
	}
	snprintf(out, (size_t)(path + STORE_PATH_BYTES - out), "%s", digest);
}

char (*store_paths(const struct fanout *fanout, const struct contents *contents))[STORE_PATH_BYTES]
{
	char(*paths)[STORE_PATH_BYTES] = calloc((size_t)contents->count + 1, sizeof(*paths));

	if (!paths)
		return NULL;
	for (uint32_t i = 0; i < contents->count; i++)
		store_path(paths[i], fanout, contents->list[i].digest);
	return paths;
}
