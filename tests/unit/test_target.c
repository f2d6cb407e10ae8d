/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The held target and the last look, on loop devices; as root. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device_loop.h"

#include "disk/target.h"
#include "lib/cleanup.h"

#include <errno.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

enum { DISK_BYTES = 64 << 20, TARGET_START = 1 << 20, TARGET_BYTES = 32 << 20 };

static const char *disk;
static struct block_device chosen;
static struct target target;

static struct block_device device_called(const char *name)
{
	struct device_list list;

	assert_int_equal(devices_scan(&list, ""), 0);
	const struct block_device *found = find_device(&list, name);
	assert_non_null(found);
	struct block_device copy = *found;
	devices_free(&list);
	return copy;
}

static const char *nodes(void)
{
	static char path[80];

	snprintf(path, sizeof(path), "%s/nodes", top);
	return path;
}

static void choose(void)
{
	need_loop_devices();
	disk = attach_gpt("disk", own_label());
	chosen = device_called(partition_of(disk, 1));
}

static void open_target(void)
{
	choose();
	int result = target_open(&target, &chosen, nodes());
	if (result)
		print_error("%s\n", error_text());
	assert_int_equal(result, 0);
}

static int open_nothing(void **state)
{
	memset(&target, 0, sizeof(target));
	target.held_fd = -1;
	return make_top(state);
}

static int close_all(void **state)
{
	target_close(&target);
	return detach_all(state);
}

static void stale(const char *words)
{
	assert_int_equal(target_last_look(&target), -ESTALE);
	if (!strstr(error_text(), words))
		print_error("'%s' does not say '%s'\n", error_text(), words);
	assert_non_null(strstr(error_text(), words));
}

