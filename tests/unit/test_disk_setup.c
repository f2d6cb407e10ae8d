/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a disk hangs on: controllers with and without a driver, the link's power management; and how a
 * partition lies. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device_tree.h"

#include "disk/controllers.h"
#include "disk/link_power.h"
#include "lib/sysfs.h"

#include <sys/sysmacros.h>

static const char ahci[] = "pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0";
static const char usb[] = "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0";

static void put_controller(const char *address, const char *class, const char *vendor,
			   const char *device, const char *driver)
{
	const char *const files[][2] = {
		{ "class", class }, { "vendor", vendor }, { "device", device }
	};
	char path[256], target[256];

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/%s", address, files[i][0]);
		put(path, "%s\n", files[i][1]);
	}
	if (!driver)
		return;
	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/driver", address);
	snprintf(target, sizeof(target), "../../../bus/pci/drivers/%s", driver);
	put_link(path, target);
}

static void hiding_is(const char *expected)
{
	char text[512];

	assert_string_equal(controllers_hiding(top, text, sizeof(text)), expected);
}

static void controllers_that_hide_disks_are_named(void **state)
{
	(void)state;
	hiding_is("");
	put_controller("0000:00:1f.2", "0x010601", "0x8086", "0x2922", "ahci");
	put_controller("0000:00:02.0", "0x030000", "0x1234", "0x1111", NULL);
	put_controller("0000:01:00.0", "0x010802", "0x144d", "0xa80a", "nvme");
	hiding_is("");
	put_controller("0000:00:0e.0", "0x010400", "0x8086", "0x467f", NULL);
	hiding_is("an Intel VMD controller at 0000:00:0e.0 has no driver here: turn VMD/RAID off "
		  "in the firmware");
	put_controller("0000:0a:00.0", "0x010400", "0x1000", "0x005d", NULL);
	put_controller("0000:0b:00.0", "0x010700", "0x1000", "0x0097", NULL);
	hiding_is("an Intel VMD controller at 0000:00:0e.0 has no driver here: turn VMD/RAID off "
		  "in the firmware; the RAID controller 1000:005d at 0000:0a:00.0 has no driver "
		  "here: turn RAID off in the firmware; the storage controller 1000:0097 at "
		  "0000:0b:00.0 has no driver here");
}

/* Of a class that is not storage, but known by its number; and one that has a driver. */
static void vmd_is_known_by_its_number(void **state)
{
	(void)state;
	put_controller("0000:5d:05.5", "0x088000", "0x8086", "0x201d", NULL);
	put_controller("0000:85:05.5", "0x088000", "0x8086", "0x201d", "vmd");
	put_controller("0000:00:14.2", "0x088000", "0x8086", "0x9d31", NULL);
	hiding_is("an Intel VMD controller at 0000:5d:05.5 has no driver here: turn VMD/RAID off "
		  "in the firmware");
}

static void disks_behind_a_raid_mode_are_told(void **state)
{
	(void)state;
	put_controller("0000:00:17.0", "0x010400", "0x8086", "0x282a", "ahci");
	put("/sys/bus/pci/devices/0000:00:17.0/remapped_nvme", "0\n");
	hiding_is("");
	put("/sys/bus/pci/devices/0000:00:17.0/remapped_nvme", "1\n");
	hiding_is("1 NVMe disk is hidden by the SATA controller at 0000:00:17.0: switch it from "
		  "RAID to AHCI in the firmware");
}

static void the_report_lists_storage_controllers(void **state)
{
	(void)state;
	json_t *json = controllers_json(top);
	assert_int_equal(json_array_size(json), 0);
	assert_true(json_is_array(json));
	json_decref(json);
	put_controller("0000:00:0e.0", "0x010400", "0x8086", "0x467f", NULL);
	put_controller("0000:00:02.0", "0x030000", "0x1234", "0x1111", NULL);
	put_controller("0000:00:1f.2", "0x010601", "0x8086", "0x0022", "ahci");
	/* one that is on its way out */
	put("/sys/bus/pci/devices/0000:02:00.0/class", "0x010601\n");
	json = controllers_json(top);
	json_t *expected = json_pack(
		"[{s:s,s:s,s:s,s:s,s:n},{s:s,s:s,s:s,s:s,s:s}]", "address", "0000:00:0e.0", "vendor",
		"8086", "device", "467f", "class", "010400", "driver", "address", "0000:00:1f.2",
		"vendor", "8086", "device", "0022", "class", "010601", "driver", "ahci");
	assert_true(json_equal(json, expected));
	json_decref(json);
	json_decref(expected);
}

/* --- the link's power management --- */

static const char policy_file[] = "/sys/class/scsi_host/host2/link_power_management_policy";

static struct link_power link_power;

static void put_link_of(const char *bus, const char *policy)
{
	char target[256];

	snprintf(target, sizeof(target), "../../devices/%s", bus);
	put_disk(bus, "sda", "8:0", 2048);
	put_partition(bus, "sda", "sda1", "8:1", 1, "PARTN=1");
	snprintf(target, sizeof(target), "../../devices/%s/block/sda/sda1", bus);
	put_link("/sys/dev/block/8:1", target);
	if (policy)
		put(policy_file, "%s\n", policy);
}

static int hold(const char *wanted)
{
	return link_power_hold(&link_power, makedev(8, 1), wanted, top);
}

static void policy_is(const char *expected)
{
	char text[64];

	assert_int_equal(sysfs_read(text, sizeof(text), top, "%s", policy_file), 0);
	assert_string_equal(text, expected);
}

