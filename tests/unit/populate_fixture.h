/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of filling a store share: a workload of several packages, and a store beside it.
 */
#ifndef BLITBENCH_TESTS_POPULATE_FIXTURE_H
#define BLITBENCH_TESTS_POPULATE_FIXTURE_H

#include "workload_fixture.h"

#include "workload/populate.h"

#include <ftw.h>

enum { SEED = 4 };

static struct workload workload;

/* Packages from 1 on, each of so many contents, whose sizes fall from the given one to 1. */
__attribute__((unused)) static int load_packages(unsigned packages, unsigned contents,
						 unsigned largest)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (unsigned package = 1; package <= packages; package++)
		for (unsigned rank = 0; rank < contents; rank++)
			fprintf(out, "./usr/%u/%u type=file size=%u inode=%u\n", package, rank,
				largest - (largest - 1) / contents * rank, (package << 20) + rank);
	fclose(out);
	put_text("manifest", text);
	return workload_load(&workload, "store", in_top("manifest"), NULL, SEED, NULL);
}

__attribute__((unused)) static int open_store_in(const char *name)
{
	int fd;

	mkdir(in_top(name), 0755);
	fd = open(in_top(name), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

__attribute__((unused)) static struct populate_request request_for(int store_fd, const char *fanout,
								   unsigned writers)
{
	return (struct populate_request){
		.store_fd = store_fd,
		.fanout = fanout_find(fanout),
		.contents = &workload.contents,
		.seed = SEED,
		.writers = writers,
	};
}

/* --- what is there --- */

static uint64_t files_found, bytes_found, directories_found;
static bool part_found;

static int note_found(const char *path, const struct stat *status, int type, struct FTW *where)
{
	files_found += type == FTW_F;
	bytes_found += type == FTW_F ? (uint64_t)status->st_size : 0;
	directories_found += type == FTW_D && where->level;
	part_found = part_found || strstr(path, ".part");
	return 0;
}

__attribute__((unused)) static void count_found(const char *path)
{
	files_found = bytes_found = directories_found = 0;
	part_found = false;
	assert_int_equal(nftw(path, note_found, 16, FTW_PHYS), 0);
}

__attribute__((unused)) static unsigned open_descriptors(void)
{
	unsigned count = 0;
	_cleanup_closedir_ DIR *directory = opendir("/proc/self/fd");

	while (readdir(directory))
		count++;
	return count;
}

#endif
