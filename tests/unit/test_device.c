/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scan of hand-written machines: names, sizes, who belongs to whom, who uses what. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device_tree.h"

#include "disk/scan.h"

#include <errno.h>
#include <sys/sysmacros.h>

static const char ahci[] = "pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0";
static const char nvme[] = "pci0000:00/0000:01:00.0/nvme/nvme0";

static struct device_list list;

static int free_list(void **state)
{
	devices_free(&list);
	return remove_top(state);
}

static const struct block_device *scanned(const char *name)
{
	if (!list.count)
		assert_int_equal(devices_scan(&list, top), 0);
	const struct block_device *device = find_device(&list, name);
	assert_non_null(device);
	return device;
}

static void partitions_know_their_disk(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 1000000);
	put_partition(ahci, "sda", "sda10", "8:10", 10, "PARTN=10\nPARTNAME=blitbench-target");
	put_partition(ahci, "sda", "sda2", "8:2", 2, "PARTN=2\nPARTUUID=ABCDEF01-0000");
	put_disk(nvme, "nvme0n1", "259:0", 2000000);
	put_partition(nvme, "nvme0n1", "nvme0n1p1", "259:1", 1, "PARTN=1");

	const struct block_device *disk = scanned("sda"), *tenth = scanned("sda10");
	assert_int_equal(list.count, 5);
	assert_string_equal(list.devices[3].name, "sda2"); /* natural order */
	assert_false(disk->is_partition);
	assert_int_equal(disk->disk, disk - list.devices);
	assert_int_equal(disk->size_bytes, 512000000);
	assert_int_equal(disk->physical_sector_bytes, 4096);
	assert_true(tenth->is_partition);
	assert_int_equal(tenth->disk, disk - list.devices);
	assert_int_equal(tenth->partition_number, 10);
	assert_int_equal(tenth->number, makedev(8, 10));
	assert_int_equal(tenth->start_bytes, 1 << 20);
	assert_int_equal(tenth->size_bytes, 10 << 20);
	assert_string_equal(tenth->partlabel, "blitbench-target");
	assert_string_equal(scanned("sda2")->partuuid, "abcdef01-0000");
	assert_false(scanned("nvme0n1")->is_partition);
	assert_true(scanned("nvme0n1p1")->is_partition);
	assert_int_equal(scanned("nvme0n1p1")->disk, scanned("nvme0n1") - list.devices);
}

static void partitions_that_share_bytes_are_told(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 1000000);
	put_partition(ahci, "sda", "sda1", "8:1", 1, "PARTN=1"); /* sectors 2048 to 22527 */
	put_partition(ahci, "sda", "sda2", "8:2", 2, "PARTN=2");
	put_of("sda2", "start", "22527");
	put_partition(ahci, "sda", "sda3", "8:3", 3, "PARTN=3");
	put_of("sda3", "start", "43007");
	put_disk(nvme, "nvme0n1", "259:0", 2000000);
	put_partition(nvme, "nvme0n1", "nvme0n1p1", "259:1", 1, "PARTN=1");
	assert_true(scanned("sda1")->overlaps);
	assert_true(scanned("sda2")->overlaps);
	assert_false(scanned("sda3")->overlaps);
	assert_false(scanned("nvme0n1p1")->overlaps);
	assert_false(scanned("sda")->overlaps);
}

/* Without a node nothing was read, and nothing that was not read passes for empty or for GPT. */
static void what_cannot_be_read_is_not_empty(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 1000000);
	put_partition(ahci, "sda", "sda1", "8:1", 1, "PARTN=1\nPARTNAME=blitbench-target");
	put("/dev/sda1", "a file that has taken the name of the node");
	put_link("/dev/sda", "/dev/null");

	assert_string_equal(scanned("sda")->signature_type, "unreadable");
	assert_string_equal(scanned("sda1")->signature_type, "unreadable");
	assert_string_equal(scanned("sda")->table_type, "");
	assert_true(scanned("sda1")->table_differs);
}

