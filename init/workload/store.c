/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/store.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "workload/pace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum {
	SHORT_DIGEST_CHARACTERS = 10, /* with fewer, an asset lies directly under v2/ */
	CHUNK_BYTES = 1 << 20,
	LEVEL_LIMIT = 3,
};

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

/* --- populating --- */

struct populating {
	int store_fd;
	const struct fanout *fanout;
	uint64_t seed;
	struct populate_result *result;
	unsigned char *chunk;
	/* One bit for each directory that exists, by level: 2^8, 2^16, 2^24. Saves a mkdirat for
	 * each asset and level. */
	unsigned char *made[LEVEL_LIMIT];
};

static int fail(const char *call, const char *path)
{
	int code = errno;

	if (code == ENOSPC || code == EDQUOT)
		return error_set(
			-code,
			"the store is full: %s %s: %s; use a larger target or a smaller workload",
			call, path, strerror(code));
	return error_set(-code, "the store cannot be filled: %s %s: %s", call, path,
			 strerror(code));
}

static int make_directories(struct populating *populating, const char *path)
{
	uint32_t number = 0;

	for (unsigned level = 0; path[3 * level + 2] == '/'; level++) {
		char directory[STORE_PATH_BYTES] = "",
		     pair[3] = { path[3 * level], path[3 * level + 1], '\0' };

		number = number << 8 | (uint32_t)strtoul(pair, NULL, 16);
		if (populating->made[level][number / 8] & 1u << number % 8)
			continue;
		memcpy(directory, path, 3 * level + 2);
		if (!mkdirat(populating->store_fd, directory, 0777))
			populating->result->directories++;
		else if (errno != EEXIST)
			return fail("mkdirat", directory);
		populating->made[level][number / 8] |= (unsigned char)(1u << number % 8);
	}
	return 0;
}

static int write_content(struct populating *populating, int fd, const struct content *content,
			 const char *path)
{
	for (uint64_t offset = 0; offset < content->size;) {
		uint64_t left = content->size - offset;
		size_t length = left < CHUNK_BYTES ? left : CHUNK_BYTES;

		content_bytes(populating->seed, content->number, content->size, offset,
			      populating->chunk, length);
		for (size_t done = 0; done < length;) {
			ssize_t written = write(fd, populating->chunk + done, length - done);

			if (written < 0 && errno == EINTR)
				continue;
			if (written < 0)
				return fail("write", path);
			done += (size_t)written;
		}
		offset += length;
	}
	return 0;
}

static int write_asset(struct populating *populating, const struct content *content)
{
	char path[STORE_PATH_BYTES], part[STORE_PATH_BYTES + sizeof(".part")];
	int fd, error;

	store_path(path, populating->fanout, content->digest);
	snprintf(part, sizeof(part), "%s.part", path);
	error = make_directories(populating, path);
	if (error)
		return error;
	fd = openat(populating->store_fd, part,
		    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail("openat", part);
	error = write_content(populating, fd, content, part);
	if (close(fd) && !error)
		error = fail("close", part);
	if (!error && renameat(populating->store_fd, part, populating->store_fd, path))
		error = fail("renameat", path);
	if (error) {
		unlinkat(populating->store_fd, part, 0);
		return error;
	}
	populating->result->assets++;
	populating->result->bytes += content->size;
	return 0;
}

static int write_assets(struct populating *populating, const struct contents *contents,
			const struct progress *progress)
{
	struct pace pace = { 0 };

	for (uint32_t i = 0; i < contents->count; i++) {
		int error = write_asset(populating, &contents->list[i]);

		if (error)
			return error;
		if (pace_update(&pace, progress, "populate", i + 1, contents->count))
			return error_set(-EINTR, "stopped while the store was filled");
	}
	return 0;
}

int store_populate(int store_fd, const struct fanout *fanout, const struct contents *contents,
		   uint64_t seed, const struct progress *progress, struct populate_result *result)
{
	struct populating populating = {
		.store_fd = store_fd, .fanout = fanout, .seed = seed, .result = result
	};
	double started = clock_seconds();
	bool enough = true;
	int error;

	*result = (struct populate_result){ 0 };
	populating.chunk = malloc(CHUNK_BYTES);
	for (unsigned level = 0; level < LEVEL_LIMIT; level++) {
		populating.made[level] = calloc((size_t)1 << 8 * (level + 1), 1);
		enough = enough && populating.made[level];
	}
	if (enough && populating.chunk)
		error = write_assets(&populating, contents, progress);
	else
		error = error_set(-ENOMEM, "out of memory for filling the store");
	result->seconds = clock_seconds() - started;
	free(populating.chunk);
	for (unsigned level = 0; level < LEVEL_LIMIT; level++)
		free(populating.made[level]);
	return error;
}
