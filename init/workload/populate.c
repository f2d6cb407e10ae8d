/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/populate.h"

#include "lib/clock.h"
#include "lib/error.h"
#include "workload/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PACKAGE_SHIFT = 20 };

/* Shared by the writers. */
struct populating {
	const struct populate_request *request;
	pthread_mutex_t lock;
	uint32_t next;                  /* under lock: the first content of the next package */
	struct populate_result *result; /* counted atomically */
	/* One bit for each directory that exists, by level: 2^8, 2^16, 2^24. Saves a mkdirat for
	 * each asset and level. */
	unsigned char *made[STORE_LEVELS_MAX];
};

struct writer {
	struct populating *populating;
	struct workers *workers;
	unsigned char *chunk;
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

static void count(uint64_t *counter, uint64_t amount)
{
	__atomic_fetch_add(counter, amount, __ATOMIC_RELAXED);
}

/* Another writer may make the same directory at the same time; one of the two counts it. */
static int make_directories(struct populating *populating, const char *path)
{
	uint32_t number = 0;

	for (unsigned level = 0; path[3 * level + 2] == '/'; level++) {
		char directory[STORE_PATH_BYTES] = "",
		     pair[3] = { path[3 * level], path[3 * level + 1], '\0' };

		number = number << 8 | (uint32_t)strtoul(pair, NULL, 16);
		unsigned char *byte = &populating->made[level][number / 8];
		unsigned char bit = (unsigned char)(1u << number % 8);
		if (__atomic_load_n(byte, __ATOMIC_ACQUIRE) & bit)
			continue;
		memcpy(directory, path, 3 * level + 2);
		if (!mkdirat(populating->request->store_fd, directory, 0777))
			count(&populating->result->directories, 1);
		else if (errno != EEXIST)
			return fail("mkdirat", directory);
		__atomic_fetch_or(byte, bit, __ATOMIC_RELEASE);
	}
	return 0;
}

/* Stops between two pieces where another writer has failed: -ECANCELED, which nobody tells. */
static int write_content(const struct writer *writer, int fd, const struct content *content,
			 const char *path)
{
	uint64_t seed = content_seed(writer->populating->request->seed, content);

	for (uint64_t offset = 0; offset < content->size;) {
		uint64_t left = content->size - offset;
		size_t length = left < POPULATE_WRITE_BYTES ? left : POPULATE_WRITE_BYTES;

		if (offset && workers_stopped(writer->workers))
			return -ECANCELED;
		content_bytes(seed, content->number, content->size, offset, writer->chunk, length);
		for (size_t done = 0; done < length;) {
			ssize_t written = write(fd, writer->chunk + done, length - done);

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

static int write_asset(const struct writer *writer, const struct content *content)
{
	struct populating *populating = writer->populating;
	int store_fd = populating->request->store_fd, fd, error;
	char path[STORE_PATH_BYTES], part[STORE_PATH_BYTES + sizeof(".part")];

	store_path(path, populating->request->fanout, content->digest);
	snprintf(part, sizeof(part), "%s.part", path);
	error = make_directories(populating, path);
	if (error)
		return error;
	fd = openat(store_fd, part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail("openat", part);
	error = write_content(writer, fd, content, part);
	if (close(fd) && !error)
		error = fail("close", part);
	if (!error && renameat(store_fd, part, store_fd, path))
		error = fail("renameat", path);
	if (error) {
		unlinkat(store_fd, part, 0);
		return error;
	}
	count(&populating->result->assets, 1);
	count(&populating->result->bytes, content->size);
	return 0;
}

struct range {
	uint32_t first, end;
};

/* Empty where there is none left. */
static struct range next_package(struct populating *populating)
{
	const struct contents *contents = populating->request->contents;
	struct range package;

	pthread_mutex_lock(&populating->lock);
	package.first = package.end = populating->next;
	while (package.end < contents->count &&
	       contents->list[package.end].number >> PACKAGE_SHIFT ==
		       contents->list[package.first].number >> PACKAGE_SHIFT)
		package.end++;
	populating->next = package.end;
	pthread_mutex_unlock(&populating->lock);
	return package;
}

static int write_packages(const struct writer *writer)
{
	const struct content *list = writer->populating->request->contents->list;

	for (;;) {
		struct range package = next_package(writer->populating);

		if (package.first == package.end)
			return 0;
		for (uint32_t i = package.first; i < package.end; i++) {
			int error = workers_stopped(writer->workers)
					    ? -ECANCELED
					    : write_asset(writer, &list[i]);

			if (error)
				return error == -ECANCELED ? 0 : error;
			workers_advance(writer->workers, 1);
		}
	}
}

static int run_writer(void *context, struct workers *workers)
{
	struct writer writer = {
		.populating = context,
		.workers = workers,
		.chunk = malloc(POPULATE_WRITE_BYTES),
	};
	int error = writer.chunk ? write_packages(&writer)
				 : error_set(-ENOMEM, "out of memory for filling the store");

	free(writer.chunk);
	return error;
}

static int fill(struct populating *populating)
{
	const struct populate_request *request = populating->request;
	const struct workers_job job = {
		.work = run_writer,
		.context = populating,
		.count = request->writers,
		.phase = "populate",
		.stopped = "stopped while the store was filled",
		.total = request->contents->count,
		.progress = request->progress,
	};

	return workers_run(&job);
}

int store_populate(const struct populate_request *request, struct populate_result *result)
{
	struct populating populating = { .request = request, .result = result };
	double started = clock_seconds();
	bool enough = true;
	int error;

	*result = (struct populate_result){ 0 };
	pthread_mutex_init(&populating.lock, NULL);
	for (unsigned level = 0; level < request->fanout->levels; level++) {
		populating.made[level] = calloc(((size_t)1 << 8 * (level + 1)) / 8, 1);
		enough = enough && populating.made[level];
	}
	error = enough ? fill(&populating)
		       : error_set(-ENOMEM, "out of memory for filling the store");
	for (unsigned level = 0; level < STORE_LEVELS_MAX; level++)
		free(populating.made[level]);
	pthread_mutex_destroy(&populating.lock);
	result->seconds = clock_seconds() - started;
	return error;
}
