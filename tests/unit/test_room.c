/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How much room things take, on paper and on real filesystems. */
#include "mounted_fixture.h"

#include "fs/room.h"
#include "lib/sysfs.h"

static const char *const names[] = { "ext4", "xfs", "xfs-parent", "f2fs", "btrfs" };
static const uint64_t gibibyte = 1ULL << 30;

static struct room of_files(const struct filesystem *fs, uint64_t count, uint64_t size)
{
	struct room one = { 0 }, all = { 0 };

	room_add_file(&one, fs, size);
	room_add(&all, &one, count);
	return all;
}

static void files_take_whole_blocks(void **state)
{
	static const struct {
		uint64_t size, blocks;
	} cases[] = {
		{ 0, 0 }, { 4095, 1 }, { 4096, 1 }, { 4097, 2 }, { 1 << 20, 256 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		const struct filesystem *fs = filesystem_find(names[i]);

		for (size_t k = 0; k < ARRAY_LENGTH(cases); k++) {
			struct room room = of_files(fs, 1, cases[k].size);

			assert_int_equal(room.inodes, 1);
			assert_int_equal(room.bytes, fs->inode_bytes + 4096 * cases[k].blocks);
		}
	}
	/* f2fs keeps short contents in the inode's block. */
	assert_int_equal(of_files(filesystem_find("f2fs"), 1, 1000).bytes, 4096);
	assert_int_equal(of_files(filesystem_find("ext4"), 1, 1000).bytes, 4096);
}

static void short_links_and_small_directories_lie_in_the_inode(void **state)
{
	const struct filesystem *ext4 = filesystem_find("ext4"), *xfs = filesystem_find("xfs");
	struct room room = { 0 };

	(void)state;
	room_add_symlink(&room, ext4, 59);
	assert_int_equal(room.bytes, 0);
	room_add_symlink(&room, ext4, 60);
	assert_int_equal(room.bytes, 4096);
	room_add_directory(&room, ext4, 0, 0);
	assert_int_equal(room.bytes, 2 * 4096);
	assert_int_equal(room.inodes, 3);
	room = (struct room){ 0 };
	room_add_directory(&room, xfs, 1, 32);
	assert_int_equal(room.bytes, xfs->inode_bytes);
	room_add_directory(&room, xfs, 20, 200);
	assert_int_equal(room.bytes, 2 * xfs->inode_bytes + 4096);
	/* Large ones may have blocks that are half empty. */
	room = (struct room){ 0 };
	room_add_directory(&room, ext4, 1000, 32000);
	assert_true(room.bytes > 2 * 40 * 1000);
}

static void a_partition_needs_more_than_what_lies_on_it(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		const struct filesystem *fs = filesystem_find(names[i]);
		struct room nothing = { 0 }, much = of_files(fs, 1000, 10 << 20);

		assert_int_equal(room_partition_bytes(&nothing, fs), fs->minimum_bytes);
		assert_true(room_partition_bytes(&much, fs) > much.bytes);
		assert_true(room_partition_bytes(&much, fs) < 2 * much.bytes);
	}
	/* ext4 makes one inode for 16 KiB. */
	const struct filesystem *ext4 = filesystem_find("ext4");
	struct room many = of_files(ext4, 1000000, 0);
	assert_true(room_partition_bytes(&many, ext4) > 1000000ULL * 16384);
}

/* --- on real filesystems --- */

static int unmount(void **state)
{
	(void)state;
	unmount_fresh();
	return 0;
}

/* What passes as large enough must have the room once it is formatted; a tenth of the whole more
 * does not pass. */
static void a_partition_of_that_size_has_the_room(const char *name, const char *options)
{
	const struct filesystem *fs = filesystem_find(name);
	const uint64_t sizes[] = { gibibyte / 3, 2 * gibibyte, 20 * gibibyte };

	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
		struct room room = of_files(fs, 1000, sizes[i] / 1000);
		uint64_t bytes = room_partition_bytes(&room, fs);

		mount_fresh(name, (unsigned)(bytes >> 20), options);
		if (room_check(&room, fs, in_top("mounted")))
			fail_msg("%s", error_text());
		room.bytes += bytes;
		assert_int_equal(room_check(&room, fs, in_top("mounted")), -ENOSPC);
		unmount_fresh();

		room = of_files(fs, sizes[i] / 20000, 0);
		bytes = room_partition_bytes(&room, fs);
		mount_fresh(name, (unsigned)((bytes >> 20) + 1), options);
		if (room_check(&room, fs, in_top("mounted")))
			fail_msg("%s", error_text());
		unmount_fresh();
	}
}

