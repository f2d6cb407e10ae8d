/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which disk gets a partition: by what is known of all of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "prepare/choose.h"

#include <errno.h>
#include <string.h>

enum { SDA, SDA1, SDA2, SDB, SDB1, LOOP0, DEVICES };

static struct block_device devices[DEVICES];
static struct device_list list;

static int machine(void **state)
{
	const struct block_device sda = { .name = "sda",
					  .number = 1,
					  .disk = SDA,
					  .size_bytes = 1 << 30,
					  .table_type = "gpt",
					  .model = "Fast SSD",
					  .serial = "S1" };

	(void)state;
	for (unsigned i = 0; i < DEVICES; i++) {
		devices[i] = sda;
		devices[i].number = i + 1;
	}
	devices[SDA1].is_partition = devices[SDA2].is_partition = devices[SDB1].is_partition = true;
	strcpy(devices[SDA1].name, "sda1");
	strcpy(devices[SDA2].name, "sda2");
	strcpy(devices[SDA2].signature_type, "ext4");
	strcpy(devices[SDB].name, "sdb");
	strcpy(devices[SDB].serial, "S2");
	devices[SDB].disk = devices[SDB1].disk = SDB;
	strcpy(devices[SDB1].name, "sdb1");
	strcpy(devices[LOOP0].name, "loop0");
	devices[LOOP0].disk = LOOP0;
	devices[LOOP0].model[0] = devices[LOOP0].serial[0] = '\0';
	list = (struct device_list){ .devices = devices, .count = DEVICES };
	return 0;
}

static void says(int result, int code, const char *words)
{
	if (result != code || (code && !strstr(error_text(), words)))
		fail_msg("%d, '%s' instead of %d, '%s'", result, error_text(), code, words);
}

static void a_disk_is_named_by_model_and_serial(void **state)
{
	(void)state;
	assert_int_equal(choose_disk(&list, "Fast SSD", "S1"), SDA);
	assert_int_equal(choose_disk(&list, "Fast SSD", "S2"), SDB);
	says(choose_disk(&list, "Fast SSD", "s2"), -ENODEV,
	     "no disk is of the model 'Fast SSD' with the serial number 's2'. Seen: Fast SSD (serial S1), "
	     "1.1 GB; Fast SSD (serial S2), 1.1 GB");
	says(choose_disk(&list, "Fast", "S2"), -ENODEV, "no disk");
	says(choose_disk(&list, "", "S2"), -ENODEV, "no disk");
	says(choose_disk(&list, "", ""), -ENODEV,
	     "no disk"); /* not the loop device, nor any other */
	says(choose_disk(&list, "\x1b[2J", "\n"), -ENODEV, "'?[2J' with the serial number '?'");
	strcpy(devices[SDB].serial, "S1");
	says(choose_disk(&list, "Fast SSD", "S1"), -ENOTUNIQ, "2 disks are of the model");
	devices[SDB].size_bytes = 0; /* a drive without a medium */
	assert_int_equal(choose_disk(&list, "Fast SSD", "S1"), SDA);
	devices[SDA].model[0] = '\0';
	assert_int_equal(choose_disk(&list, "", "S1"), SDA);
	list.count = 0;
	says(choose_disk(&list, "Fast SSD", "S1"), -ENODEV,
	     "No disk with a serial number was seen");
}

static int check(void)
{
	return choose_check(&list, SDA, "blitbench-target", false);
}

static void a_quiet_disk_passes(void **state)
{
	(void)state;
	says(check(), 0, "");
	assert_int_equal(choose_partitions(&list, SDA), 2);
	assert_int_equal(choose_partitions(&list, LOOP0), 0);
}

static void use_of_any_part_is_refused(void **state)
{
	(void)state;
	for (unsigned i = SDA; i <= SDA2; i++) {
		machine(state);
		devices[i].mounted = true;
		says(check(), -EBUSY, "it is in use (sda");
		assert_non_null(strstr(error_text(), ": mounted)"));
		machine(state);
		devices[i].swap = true;
		says(check(), -EBUSY, ": swap space)");
		machine(state);
		strcpy(devices[i].holders, "dm-0");
		says(check(), -EBUSY, ": dm-0)");
		machine(state);
		devices[i].busy = true;
		says(check(), -EBUSY, "exclusively");
		says(choose_check(&list, SDA, "blitbench-target", true), 0, "");
	}
	machine(state);
	devices[SDB1].mounted = devices[SDB].swap = devices[LOOP0].busy = true; /* another disk */
	says(check(), 0, "");
}

static void a_doubtful_disk_is_refused(void **state)
{
	(void)state;
	devices[SDA].read_only = true;
	says(check(), -EROFS, "read-only");
	machine(state);
	strcpy(devices[SDA].signature_type, "linux_raid_member");
	says(check(), -EPERM, "linux_raid_member lies on the whole disk");
	strcpy(devices[SDA].signature_type, "unreadable");
	says(check(), -EPERM, "something unreadable lies on the whole disk");
	machine(state);
	devices[SDA2].table_differs = true;
	says(check(), -EPERM, "disagree about sda2; restart");
	machine(state);
	devices[SDA1].overlaps = true;
	says(check(), -EPERM, "sda1 shares bytes");
	machine(state);
	strcpy(devices[SDA1].partlabel, "BLITRESULTS");
	says(check(), -EPERM, "holds the image or the results");
	strcpy(devices[SDA1].partlabel, "BLITBOOT");
	says(check(), -EPERM, "holds the image or the results");
}

static void a_label_is_given_once_on_all_disks(void **state)
{
	(void)state;
	strcpy(devices[SDB1].partlabel, "blitbench-target");
	says(check(), -EEXIST, "there is a partition 'blitbench-target' already (sdb1)");
	says(choose_check(&list, SDA, "blitbench-target2", false), 0, "");
	strcpy(devices[SDB1].partlabel, "Blitbench-target");
	says(check(), 0, "");
}

#define test(name) cmocka_unit_test_setup(name, machine)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_disk_is_named_by_model_and_serial), test(a_quiet_disk_passes),
		test(use_of_any_part_is_refused),          test(a_doubtful_disk_is_refused),
		test(a_label_is_given_once_on_all_disks),
	};
	return cmocka_run_group_tests_name("prepare_choose", tests, NULL, NULL);
}
