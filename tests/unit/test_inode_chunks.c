/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The inodes of xfs by chunks, counted at the device. */
#include "mounted_fixture.h"

#include "blit/handles.h"
#include "blit/inode_chunks.h"
#include "measure/counters.h"

#include <sys/sysmacros.h>

enum { FILES = 3000, BUFFER_BITS = 5 };

static char paths[FILES][STORE_PATH_BYTES];
static struct handles handles;

static int top_fd(void)
{
	int fd = open(in_top("mounted/store/assets/v2"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	return fd;
}

static uint64_t device_reads(int fd)
{
	struct disk_counters counters;
	struct stat status;
	char path[64];

	assert_int_equal(fstat(fd, &status), 0);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat", major(status.st_dev),
		 minor(status.st_dev));
	assert_int_equal(disk_counters_read(&counters, path), 0);
	return counters.reads;
}

/* A directory for each file, as in a store, and the table of all handles. */
static void make_store(void)
{
	mount_fresh("xfs", 320, "-q");
	assert_int_equal(run_shell("mkdir -p mounted/store/assets/v2"), 0);
	_cleanup_close_ int fd = top_fd();
	for (unsigned i = 0; i < FILES; i++) {
		char folder[16];

		snprintf(folder, sizeof(folder), "%x", i);
		snprintf(paths[i], sizeof(paths[i]), "%x/file", i);
		assert_int_equal(mkdirat(fd, folder, 0700), 0);
		_cleanup_close_ int file = openat(fd, paths[i], O_CREAT | O_WRONLY, 0600);
		assert_true(file >= 0);
	}
	assert_int_equal(handles_save(fd, (const char(*)[STORE_PATH_BYTES])paths, FILES), 0);
	assert_int_equal(handles_load(&handles, fd, FILES), 0);
	assert_int_equal(handles_sort(&handles), 0);
}

static int release(void **state)
{
	handles_free(&handles);
	unmount_fresh();
	return remove_top(state);
}

static void mount_again(void)
{
	assert_int_equal(run_shell("umount mounted && mount -o loop image mounted"), 0);
}

/* Of all inodes, one for each group that is alike but for so many bits; the reads that it took. */
static uint64_t read_groups(int fd, unsigned bits, bool chunks)
{
	uint64_t last = UINT64_MAX, before = device_reads(fd);

	for (unsigned i = 0; i < FILES; i++) {
		uint64_t inode = handles.order[i].inode;

		if (inode >> bits != last && chunks)
			assert_int_equal(inode_chunks_read(fd, inode), 0);
		if (inode >> bits != last && !chunks)
			close(handles_open(&handles, fd, handles.order[i].asset, O_PATH));
		last = inode >> bits;
	}
	return device_reads(fd) - before;
}

static void a_chunk_is_brought_in_by_one_read(void **state)
{
	(void)state;
	make_store();
	mount_again();
	int fd = top_fd();
	uint64_t opening = read_groups(fd, BUFFER_BITS, false);
	close(fd);
	mount_again();
	fd = top_fd();
	uint64_t asking = read_groups(fd, INODE_CHUNK_BITS, true);
	/* The disk was asked for every half of a chunk before, and now for chunks; a read or two is of
	 * something else. */
	assert_true(opening > FILES / 32);
	assert_true(asking <= opening / 2 + 8);
	/* And no inode is left to be read, but for a read or two of where they lie. */
	uint64_t before = device_reads(fd);
	for (unsigned i = 0; i < FILES; i++) {
		int file = handles_open(&handles, fd, i, O_PATH);

		assert_true(file >= 0);
		close(file);
	}
	assert_true(device_reads(fd) <= before + 8);
	close(fd);
}

static void other_filesystems_say_no(void **state)
{
	(void)state;
	_cleanup_close_ int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(inode_chunks_read(fd, 128), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_chunk_is_brought_in_by_one_read, make_top, release),
		cmocka_unit_test(other_filesystems_say_no),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