static void ext4_partitions(void **state)
{
	(void)state;
	a_partition_of_that_size_has_the_room(
		"ext4", "-F -q -b 4096 -E lazy_itable_init=1,lazy_journal_init=1,nodiscard");
}

static void xfs_partitions(void **state)
{
	(void)state;
	a_partition_of_that_size_has_the_room("xfs", "-f -q -K");
}

/* Where the kernel has no f2fs, its checkpoint says how many blocks users may have. */
static void f2fs_partitions(void **state)
{
	const struct filesystem *fs = filesystem_find("f2fs");
	static const uint64_t megabytes[] = { 300, 2000, 20000 };

	(void)state;
	if (run_shell("command -v mkfs.f2fs")) {
		print_message("skipped: f2fs: no mkfs\n");
		skip();
	}
	for (size_t i = 0; i < ARRAY_LENGTH(megabytes); i++) {
		struct room room = of_files(fs, 1000, megabytes[i] * 1000);
		uint32_t checkpoint_block;
		uint64_t user_blocks;

		assert_int_equal(run_shell("rm -f image; truncate -s %llu image && "
					   "mkfs.f2fs -f -t 0 image",
					   (unsigned long long)room_partition_bytes(&room, fs)),
				 0);
		int fd = open(in_top("image"), O_RDONLY | O_CLOEXEC);
		/* cp_blkaddr of the superblock at 1024; user_block_count of the checkpoint. */
		assert_int_equal(pread(fd, &checkpoint_block, 4, 1024 + 76), 4);
		assert_int_equal(pread(fd, &user_blocks, 8, (off_t)checkpoint_block * 4096 + 8), 8);
		close(fd);
		assert_in_range(user_blocks * 4096, room.bytes, 3 * room.bytes + gibibyte);
	}
}

static void what_lacks_is_told(void **state)
{
	const struct filesystem *fs = filesystem_find("ext4");
	struct room room = of_files(fs, 10, 10 << 20);

	(void)state;
	mount_fresh("ext4", 64, "-F -q -b 4096 -N 300");
	assert_int_equal(room_check(&room, fs, in_top("mounted")), -ENOSPC);
	assert_sentence("the filesystem has 0.05 GiB and ");
	assert_sentence(" inodes free, and store and trees need 0.10 GiB and 10;");
	assert_sentence("use one of 1.0 GiB or more");
	assert_sentence("content=capped:4096");
	room = of_files(fs, 301, 0);
	assert_int_equal(room_check(&room, fs, in_top("mounted")), -ENOSPC);
	assert_sentence("need 0.00 GiB and 301;");
	/* Where nothing is known of how many inodes a size brings, as of tmpfs. */
	struct filesystem other = *fs;
	other.bytes_per_inode = 0;
	assert_int_equal(room_check(&room, &other, in_top("mounted")), -ENOSPC);
	assert_sentence("use one with more inodes, a smaller workload");
	room = of_files(fs, 1, 1);
	assert_int_equal(room_check(&room, fs, in_top("mounted")), 0);
	assert_int_equal(room_check(&room, filesystem_find("xfs"), in_top("missing")), -ENOENT);
}

static void links_are_limited_as_the_filesystem_has_it(void **state)
{
	struct room room = { .links = 65000 };

	(void)state;
	assert_int_equal(room_check_links(&room, filesystem_find("ext4")), 0);
	room.links++;
	assert_int_equal(room_check_links(&room, filesystem_find("ext4")), -EMLINK);
	assert_sentence("65001 links, and ext4 allows 65000");
	assert_int_equal(room_check_links(&room, filesystem_find("xfs")), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_take_whole_blocks),
		cmocka_unit_test(short_links_and_small_directories_lie_in_the_inode),
		cmocka_unit_test(links_are_limited_as_the_filesystem_has_it),
		cmocka_unit_test(a_partition_needs_more_than_what_lies_on_it),
		cmocka_unit_test_teardown(ext4_partitions, unmount),
		cmocka_unit_test_teardown(xfs_partitions, unmount),
		cmocka_unit_test(f2fs_partitions),
		cmocka_unit_test_teardown(what_lacks_is_told, unmount),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
