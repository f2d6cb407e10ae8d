/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scan of this machine, with loop devices as disks; as root. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device_loop.h"

#include "disk/refuse.h"
#include "disk/results.h"
#include "lib/cleanup.h"

#include <errno.h>
#include <sys/mount.h>

static struct device_list list;

static int free_list(void **state)
{
	devices_free(&list);
	return detach_all(state);
}

static const struct block_device *scanned(const char *name)
{
	devices_free(&list);
	assert_int_equal(devices_scan(&list, ""), 0);
	const struct block_device *device = find_device(&list, name);
	assert_non_null(device);
	return device;
}

/* What target_choose says of the partition that has our label. */
static const char *verdict(void)
{
	static struct refusal refusal;
	const struct target_wish wish = { .partlabel = own_label(), .bytes_needed = 1 << 20 };

	return target_choose(&list, &wish, &refusal) < 0 ? refusal.rule : "chosen";
}

static void this_machine_can_be_scanned(void **state)
{
	(void)state;
	if (access("/sys/class/block", F_OK))
		skip();
	if (!geteuid())
		need_loop_devices();
	assert_int_equal(devices_scan(&list, ""), 0);
	for (size_t i = 0; i < list.count; i++) {
		const struct block_device *device = &list.devices[i];

		assert_true(device->number);
		if (!device->is_partition)
			assert_int_equal(device->disk, i);
	}
}

static void a_gpt_partition_is_found_by_its_label(void **state)
{
	(void)state;
	need_loop_devices();
	const char *disk = attach_gpt("disk", own_label());
	const struct block_device *first = scanned(partition_of(disk, 1));

	assert_string_equal(first->partlabel, own_label());
	assert_int_equal(strlen(first->partuuid), 36);
	assert_int_equal(first->start_bytes, 1 << 20);
	assert_int_equal(first->size_bytes, 32 << 20);
	assert_string_equal(first->signature_type, "");
	assert_false(first->table_differs || first->busy || first->mounted || first->read_only);
	assert_string_equal(list.devices[first->disk].name, disk);
	assert_string_equal(list.devices[first->disk].table_type, "gpt");
	assert_string_equal(list.devices[first->disk].signature_type, "");
	assert_string_equal(verdict(), "chosen");
}

/* Same low bytes, or a blank more: PARTNAME can look the same. */
static void labels_that_only_look_alike_are_others(void **state)
{
	char label[64];

	(void)state;
	need_loop_devices();
	snprintf(label, sizeof(label), "\xc5\xa2%s", own_label() + 1); /* U+0162: low byte 'b' */
	attach_gpt("disk", label);
	scanned(attached[0]);
	assert_string_equal(verdict(), "no-match");
}

static void scanning_changes_nothing(void **state)
{
	(void)state;
	need_loop_devices();
	const char *disk = attach_gpt("disk", own_label());
	shell("mkfs.ext4 -q -L blitbench /dev/%s", partition_of(disk, 1));
	shell("sync disk");
	shell("cp --sparse=always disk before");
	const struct block_device *first = scanned(partition_of(disk, 1));
	assert_string_equal(first->signature_type, "ext4");
	assert_string_equal(first->signature_label, "blitbench");
	assert_string_equal(verdict(), "chosen");
	shell("sync disk");
	shell("cmp disk before");
}

static void use_is_noticed(void **state)
{
	char path[96];

	(void)state;
	need_loop_devices();
	const char *disk = attach_gpt("disk", own_label());
	const char *name = partition_of(disk, 1);
	snprintf(path, sizeof(path), "/dev/%s", name);

	int holder = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);
	assert_true(holder >= 0);
	assert_true(scanned(name)->busy);
	assert_string_equal(verdict(), "in-use");
	close(holder);
	assert_false(scanned(name)->busy);

	shell("mkfs.ext4 -q -L blitbench %s && mkdir mnt && mount %s mnt", path, path);
	assert_true(scanned(name)->mounted);
	assert_string_equal(verdict(), "in-use");
	shell("umount mnt");
	assert_false(scanned(name)->mounted);

	const char *above = attach(path, "");
	const struct block_device *held = scanned(partition_of(disk, 1));
	assert_string_equal(held->holders, above);
	assert_string_equal(verdict(), "in-use");
}

/* Its number in mountinfo belongs to no device. */
static void a_mounted_btrfs_is_noticed(void **state)
{
	(void)state;
	need_loop_devices();
	if (system("PATH=$PATH:/usr/sbin:/sbin command -v mkfs.btrfs >/dev/null"))
		skip();
	shell("truncate -s 256M disk && "
	      "printf 'label: gpt\\n1: start=1MiB, size=200MiB, name=\"%s\"\\n' | "
	      "sfdisk -q --no-tell-kernel disk", own_label());
	const char *disk = attach("disk", "");
	add_partition(disk, 1, 2048, 409600);
	const char *name = partition_of(disk, 1);
	shell("mkfs.btrfs -q -L blitbench /dev/%s && mkdir mnt", name);
	if (system("grep -qw btrfs /proc/filesystems"))
		skip();
	shell("mount /dev/%s mnt", name);
	const struct block_device *device = scanned(name);
	assert_true(device->mounted);
	assert_string_equal(verdict(), "in-use");
	shell("umount mnt");
}

