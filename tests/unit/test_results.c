/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The results volume. Mounting it as FAT needs a kernel that has it; the rest does not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device_loop.h"
#include "test_refuse_machine.h"

#include "disk/results.h"
#include "lib/cleanup.h"

#include <errno.h>
#include <sys/wait.h>

static struct machine machine;
static struct results results;

static bool flush_fails;

int __real_syncfs(int fd);
int __wrap_syncfs(int fd);

int __wrap_syncfs(int fd)
{
	if (!flush_fails)
		return __real_syncfs(fd);
	errno = EIO;
	return -1;
}

static int make_all(void **state)
{
	machine_make(&machine);
	results = RESULTS_NONE;
	return make_top(state);
}

static int close_all(void **state)
{
	if (results.run_fd >= 0)
		close(results.run_fd);
	if (results.sync_fd >= 0)
		close(results.sync_fd);
	if (results.held_fd >= 0)
		close(results.held_fd);
	return detach_all(state);
}

static void not_found(int error, const char *words)
{
	assert_int_equal(results_find(&machine.list), error);
	if (!strstr(error_text(), words))
		print_error("'%s' does not say '%s'\n", error_text(), words);
	assert_non_null(strstr(error_text(), words));
}

static void both_labels_make_a_results_volume(void **state)
{
	struct block_device *volume = &machine.devices[RESULTS];

	(void)state;
	assert_int_equal(results_find(&machine.list), RESULTS);
	strcpy(volume->signature_label, "blitresults");
	not_found(-ENOENT, "sdb2 on Stick (serial U1), 68.7 GB, sata has label 'BLITRESULTS' and a "
			   "filesystem 'vfat' labelled 'blitresults'");
	strcpy(volume->signature_label, "BLITRESULTS");
	strcpy(volume->signature_type, "ext4");
	not_found(-ENOENT, "'ext4'");
	strcpy(volume->signature_type, "vfat");
	strcpy(volume->partlabel, "");
	not_found(-ENOENT, "sdb2");
	strcpy(volume->partlabel, "BLITRESULTS");
	volume->table_differs = true;
	not_found(-ENOENT, "sdb2");
	volume->table_differs = false;
	volume->overlaps = true;
	not_found(-ENOENT, "sdb2");
	volume->overlaps = false;
	strcpy(machine.devices[STICK].table_type, "dos");
	not_found(-ENOENT, "sdb2");
	machine.list.count = 0;
	not_found(-ENOENT, "plug in the stick");
}

static void two_results_volumes_are_told_apart_by_nobody(void **state)
{
	(void)state;
	machine_disk(&machine, "sdc", 32, "Other stick", "U2");
	machine_partition(&machine, SPARE, 1, "BLITRESULTS", "vfat", "BLITRESULTS");
	not_found(-EEXIST, "sdb2 on Stick (serial U1), 68.7 GB, sata; sdc1 on Other stick");
}

static void a_volume_without_its_boot_sector_is_told_by_its_place(void **state)
{
	struct block_device *volume = &machine.devices[RESULTS];

	(void)state;
	assert_int_equal(results_find_damaged(&machine.list), -1); /* it is whole */
	strcpy(volume->signature_type, "");
	strcpy(volume->signature_label, "");
	assert_int_equal(results_find_damaged(&machine.list), RESULTS);
	strcpy(volume->signature_type, "ext4");
	assert_int_equal(results_find_damaged(&machine.list), -1);
	strcpy(volume->signature_type, "unreadable");
	assert_int_equal(results_find_damaged(&machine.list), -1);
	strcpy(volume->signature_type, "");
	volume->overlaps = true;
	assert_int_equal(results_find_damaged(&machine.list), -1);
	volume->overlaps = false;
	strcpy(machine.devices[STICK].table_type, "dos");
	assert_int_equal(results_find_damaged(&machine.list), -1);
	strcpy(machine.devices[STICK].table_type, "gpt");
	machine_disk(&machine, "sdc", 32, "Other stick", "U2");
	machine_partition(&machine, SPARE, 1, "BLITRESULTS", "", "");
	assert_int_equal(results_find_damaged(&machine.list), -1);
}