static void told_is(const char *policy, const char *requested)
{
	json_t *disk = json_object();
	json_t *expected = json_pack("{s:s?,s:s?}", "link_power_policy", policy,
				     "link_power_policy_requested", requested);

	link_power_tell(&link_power, disk);
	assert_true(json_equal(disk, expected));
	json_decref(disk);
	json_decref(expected);
}

static void a_link_is_kept_awake_and_put_back(void **state)
{
	(void)state;
	put_link_of(ahci, "med_power_with_dipm");
	assert_int_equal(hold("max_performance"), 0);
	policy_is("max_performance");
	assert_true(link_power_held(&link_power));
	told_is("max_performance", "max_performance");
	assert_int_equal(link_power_release(&link_power), 0);
	policy_is("med_power_with_dipm");
	told_is("med_power_with_dipm", "max_performance");
	/* once */
	put(policy_file, "min_power\n");
	assert_int_equal(link_power_release(&link_power), 0);
	policy_is("min_power");
}

static void a_link_may_be_left_alone(void **state)
{
	(void)state;
	put_link_of(ahci, "med_power_with_dipm");
	assert_int_equal(hold(""), 0);
	told_is("med_power_with_dipm", NULL);
	assert_true(link_power_held(&link_power));
	assert_false(link_power.changed);
	assert_int_equal(hold("med_power_with_dipm"), 0);
	assert_false(link_power.changed);
	assert_int_equal(link_power_release(&link_power), 0);
	policy_is("med_power_with_dipm");
}

static void disks_without_such_a_link_have_no_policy(void **state)
{
	(void)state;
	assert_int_equal(hold("max_performance"), 0); /* no such disk */
	told_is(NULL, "max_performance");
	assert_true(link_power_held(&link_power));
	put_link_of(usb, NULL);
	put("/sys/class/scsi_host/host6/link_power_management_policy", "max_performance\n");
	assert_int_equal(hold("min_power"), 0);
	told_is(NULL, "min_power");
	assert_int_equal(link_power_release(&link_power), 0);
	memset(&link_power, 0, sizeof(link_power));
	assert_int_equal(link_power_release(&link_power), 0);
}

static void a_policy_that_is_not_kept_is_noticed(void **state)
{
	(void)state;
	put_link_of(ahci, "med_power_with_dipm");
	assert_int_equal(hold("max_performance"), 0);
	put(policy_file, "medium_power\n");
	assert_false(link_power_held(&link_power));
	told_is("medium_power", "max_performance");
	assert_int_equal(link_power_release(&link_power), 0);
}

/* --- how a partition lies --- */

static void alignment_is(const char *start, const char *offset, unsigned physical,
			 const char *granularity, const char *expected)
{
	struct device_list list;
	char text[16];

	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 2000000);
	snprintf(text, sizeof(text), "%u", physical);
	put_of("sda", "queue/physical_block_size", text);
	put_of("sda", "queue/discard_granularity", granularity);
	put_partition(ahci, "sda", "sda1", "8:1", 1, "PARTN=1");
	put_of("sda1", "start", start);
	put_of("sda1", "alignment_offset", offset);
	assert_int_equal(devices_scan(&list, top), 0);
	size_t index = (size_t)(find_device(&list, "sda1") - list.devices);
	json_t *json = device_alignment_json(&list, index, top);
	json_t *wanted = json_loads(expected, 0, NULL);
	assert_non_null(wanted);
	if (!json_equal(json, wanted))
		fail_msg("start %s: %s", start, json_dumps(json, 0));
	json_decref(json);
	json_decref(wanted);
	devices_free(&list);
	remove_top(NULL);
	make_top(NULL);
}

static void alignment_is_told(void **state)
{
	(void)state;
	alignment_is("2048", "0", 4096, "4096", "{\"alignment_offset_bytes\": 0, \"aligned\": true}");
	alignment_is("2048", "0", 512, "0", "{\"alignment_offset_bytes\": 0, \"aligned\": true}");
	/* DOS began at sector 63 */
	alignment_is("63", "0", 4096, "0", "{\"alignment_offset_bytes\": 0, \"aligned\": false}");
	/* sectors are of 512 bytes, but blocks are of 4096 */
	alignment_is("2050", "0", 512, "512", "{\"alignment_offset_bytes\": 0, \"aligned\": false}");
	/* what is discarded at a time is larger than a MiB */
	alignment_is("2048", "0", 4096, "2097152",
		     "{\"alignment_offset_bytes\": 0, \"aligned\": false}");
	alignment_is("4096", "0", 4096, "2097152",
		     "{\"alignment_offset_bytes\": 0, \"aligned\": true}");
	/* a disk whose first sector begins elsewhere */
	alignment_is("2048", "3584", 4096, "0",
		     "{\"alignment_offset_bytes\": 3584, \"aligned\": false}");
	alignment_is("2048", "-1", 4096, "0",
		     "{\"alignment_offset_bytes\": null, \"aligned\": false}");
	alignment_is("2048", "0", 0, "0", "{\"alignment_offset_bytes\": 0, \"aligned\": null}");
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_top, remove_top)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(controllers_that_hide_disks_are_named),
		test(vmd_is_known_by_its_number),
		test(disks_behind_a_raid_mode_are_told),
		test(the_report_lists_storage_controllers),
		test(a_link_is_kept_awake_and_put_back),
		test(a_link_may_be_left_alone),
		test(disks_without_such_a_link_have_no_policy),
		test(a_policy_that_is_not_kept_is_noticed),
		test(alignment_is_told),
	};
	return cmocka_run_group_tests_name("disk-setup", tests, NULL, NULL);
}