static void oddities_are_survived(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 1000000);
	put_disk("pci0000:00/cciss0/c0d0", "cciss!c0d0", "104:0", 5000);
	put_disk("pci0000:00/0000:00:1f.1/ata1/host0/target0:0:0/0:0:0:0", "sr0", "11:0", 2097151);
	put_of("sr0", "device/type", "5");
	put_disk("platform/floppy.0", "fd0", "2:0", 8);
	put_disk("virtual/empty", "sdz", "65:144", 0);
	put_disk("virtual/hidden", "nvme0c0n1", "259:9", 1);
	put_of("nvme0c0n1", "dev", "");
	put_disk("virtual/odd", "odd", "7:7", 1);
	put_of("odd", "size", "many");
	put_link("/sys/class/block/gone", "../../devices/virtual/gone");
	put_link("/dev/cciss/c0d0", "/dev/null");

	assert_int_equal(scanned("cciss!c0d0")->size_bytes, 5000 * 512);
	assert_int_equal(scanned("sr0")->number, makedev(11, 0));
	assert_int_equal(scanned("fd0")->disk, scanned("fd0") - list.devices);
	assert_int_equal(scanned("sdz")->size_bytes, 0);
	assert_null(find_device(&list, "gone"));
	assert_null(find_device(&list, "odd"));
	assert_null(find_device(&list, "nvme0c0n1"));
}

static void read_only_disks_have_read_only_partitions(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 1000000);
	put_partition(ahci, "sda", "sda1", "8:1", 1, "PARTN=1");
	put_partition(ahci, "sda", "sda2", "8:2", 2, "PARTN=2");
	put_of("sda2", "ro", "1");
	put_disk(nvme, "nvme0n1", "259:0", 1000);
	put_partition(nvme, "nvme0n1", "nvme0n1p1", "259:1", 1, "PARTN=1");
	put_of("nvme0n1", "ro", "1");

	assert_false(scanned("sda1")->read_only);
	assert_true(scanned("sda2")->read_only);
	assert_true(scanned("nvme0n1p1")->read_only);
}

static void mounts_and_swap_are_seen(void **state)
{
	(void)state;
	put_proc("22 1 8:1 / / rw,noatime shared:1 - ext4 /dev/root rw\n"
		 "23 22 0:40 /sub /mnt/with\\040blank rw - btrfs /dev/sda2 rw,subvol=/sub\n"
		 "24 22 0:5 / /proc rw - proc proc rw\n"
		 "25 22 104:1 / /old rw master:2 - xfs /dev/cciss/c0d0p1 rw\n"
		 "26 22 0:41 / /escaped rw - btrfs /dev/sd\\1415 rw\n"
		 "damaged\n",
		 "/dev/sda3                               partition\t1048572\t0\t-2\n"
		 "/dev/sd\\1416                            partition\t1048572\t0\t-2\n"
		 "/swap\\040file                           file\t\t1048572\t0\t-3\n");
	put_disk(ahci, "sda", "8:0", 1000000);
	put_partition(ahci, "sda", "sda1", "8:1", 1, "PARTN=1");
	put_partition(ahci, "sda", "sda2", "8:2", 2, "PARTN=2");
	put_partition(ahci, "sda", "sda3", "8:3", 3, "PARTN=3");
	put_partition(ahci, "sda", "sda4", "8:4", 4, "PARTN=4");
	put_partition(ahci, "sda", "sda5", "8:5", 5, "PARTN=5");
	put_partition(ahci, "sda", "sda6", "8:6", 6, "PARTN=6");
	put_disk("cciss0", "cciss!c0d0", "104:0", 1000000);
	put_partition("cciss0", "cciss!c0d0", "cciss!c0d0p1", "104:9", 1, "PARTN=1");

	assert_true(scanned("sda1")->mounted);
	assert_true(scanned("sda2")->mounted); /* btrfs has a number of its own there */
	assert_false(scanned("sda3")->mounted);
	assert_true(scanned("sda3")->swap);
	assert_false(scanned("sda4")->mounted || scanned("sda4")->swap);
	assert_true(scanned("sda5")->mounted); /* written as the kernel writes odd names */
	assert_true(scanned("sda6")->swap);
	assert_false(scanned("sda")->mounted || scanned("sda")->swap);
	assert_true(scanned("cciss!c0d0p1")->mounted); /* by name alone */
}