static void a_volume_is_found_again_by_its_identity(void **state)
{
	struct block_device *volume = &machine.devices[RESULTS];

	(void)state;
	assert_int_equal(results_find_again(&machine.list, &results), -ENODEV);
	strcpy(results.partuuid, volume->partuuid);
	volume->number++; /* under any name and number */
	strcpy(volume->name, "sdz2");
	assert_int_equal(results_find_again(&machine.list, &results), RESULTS);
	machine_disk(&machine, "sdc", 32, "Copy", "U2");
	struct block_device *copy = machine_partition(&machine, SPARE, 1, "BLITRESULTS", "vfat",
						      "BLITRESULTS");
	assert_int_equal(results_find_again(&machine.list, &results), RESULTS);
	strcpy(copy->partuuid, volume->partuuid);
	assert_int_equal(results_find_again(&machine.list, &results), -EEXIST);
	machine.list.count = SPARE;
	strcpy(volume->partuuid, "another");
	assert_int_equal(results_find_again(&machine.list, &results), -ENODEV);
}

static void a_write_protected_volume_is_told(void **state)
{
	(void)state;
	machine.devices[RESULTS].read_only = true;
	assert_int_equal(results_mount(&results, &machine.list, RESULTS, top, NULL), -EROFS);
	assert_non_null(strstr(error_text(), "write-protect switch"));
}

static void flushes_are_made_real(void **state)
{
	static const char cache[] =
		"/sys/devices/usb1/block/sdb/device/scsi_disk/6:0:0:0/cache_type";
	char type[32];

	(void)state;
	put(cache, "write through\n");
	put_link("/sys/class/block/sdb", "../../devices/usb1/block/sdb");
	assert_int_equal(results_enable_flushes(top, "sdb", type, sizeof(type)), 0);
	assert_string_equal(type, "temporary write back"); /* a file gives back what it got */
	put(cache, "write back\n");
	assert_int_equal(results_enable_flushes(top, "sdb", type, sizeof(type)), 0);
	assert_string_equal(type, "write back");
	put_link("/sys/class/block/vda", "../../devices/virtio1/block/vda");
	assert_int_equal(results_enable_flushes(top, "vda", type, sizeof(type)), 0);
	assert_string_equal(type, "");
}

/* The folder stands in for a mounted volume: what counts is its device number. */
static void stand_in(void)
{
	struct stat status;

	snprintf(results.mountpoint, sizeof(results.mountpoint), "%s", top);
	assert_int_equal(stat(top, &status), 0);
	results.number = status.st_dev;
}

static void each_run_has_a_folder_of_its_own(void **state)
{
	struct stat by_path, by_descriptor;
	char path[400];

	(void)state;
	stand_in();
	assert_int_equal(results_start_run(&results, "20261130-141500-3fa2"), 0);
	assert_string_equal(results.run_path, "runs/20261130-141500-3fa2");
	snprintf(path, sizeof(path), "%s/%s", top, results.run_path);
	assert_int_equal(stat(path, &by_path), 0);
	assert_int_equal(fstat(results.run_fd, &by_descriptor), 0);
	assert_int_equal(by_path.st_ino, by_descriptor.st_ino);
	close(results.run_fd);
	results.run_fd = -1;

	assert_int_equal(results_start_run(&results, "20261130-141500-3fa2"), -EEXIST);
	assert_int_equal(results.run_fd, -1);
	assert_non_null(strstr(error_text(), "runs/20261130-141500-3fa2"));
	assert_int_equal(results_start_run(&results, "20261130-141501-0001"), 0);
	/* but one that is written to again */
	assert_int_equal(results_continue_run(&results, "20261130-141500-3fa2"), 0);
	assert_string_equal(results.run_path, "runs/20261130-141500-3fa2");
	assert_int_equal(fstat(results.run_fd, &by_descriptor), 0);
	assert_int_equal(by_path.st_ino, by_descriptor.st_ino);
}

static void names_that_fat_or_paths_dislike_are_refused(void **state)
{
	static const char *const names[] = {
		"", ".", "..", "a/b", "a:b", "a b", "a.b", "caf\xc3\xa9",
		"01234567890123456789012345678901234567890123456789012345678901234",
	};

	(void)state;
	stand_in();
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
		assert_int_equal(results_start_run(&results, names[i]), -EINVAL);
	assert_string_equal(shell("ls"), "log");
}

/* Nothing may be written into the memory below a volume that is gone. */
static void nothing_is_written_where_no_volume_is(void **state)
{
	(void)state;
	assert_true(results_start_run(&results, "run") < 0);
	stand_in();
	results.number++;
	assert_int_equal(results_start_run(&results, "run"), -ENODEV);
	assert_int_equal(results_finish(&results), -ENODEV);
	assert_string_equal(shell("ls"), "log");
}