/* The table on the disk was rewritten behind the kernel's back. */
static void a_stale_table_is_no_match(void **state)
{
	(void)state;
	need_loop_devices();
	const char *disk = attach_gpt("disk", own_label());
	shell("printf 'label: gpt\\n1: start=1MiB, size=16MiB, name=\"%s\"\\n' | "
	      "sfdisk -q --force --no-reread --no-tell-kernel /dev/%s", own_label(), disk);
	assert_true(scanned(partition_of(disk, 1))->table_differs);
	assert_true(scanned(partition_of(disk, 2))->table_differs);
	assert_string_equal(verdict(), "no-match");
}

/* Made by no sane tool: the first partition begins in the table's own entries, or the last one ends
 * in the copy's. Whoever formats such a one loses all the others. */
static void partitions_in_the_gpt_itself_are_told(void **state)
{
	static const struct {
		unsigned long long first, last; /* LBA */
		bool overlaps;
	} places[] = {
		{ 33, 131071 - 33, true },
		{ 34, 131071 - 32, true },
		{ 34, 131071 - 33, false },
	};

	(void)state;
	need_loop_devices();
	for (size_t i = 0; i < ARRAY_LENGTH(places); i++) {
		unsigned long long sectors = places[i].last - places[i].first + 1;
		char file[16];

		/* A table of 4 entries takes less than the standard leaves it. */
		snprintf(file, sizeof(file), "disk%zu", i);
		shell("truncate -s 64M %s && printf 'label: gpt\\ntable-length: 4\\n"
		      "first-lba: 3\\nlast-lba: 131068\\n1: start=%llu, size=%llu, name=\"%s\"\\n' | "
		      "sfdisk -q --no-tell-kernel %s",
		      file, places[i].first, sectors, own_label(), file);
		const char *disk = attach(file, "");
		add_partition(disk, 1, places[i].first, sectors);
		const struct block_device *first = scanned(partition_of(disk, 1));
		assert_false(first->table_differs);
		assert_int_equal(first->overlaps, places[i].overlaps);
	}
	assert_string_equal(verdict(), "chosen"); /* the only one of the three that may be */
}

static void read_only_disks_are_refused(void **state)
{
	(void)state;
	need_loop_devices();
	shell("truncate -s 64M disk && printf 'label: gpt\\n1: start=1MiB, size=32MiB, "
	      "name=\"%s\"\\n' | sfdisk -q --no-tell-kernel disk", own_label());
	const char *disk = attach("disk", "--read-only");
	add_partition(disk, 1, 2048, 65536);
	assert_true(scanned(partition_of(disk, 1))->read_only);
	assert_string_equal(verdict(), "read-only");
}

static void sectors_of_4096_bytes_are_understood(void **state)
{
	(void)state;
	need_loop_devices();
	shell("truncate -s 64M disk");
	const char *disk = attach("disk", "--sector-size 4096");
	shell("printf 'label: gpt\\n1: start=1MiB, size=32MiB, name=\"%s\"\\n' | "
	      "sfdisk -q --no-reread --no-tell-kernel /dev/%s", own_label(), disk);
	add_partition(disk, 1, 2048, 65536);
	const struct block_device *first = scanned(partition_of(disk, 1));
	assert_int_equal(first->logical_sector_bytes, 4096);
	assert_int_equal(first->size_bytes, 32 << 20);
	assert_string_equal(verdict(), "chosen");
}

/* A list of this disk and its partitions alone. */
static void only_disk(struct device_list *only, const char *disk)
{
	int whole = (int)(scanned(disk) - list.devices);

	free(only->devices);
	only->devices = calloc(list.count, sizeof(*only->devices));
	only->count = 0;
	assert_non_null(only->devices);
	for (size_t i = 0; i < list.count; i++) {
		if (list.devices[i].disk != whole)
			continue;
		only->devices[only->count] = list.devices[i];
		only->devices[only->count++].disk = 0; /* it comes first */
	}
}

static void the_results_volume_is_found_by_both_labels(void **state)
{
	(void)state;
	need_loop_devices();
	const char *disk = attach_gpt("disk", "BLITRESULTS");
	struct device_list only = { 0 };

	/* This machine may have a stick in. */
	only_disk(&only, disk);
	assert_int_equal(results_find(&only), -ENOENT);
	assert_non_null(strstr(error_text(), disk));
	shell("mkfs.vfat -n BLITRESULTS /dev/%s", partition_of(disk, 1));
	only_disk(&only, disk);
	int index = results_find(&only);
	assert_true(index >= 0);
	assert_string_equal(only.devices[index].name, partition_of(disk, 1));
	assert_string_equal(only.devices[index].signature_type, "vfat");
	free(only.devices);
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_top, free_list)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(this_machine_can_be_scanned),
		test(a_gpt_partition_is_found_by_its_label),
		test(labels_that_only_look_alike_are_others),
		test(scanning_changes_nothing),
		test(use_is_noticed),
		test(a_mounted_btrfs_is_noticed),
		test(a_stale_table_is_no_match),
		test(partitions_in_the_gpt_itself_are_told),
		test(read_only_disks_are_refused),
		test(sectors_of_4096_bytes_are_understood),
		test(the_results_volume_is_found_by_both_labels),
	};
	return cmocka_run_group_tests_name("device-scan", tests, NULL, NULL);
}
