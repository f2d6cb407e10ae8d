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

/* The directory that an asset lies in, by its digits, and the bytes of its name: as one number, so
 * that many are sorted soon. */
enum { NAME_BITS = 8 };
#define IN_TOP UINT32_MAX

static unsigned digit(char character)
{
	return (unsigned)(character <= '9' ? character - '0' : character - 'a' + 10);
}

static uint64_t place_of(const struct fanout *fanout, const char *digest)
{
	unsigned levels = levels_of(fanout, digest);
	uint32_t directory = levels ? 0 : IN_TOP;

	for (unsigned i = 0; i < 2 * levels; i++)
		directory = directory << 4 | digit(digest[i]);
	return (uint64_t)directory << NAME_BITS | strlen(digest);
}

static int by_number(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return left < right ? -1 : left > right;
}

struct open_directory {
	uint64_t names, name_bytes;
};

struct directory_walk {
	const struct fanout *fanout;
	struct open_directory levels[STORE_LEVELS_MAX + 1]; /* from the top to the last asset's */
	unsigned depth;     /* of the last asset's directory; the top is 0 */
	uint32_t directory; /* its digits */
	void (*visit)(void *context, uint64_t names, uint64_t name_bytes);
	void *context;
};

static void leave_directories(struct directory_walk *walk, unsigned depth)
{
	for (; walk->depth > depth; walk->depth--)
		walk->visit(walk->context, walk->levels[walk->depth].names,
			    walk->levels[walk->depth].name_bytes);
}

static void add_name(struct directory_walk *walk, uint64_t bytes)
{
	walk->levels[walk->depth].names++;
	walk->levels[walk->depth].name_bytes += bytes;
}

/* Assets come sorted, so that what a directory holds comes in one piece. */
static void walk_asset(struct directory_walk *walk, uint64_t place)
{
	enum { PAIR_CHARACTERS = 2, PAIR_BITS = 8 };
	uint32_t directory = (uint32_t)(place >> NAME_BITS);
	unsigned levels = directory == IN_TOP ? 0 : walk->fanout->levels, common = 0;

	while (common < walk->depth && common < levels) {
		unsigned below = PAIR_BITS * (levels - 1 - common);

		if (directory >> below != walk->directory >> below)
			break;
		common++;
	}
	leave_directories(walk, common);
	while (walk->depth < levels) {
		add_name(walk, PAIR_CHARACTERS);
		walk->levels[++walk->depth] = (struct open_directory){ 0 };
	}
	walk->directory = directory;
	add_name(walk, place & ((1u << NAME_BITS) - 1));
}

int store_each_directory(const struct fanout *fanout, const struct contents *contents,
			 void (*visit)(void *context, uint64_t names, uint64_t name_bytes),
			 void *context)
{
	struct directory_walk walk = { .fanout = fanout, .visit = visit, .context = context };
	uint64_t *places = calloc((size_t)contents->count + 1, sizeof(*places));

	if (!places)
		return error_set(-ENOMEM, "out of memory for the places of %u assets",
				 contents->count);
	for (uint32_t i = 0; i < contents->count; i++)
		places[i] = place_of(fanout, contents->list[i].digest);
	qsort(places, contents->count, sizeof(*places), by_number);
	for (uint32_t i = 0; i < contents->count; i++)
		walk_asset(&walk, places[i]);
	leave_directories(&walk, 0);
	visit(context, walk.levels[0].names, walk.levels[0].name_bytes);
	free(places);
	return 0;
}