/* FAT or not, the end is the same. */
static void mount_ext4(char path[128])
{
	struct stat status;

	need_loop_devices();
	const char *disk = attach_gpt("disk", "BLITRESULTS");
	snprintf(path, 128, "/dev/%s", partition_of(disk, 1));
	shell("mkfs.ext4 -q %s && mkdir mnt && mount %s mnt", path, path);
	assert_int_equal(stat(path, &status), 0);
	results.number = status.st_rdev;
	results.held_fd = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(results.mountpoint, sizeof(results.mountpoint), "%s/mnt", top);
	assert_int_equal(results_start_run(&results, "run"), 0);
}

static void at_the_end_all_is_on_the_medium(void **state)
{
	char path[128];

	(void)state;
	mount_ext4(path);
	int journal = openat(results.run_fd, "journal.jsonl", O_WRONLY | O_CREAT, 0644);
	assert_int_equal(write(journal, "{}\n", 3), 3);
	/* somebody else has the file open too, and so keeps the volume busy, for a moment */
	pid_t helper = fork();
	if (helper == 0) {
		usleep(300000);
		_exit(0);
	}
	close(journal);
	assert_int_equal(results_finish(&results), 0);
	assert_int_equal(results.number, 0);
	assert_int_equal(results.run_fd, -1);
	assert_int_equal(results.held_fd, -1);
	assert_int_equal(waitpid(helper, NULL, 0), helper);
	shell("! mountpoint -q mnt");
	shell("e2fsck -n -f %s >/dev/null && mount -o ro %s mnt", path, path);
	assert_string_equal(shell("cat mnt/runs/run/journal.jsonl"), "{}");
}

/* The results are not called saved, but nothing is left mounted that could be unmounted. */
static void a_volume_that_cannot_be_flushed_is_unmounted_all_the_same(void **state)
{
	char path[128];

	(void)state;
	mount_ext4(path);
	flush_fails = true;
	int result = results_finish(&results);
	flush_fails = false;
	assert_int_equal(result, -EIO);
	assert_non_null(strstr(error_text(), "cannot flush the results volume"));
	assert_int_equal(results.number, 0);
	assert_int_equal(results.run_fd, -1);
	assert_int_equal(results.sync_fd, -1);
	assert_int_equal(results.held_fd, -1);
	shell("! mountpoint -q mnt && e2fsck -n -f %s >/dev/null", path);
}

static void the_volume_is_mounted_by_number(void **state)
{
	struct device_list list;
	char mountpoint[80], node[96];

	(void)state;
	need_loop_devices();
	if (system("grep -qw vfat /proc/filesystems")) {
		print_message("this kernel has no vfat\n");
		skip();
	}
	const char *disk = attach_gpt("disk", "BLITRESULTS");
	shell("mkfs.vfat -n BLITRESULTS /dev/%s", partition_of(disk, 1));
	assert_int_equal(devices_scan(&list, ""), 0);
	const struct block_device *volume = find_device(&list, partition_of(disk, 1));
	assert_non_null(volume);
	snprintf(mountpoint, sizeof(mountpoint), "%s/mnt", top);
	snprintf(node, sizeof(node), "%s.node", mountpoint);
	assert_int_equal(results_mount(&results, &list, (size_t)(volume - list.devices),
				       mountpoint, NULL), 0);
	devices_free(&list);
	assert_int_equal(access(node, F_OK), -1);
	assert_int_equal(results_start_run(&results, "20261130-141500-3fa2"), 0);
	assert_int_equal(results_finish(&results), 0);
	shell("fsck.vfat -n /dev/%s", partition_of(disk, 1));
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_all, close_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(both_labels_make_a_results_volume),
		test(two_results_volumes_are_told_apart_by_nobody),
		test(a_volume_without_its_boot_sector_is_told_by_its_place),
		test(a_volume_is_found_again_by_its_identity),
		test(a_write_protected_volume_is_told),
		test(flushes_are_made_real),
		test(each_run_has_a_folder_of_its_own),
		test(names_that_fat_or_paths_dislike_are_refused),
		test(nothing_is_written_where_no_volume_is),
		test(at_the_end_all_is_on_the_medium),
		test(a_volume_that_cannot_be_flushed_is_unmounted_all_the_same),
		test(the_volume_is_mounted_by_number),
	};
	return cmocka_run_group_tests_name("results", tests, NULL, NULL);
}
