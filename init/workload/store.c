/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/store.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
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

const char *fanout_names(void)
{
	static char names[64];
	size_t used = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(fanouts); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 fanouts[i].name);
	return names;
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

int store_remove(int store_fd, const char path[STORE_PATH_BYTES])
{
	char directory[STORE_PATH_BYTES];

	if (unlinkat(store_fd, path, 0))
		return error_set(-errno, "cannot remove asset %s from the store: %s", path,
				 strerror(errno));
	memcpy(directory, path, STORE_PATH_BYTES);
	for (char *slash; (slash = strrchr(directory, '/'));) {
		*slash = '\0';
		if (!unlinkat(store_fd, directory, AT_REMOVEDIR))
			continue;
		if (errno == ENOTEMPTY || errno == EEXIST)
			return 0;
		return error_set(-errno, "cannot remove directory %s from the store: %s", directory,
				 strerror(errno));
	}
	return 0;
}

/* --- directories --- */

struct open_directory {
	uint64_t names, name_bytes;
};

struct directory_walk {
	struct open_directory levels[STORE_LEVELS_MAX + 1]; /* of the path that was last */
	unsigned depth; /* of that path's directory; the top is 0 */
	void (*visit)(void *context, uint64_t names, uint64_t name_bytes);
	void *context;
};

static void leave_directories(struct directory_walk *walk, unsigned depth)
{
	for (; walk->depth > depth; walk->depth--)
		walk->visit(walk->context, walk->levels[walk->depth].names,
			    walk->levels[walk->depth].name_bytes);
}

static void add_name(struct directory_walk *walk, size_t bytes)
{
	walk->levels[walk->depth].names++;
	walk->levels[walk->depth].name_bytes += bytes;
}

/* The paths come in order, so that what a directory holds comes in one piece. */
static void walk_path(struct directory_walk *walk, const char *path, const char *last)
{
	enum { PAIR = 2 };
	unsigned common = 0;

	while (common < walk->depth && path[3 * common + PAIR] == '/' &&
	       !memcmp(path + 3 * common, last + 3 * common, PAIR))
		common++;
	leave_directories(walk, common);
	while (walk->depth < STORE_LEVELS_MAX && path[3 * walk->depth + PAIR] == '/') {
		add_name(walk, PAIR);
		walk->levels[++walk->depth] = (struct open_directory){ 0 };
	}
	add_name(walk, strlen(path + 3 * walk->depth));
}

static int by_bytes(const void *a, const void *b)
{
	return strcmp(a, b);
}

int store_each_directory(const struct fanout *fanout, const struct contents *contents,
			 void (*visit)(void *context, uint64_t names, uint64_t name_bytes),
			 void *context)
{
	char(*paths)[STORE_PATH_BYTES] = store_paths(fanout, contents);
	struct directory_walk walk = { .visit = visit, .context = context };

	if (!paths)
		return error_set(-ENOMEM, "out of memory for the paths of %u assets",
				 contents->count);
	qsort(paths, contents->count, sizeof(*paths), by_bytes);
	for (uint32_t i = 0; i < contents->count; i++)
		walk_path(&walk, paths[i], i ? paths[i - 1] : "");
	leave_directories(&walk, 0);
	visit(context, walk.levels[0].names, walk.levels[0].name_bytes);
	free(paths);
	return 0;
}