static void a_target_is_held_by_a_private_node(void **state)
{
	struct stat status;

	(void)state;
	open_target();
	assert_int_equal(stat(nodes(), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	assert_int_equal(stat(target.node, &status), 0);
	assert_true(S_ISBLK(status.st_mode));
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(status.st_rdev, chosen.number);
	assert_int_equal(fcntl(target.held_fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	assert_int_equal(fcntl(target.held_fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	assert_int_equal(access(target.stat_path, R_OK), 0);
	assert_int_equal(target_last_look(&target), 0);
	/* the held descriptor blocks nobody who wants the device for himself */
	int alone = open(target.node, O_RDWR | O_EXCL | O_CLOEXEC);
	assert_true(alone >= 0);
	close(alone);

	char node[sizeof(target.node)];
	strcpy(node, target.node);
	target_close(&target);
	assert_int_equal(access(node, F_OK), -1);
	assert_int_equal(target.held_fd, -1);
}

static void a_whole_disk_is_not_opened(void **state)
{
	(void)state;
	choose();
	chosen = device_called(disk);
	assert_int_equal(target_open(&target, &chosen, nodes()), -EINVAL);
	assert_int_equal(access(nodes(), F_OK), -1);
}

static void any_other_identity_is_stale(void **state)
{
	struct target true_one;

	(void)state;
	open_target();
	true_one = target;
	strcpy(target.identity.serial, "other");
	stale("model or serial");
	target = true_one;
	strcpy(target.identity.model, "other");
	stale("model or serial");
	target = true_one;
	strcpy(target.identity.partuuid, "00000000-0000-4000-8000-000000000000");
	stale("PARTUUID has changed");
	target = true_one;
	strcpy(target.identity.partlabel, "other");
	stale("label has changed");
	target = true_one;
	target.identity.start_bytes += 512;
	stale("place or size");
	target = true_one;
	target.identity.size_bytes -= 512;
	stale("size has changed");
	target = true_one;
	target.identity.number = makedev(0, 0);
	stale("descriptor");
	target = true_one;
	target.disk_sequence++;
	stale("another disk");
	target = true_one;
	assert_int_equal(target_last_look(&target), 0);
}

static void an_identity_that_was_never_true_is_not_opened(void **state)
{
	(void)state;
	choose();
	strcpy(chosen.serial, "other");
	assert_int_equal(target_open(&target, &chosen, nodes()), -ESTALE);
	assert_int_equal(target.held_fd, -1);
	assert_string_equal(target.node, "");
	assert_string_equal(shell("ls nodes"), "");
}

static void a_replaced_node_is_noticed(void **state)
{
	char node[128];

	(void)state;
	open_target();
	struct block_device neighbour = device_called(partition_of(disk, 2));
	strcpy(node, target.node);
	assert_int_equal(unlink(node), 0);
	assert_true(target_last_look(&target) < 0);
	assert_int_equal(mknod(node, S_IFBLK | 0600, neighbour.number), 0);
	stale("no longer block device");
	assert_int_equal(unlink(node), 0);
	shell("ln -s /dev/%s %s", partition_of(disk, 1), node);
	assert_true(target_last_look(&target) < 0); /* a link could point elsewhere in a moment */
}

static void use_is_busy(void **state)
{
	(void)state;
	open_target();
	int alone = open(target.node, O_RDONLY | O_EXCL | O_CLOEXEC);
	assert_int_equal(target_last_look(&target), -EBUSY);
	assert_non_null(strstr(error_text(), "exclusively"));
	close(alone);
	assert_int_equal(target_last_look(&target), 0);

	shell("mkfs.ext4 -q %s && mkdir mnt && mount %s mnt", target.node, target.node);
	assert_int_equal(target_last_look(&target), -EBUSY);
	assert_non_null(strstr(error_text(), "mounted"));
	shell("umount mnt");
	assert_int_equal(target_last_look(&target), 0);

	attach(target.node, "");
	assert_int_equal(target_last_look(&target), -EBUSY);
	assert_non_null(strstr(error_text(), attached[1]));
}

static void a_changed_size_is_stale(void **state)
{
	(void)state;
	open_target();
	shell("resizepart /dev/%s 1 32768", disk);
	stale("size has changed");
}

static void a_changed_table_is_stale(void **state)
{
	(void)state;
	open_target();
	shell("printf 'label: gpt\\n1: start=1MiB, size=32MiB, name=\"%s\"\\n' | "
	      "sfdisk -q --force --no-reread --no-tell-kernel /dev/%s", own_label(), disk);
	stale("PARTUUID has changed"); /* all else is as before */
	shell("printf 'label: gpt\\n1: start=1MiB, size=16MiB, name=\"%s\", "
	      "uuid=%s\\n' | sfdisk -q --force --no-reread --no-tell-kernel /dev/%s",
	      own_label(), chosen.partuuid, disk);
	stale("no longer agrees with the kernel's"); /* the kernel still goes by the old size */
}

static void a_whole_disk_does_not_pass_the_look(void **state)
{
	(void)state;
	open_target();
	close(target.held_fd);
	target.held_fd = open(shell("echo /dev/%s", disk), O_RDONLY | O_CLOEXEC);
	target.identity = device_called(disk);
	stale("it is a whole disk");
}

static void a_disk_that_became_read_only_is_stale(void **state)
{
	(void)state;
	open_target();
	shell("blockdev --setro /dev/%s", partition_of(disk, 1));
	stale("read-only");
}

/* The very same bytes under the same number: only the kernel's count of disks tells. */
static void a_swapped_disk_is_stale(void **state)
{
	char path[128];

	(void)state;
	need_loop_devices();
	shell("truncate -s 64M disk && printf 'label: gpt\\n1: start=1MiB, size=32MiB, "
	      "name=\"%s\"\\n' | sfdisk -q --no-tell-kernel disk && cp disk copy", own_label());
	disk = attach("disk", "--read-only"); /* or the kernel would not change the file below */
	add_partition(disk, 1, 2048, 65536);
	chosen = device_called(partition_of(disk, 1));
	assert_int_equal(target_open(&target, &chosen, nodes()), -ESTALE); /* read-only, that is */

	target.identity = chosen;
	target.held_fd = open(shell("echo /dev/%s", partition_of(disk, 1)), O_RDONLY | O_CLOEXEC);
	assert_true(target.held_fd >= 0);
	snprintf(path, sizeof(path), "/sys/class/block/%s/diskseq", disk);
	target.disk_sequence = strtoull(shell("cat %s", path), NULL, 10);
	stale("read-only"); /* all that comes before is as it was */

	_cleanup_close_ int loop = open(shell("echo /dev/%s", disk), O_RDONLY | O_CLOEXEC);
	_cleanup_close_ int copy = open(shell("realpath copy"), O_RDONLY | O_CLOEXEC);
	assert_int_equal(ioctl(loop, LOOP_CHANGE_FD, copy), 0);
	stale("another disk has taken its place");
}

static unsigned char *read_image(void)
{
	unsigned char *bytes = malloc(DISK_BYTES);
	char path[128];

	shell("blockdev --flushbufs /dev/%s", disk);
	snprintf(path, sizeof(path), "%s/disk", top);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(pread(fd, bytes, DISK_BYTES, 0), DISK_BYTES);
	return bytes;
}

static void fill_partition(unsigned number, size_t bytes)
{
	enum { PIECE = 1 << 20 };
	unsigned char *piece = aligned_alloc(4096, PIECE);
	_cleanup_close_ int fd = open(shell("echo /dev/%s", partition_of(disk, number)),
				      O_WRONLY | O_DIRECT | O_CLOEXEC);

	assert_true(fd >= 0);
	memset(piece, 'U', PIECE);
	for (size_t at = 0; at < bytes; at += PIECE)
		assert_int_equal(pwrite(fd, piece, PIECE, (off_t)at), PIECE);
	free(piece);
}

/* Of so many bytes from there on; assert_memory_equal takes its time for as many. */
static void assert_same(const unsigned char *before, const unsigned char *after, size_t start,
			size_t bytes)
{
	if (memcmp(before + start, after + start, bytes))
		assert_memory_equal(before + start, after + start, bytes);
}

/* Discards and zeroes are written in the target and nowhere else. */
static void discard_stays_inside(void **state)
{
	struct discard_result result;

	(void)state;
	open_target();
	fill_partition(1, TARGET_BYTES);
	fill_partition(2, 16 << 20);
	_cleanup_free_ unsigned char *before = read_image();
	assert_int_equal(before[TARGET_START], 'U');
	assert_int_equal(before[TARGET_START + TARGET_BYTES - 1], 'U');

	assert_int_equal(target_discard(&target, &result), 0);
	assert_true(result.detail[0]);
	assert_true(result.seconds >= 0);
	_cleanup_free_ unsigned char *after = read_image();
	size_t end_of_target = TARGET_START + TARGET_BYTES;
	assert_same(before, after, 0, TARGET_START);
	assert_same(before, after, end_of_target, DISK_BYTES - end_of_target);
	for (size_t i = 0; i < TARGET_BYTES; i++) {
		bool end = i < 1 << 20 || i >= TARGET_BYTES - (1 << 20);

		if (after[TARGET_START + i] && (end || result.done))
			fail_msg("byte %zu of the target is %u", i, after[TARGET_START + i]);
	}
	assert_int_equal(target_last_look(&target), 0);
}

/* A disk that cannot discard loses its signatures all the same, and nothing else. */
static void without_discard_the_ends_are_cleared(void **state)
{
	const size_t start = TARGET_START, end = TARGET_START + TARGET_BYTES, ends = 1 << 20;
	struct discard_result result;

	(void)state;
	open_target();
	shell("echo 0 > /sys/class/block/%s/queue/discard_max_bytes", disk);
	fill_partition(1, TARGET_BYTES);
	_cleanup_free_ unsigned char *expected = read_image();
	assert_int_equal(target_discard(&target, &result), 0);
	assert_false(result.done);
	assert_non_null(strstr(result.detail, "does not support"));
	_cleanup_free_ unsigned char *after = read_image();
	memset(expected + start, 0, ends);
	memset(expected + end - ends, 0, ends);
	assert_same(expected, after, 0, DISK_BYTES);
}

static void nothing_is_discarded_without_a_look(void **state)
{
	struct discard_result result;

	(void)state;
	open_target();
	fill_partition(1, TARGET_BYTES);
	_cleanup_free_ unsigned char *before = read_image();
	int alone = open(target.node, O_RDONLY | O_EXCL | O_CLOEXEC);
	assert_int_equal(target_discard(&target, &result), -EBUSY);
	close(alone);
	strcpy(target.identity.partuuid, "00000000-0000-4000-8000-000000000000");
	assert_int_equal(target_discard(&target, &result), -ESTALE);
	_cleanup_free_ unsigned char *after = read_image();
	assert_same(before, after, 0, DISK_BYTES);
}

#define test(name) cmocka_unit_test_setup_teardown(name, open_nothing, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_target_is_held_by_a_private_node),
		test(a_whole_disk_is_not_opened),
		test(any_other_identity_is_stale),
		test(an_identity_that_was_never_true_is_not_opened),
		test(a_replaced_node_is_noticed),
		test(use_is_busy),
		test(a_changed_size_is_stale),
		test(a_changed_table_is_stale),
		test(a_whole_disk_does_not_pass_the_look),
		test(a_disk_that_became_read_only_is_stale),
		test(a_swapped_disk_is_stale),
		test(discard_stays_inside),
		test(without_discard_the_ends_are_cleared),
		test(nothing_is_discarded_without_a_look),
	};
	return cmocka_run_group_tests_name("target", tests, NULL, NULL);
}