static void holders_reach_disk_and_partitions(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 1000000);
	put_partition(ahci, "sda", "sda1", "8:1", 1, "PARTN=1");
	put_partition(ahci, "sda", "sda2", "8:2", 2, "PARTN=2");
	put_of("sda1", "holders/dm-0/x", "");
	put_of("sda1", "holders/md127/x", "");
	put_disk(nvme, "nvme0n1", "259:0", 1000);
	put_partition(nvme, "nvme0n1", "nvme0n1p1", "259:1", 1, "PARTN=1");
	put_of("nvme0n1", "holders/bcache0/x", "");
	put_disk("virtual/loop", "loop3", "7:3", 1000);
	put_of("loop3", "loop/backing_file", "/dev/sda2");
	put_disk("virtual/loop4", "loop4", "7:4", 1000);
	put_of("loop4", "loop/backing_file", "/home/disk.img");

	const char *first = scanned("sda1")->holders;
	assert_non_null(strstr(first, "dm-0"));
	assert_non_null(strstr(first, "md127"));
	assert_string_equal(scanned("sda2")->holders, "loop3");
	assert_non_null(strstr(scanned("sda")->holders, "dm-0"));
	assert_non_null(strstr(scanned("sda")->holders, "loop3"));
	/* Who holds the whole disk holds what is in it. */
	assert_string_equal(scanned("nvme0n1p1")->holders, "bcache0");
	assert_string_equal(scanned("nvme0n1")->holders, "bcache0");
}

static void many_holders_end_in_dots(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 1000000);
	for (int i = 0; i < 60; i++) {
		char file[64];

		snprintf(file, sizeof(file), "holders/dm-%d/x", i + 1000);
		put_of("sda", file, "");
	}
	const char *holders = scanned("sda")->holders;
	assert_string_equal(holders + strlen(holders) - 3, "...");
}

/* If it cannot be told what is mounted, nothing may be chosen. */
static void unknown_mounts_are_an_error(void **state)
{
	(void)state;
	put_disk(ahci, "sda", "8:0", 1000000);
	assert_int_equal(devices_scan(&list, top), -ENOENT);
	assert_non_null(strstr(error_text(), "mountinfo"));
	assert_int_equal(list.count, 0);
	assert_null(list.devices);
	put("/proc/self/mountinfo", "%s", "");
	assert_int_equal(devices_scan(&list, top), 0); /* no swaps: a kernel without swap */
	assert_int_equal(list.count, 1);
}

static void no_sysfs_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(devices_scan(&list, top), -ENOENT);
	assert_non_null(strstr(error_text(), "/sys/class/block"));
}

/* block/partitions/efi.c keeps the low byte of each UTF-16 unit, '!' where that does not print. */
static void kernel_names_come_from_labels(void **state)
{
	(void)state;
	assert_true(scan_label_agrees("blitbench-target", "blitbench-target"));
	assert_false(scan_label_agrees("blitbench-target", "blitbench-targe"));
	assert_false(scan_label_agrees("blitbench-target ", "blitbench-target"));
	assert_false(scan_label_agrees("Blitbench-target", "blitbench-target"));
	assert_true(scan_label_agrees("", ""));
	assert_true(scan_label_agrees("\xc5\xa2litbench", "blitbench")); /* U+0162 */
	assert_true(scan_label_agrees("caf\xc3\xa9", "caf\xe9")); /* U+00E9 */
	assert_true(scan_label_agrees("a\nb", "a!b"));
	assert_true(scan_label_agrees("a\xe2\x82\xac", "a\xac")); /* U+20AC */
	assert_true(scan_label_agrees("\xf0\x9f\x98\x81x", "=!x")); /* U+1F601: D83D DE01 */
	assert_true(scan_label_agrees("\xf0\x9f\x98\x80x", "=")); /* U+1F600: D83D DE00 */
	assert_true(scan_label_agrees("a\xc4\x80z", "a")); /* U+0100 ends it */
	assert_false(scan_label_agrees("\xc3", "anything"));
}

static void numbers_in_paths_are_found(void **state)
{
	(void)state;
	assert_int_equal(scan_path_number("/sys/devices/pci0/ata3/host2/block/sda", "ata"), 3);
	assert_int_equal(scan_path_number("/sys/devices/data3/host2", "ata"), -1);
	assert_int_equal(scan_path_number("/sys/devices/ata/host12", "ata"), -1);
	assert_int_equal(scan_path_number("/sys/devices/ata/host12", "host"), 12);
	assert_int_equal(scan_path_number("", "host"), -1);
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_top, free_list)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(partitions_know_their_disk),
		test(partitions_that_share_bytes_are_told),
		test(what_cannot_be_read_is_not_empty),
		test(oddities_are_survived),
		test(read_only_disks_have_read_only_partitions),
		test(mounts_and_swap_are_seen),
		test(holders_reach_disk_and_partitions),
		test(many_holders_end_in_dots),
		test(unknown_mounts_are_an_error),
		test(no_sysfs_is_an_error),
		cmocka_unit_test(kernel_names_come_from_labels),
		cmocka_unit_test(numbers_in_paths_are_found),
	};
	return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
