/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who a disk is, in words and in the report. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device_tree.h"

#include "disk/words.h"

static const char ahci[] = "pci0000:00/0000:00:1f.2/ata3/host2/target2:0:0/2:0:0:0";
static const char usb[] = "pci0000:00/0000:00:14.0/usb2/2-1/2-1:1.0/host6/target6:0:0/6:0:0:0";
static const char nvme[] = "pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0";
static const char virtio[] = "pci0000:00/0000:00:02.0/virtio1";

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

static void words_are(const char *name, const char *expected)
{
	char text[400];
	size_t index = (size_t)(scanned(name) - list.devices);

	assert_string_equal(device_describe(&list, index, text, sizeof(text)), expected);
}

/* IDENTIFY data in VPD page 89h, two characters swapped in each word. */
static void put_ata_page(const char *model, const char *serial, const char *firmware)
{
	unsigned char page[60 + 512] = { 0 };
	char padded[64];
	const struct {
		const char *text;
		size_t word, length;
	} fields[] = { { serial, 10, 20 }, { firmware, 23, 8 }, { model, 27, 40 } };
	char path[512];

	for (size_t f = 0; f < 3; f++) {
		snprintf(padded, sizeof(padded), "%-60s", fields[f].text);
		for (size_t i = 0; i < fields[f].length; i++)
			page[60 + 2 * fields[f].word + (i ^ 1)] = (unsigned char)padded[i];
	}
	snprintf(path, sizeof(path), "/sys/devices/%s/vpd_pg89", ahci);
	put_bytes(path, page, sizeof(page));
}

static void a_sata_disk_tells_its_whole_name(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 976773168);
	put_partition(ahci, "sda", "sda1", "8:1", 1, "PARTN=1");
	put_of("sda", "device/vendor", "ATA     ");
	put_of("sda", "device/model", "Samsung SSD 860 ");
	put_ata_page("Samsung SSD 860 EVO 500GB", "  S3Z9NB0K", "RVT04B6Q");

	words_are("sda", "Samsung SSD 860 EVO 500GB (serial S3Z9NB0K), 500.1 GB, sata");
	words_are("sda1", "Samsung SSD 860 EVO 500GB (serial S3Z9NB0K), 500.1 GB, sata");
	assert_string_equal(scanned("sda1")->firmware, "RVT04B6Q");
	assert_string_equal(scanned("sda1")->transport, "sata");
}

static void short_pages_are_not_trusted(void **state)
{
	char path[512];

	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 2000000);
	put_of("sda", "device/vendor", "ATA     ");
	put_of("sda", "device/model", "QEMU HARDDISK");
	put_of("sda", "device/rev", "2.5+");
	snprintf(path, sizeof(path), "/sys/devices/%s/vpd_pg89", ahci);
	put_bytes(path, "\0\x89\2\x38", 4);
	snprintf(path, sizeof(path), "/sys/devices/%s/vpd_pg80", ahci);
	put_bytes(path, "\0\x80\0\x14             QM00001", 24);

	words_are("sda", "QEMU HARDDISK (serial QM00001), 1.0 GB, sata");
	assert_string_equal(scanned("sda")->firmware, "2.5+");
}

static void a_usb_stick_has_the_serial_of_its_device(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(usb, "sdb", "8:16", 31326208);
	put_of("sdb", "device/vendor", "SanDisk ");
	put_of("sdb", "device/model", "Ultra           ");
	put("/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/idVendor", "0781\n");
	put("/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/serial", "4C530001\n");
	put("/sys/devices/pci0000:00/0000:00:14.0/usb2/2-1/speed", "5000\n");
	put("/sys/devices/pci0000:00/0000:00:14.0/usb2/idVendor", "1d6b\n");
	put("/sys/devices/pci0000:00/0000:00:14.0/usb2/serial", "0000:00:14.0\n");

	words_are("sdb", "SanDisk Ultra (serial 4C530001), 16.0 GB, usb");
	json_t *json = device_disk_json(&list, 0, top);
	assert_string_equal(json_string_value(json_object_get(json, "link_speed")), "5000 Mbps");
	json_decref(json);
}

static void nvme_and_virtio_disks_are_known(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(nvme, "nvme0n1", "259:0", 1953525168);
	put_of("nvme0n1", "device/model", "WD_BLACK SN850X 1000GB   ");
	put_of("nvme0n1", "device/serial", "23110E800123        ");
	put_of("nvme0n1", "device/firmware_rev", "620331WD");
	put_disk(virtio, "vda", "254:0", 2048);
	put_of("vda", "device/vendor", "0x1af4");
	put_of("vda", "serial", "scratch");

	words_are("nvme0n1", "WD_BLACK SN850X 1000GB (serial 23110E800123), 1.0 TB, nvme");
	assert_string_equal(scanned("nvme0n1")->firmware, "620331WD");
	words_are("vda", "disk without a model name (serial scratch), 1.0 MB, virtio");
}

static void the_report_has_all_that_sysfs_tells(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 2048);
	put_partition(ahci, "sda", "sda1", "8:1", 1, "PARTN=1");
	put_of("sda", "device/model", "Disk \xff");
	put_of("sda", "queue/scheduler", "none [mq-deadline] kyber");
	put_of("sda", "queue/write_cache", "write back");
	put_of("sda", "queue/discard_granularity", "4096");
	put_of("sda", "queue/discard_max_bytes", "2147450880");
	put_of("sda", "device/queue_depth", "32");
	put("/sys/class/ata_link/link3/sata_spd", "6.0 Gbps\n");
	scanned("sda");

	json_t *json = device_disk_json(&list, 1, top);
	json_t *expected = json_pack("{ss sn sn ss sb sb ss ss si ss si si si si si}",
				     "model", "Disk \xef\xbf\xbd", "serial", "firmware",
				     "transport", "sata", "rotational", 0, "removable", 0,
				     "scheduler", "mq-deadline", "write_cache", "write back",
				     "queue_depth", 32,
				     "link_speed", "6.0 Gbps", "size_bytes", 1 << 20,
				     "logical_sector_bytes", 512, "physical_sector_bytes", 4096,
				     "discard_granularity_bytes", 4096, "discard_max_bytes",
				     2147450880);
	assert_non_null(expected);
	assert_true(json_equal(json, expected));
	json_decref(json);
	json_decref(expected);
}

static void what_sysfs_does_not_tell_is_null(void **state)
{
	static const char *const unknown[] = {
		"model", "serial", "firmware", "scheduler", "write_cache", "queue_depth",
		"link_speed", "discard_granularity_bytes", "discard_max_bytes",
	};

	(void)state;
	put_proc("", "");
	put_disk(ahci, "sda", "8:0", 2048);
	put("/sys/class/ata_link/link3/sata_spd", "<unknown>\n");
	scanned("sda");
	json_t *json = device_disk_json(&list, 0, top);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
		assert_true(json_is_null(json_object_get(json, unknown[i])));
	json_decref(json);
}

static void nvme_links_are_told_with_their_width(void **state)
{
	(void)state;
	put_proc("", "");
	put_disk(nvme, "nvme0n1", "259:0", 2048);
	put_of("nvme0n1", "device/device/current_link_speed", "16.0 GT/s PCIe");
	put_of("nvme0n1", "device/device/current_link_width", "4");
	scanned("nvme0n1");
	json_t *json = device_disk_json(&list, 0, top);
	assert_string_equal(json_string_value(json_object_get(json, "link_speed")),
			    "16.0 GT/s PCIe x4");
	json_decref(json);
}

/* No disk speaks to the console. */
static void words_are_disarmed_and_cut(void **state)
{
	char text[16];

	(void)state;
	struct words words = words_start(text, sizeof(text));
	words_add(&words, "%s", "a\x1b[2J\n\x7f");
	assert_string_equal(text, "a?[2J??");
	words_add(&words, "%s", "\xc2\x9bz");
	assert_string_equal(text, "a?[2J????z");
	words_add(&words, "%s", "\xc3\xa9\xc3\xa9\xc3\xa9");
	assert_string_equal(text, "a?[2J????z\xc3\xa9..."); /* not half a character */
	words_add(&words, "more");
	assert_string_equal(text, "a?[2J????z\xc3\xa9...");
}

static void sizes_have_the_unit_they_are_known_by(void **state)
{
	(void)state;
	assert_string_equal(size_decimal(500107862016).text, "500.1 GB");
	assert_string_equal(size_binary(17179869184).text, "16.0 GiB");
	assert_string_equal(size_binary(300 << 20).text, "300.0 MiB");
	assert_string_equal(size_binary(0).text, "0.0 MiB");
	assert_string_equal(size_binary(UINT64_MAX).text, "16384.0 PiB");
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_top, free_list)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_sata_disk_tells_its_whole_name),
		test(short_pages_are_not_trusted),
		test(a_usb_stick_has_the_serial_of_its_device),
		test(nvme_and_virtio_disks_are_known),
		test(the_report_has_all_that_sysfs_tells),
		test(what_sysfs_does_not_tell_is_null),
		test(nvme_links_are_told_with_their_width),
		cmocka_unit_test(words_are_disarmed_and_cut),
		cmocka_unit_test(sizes_have_the_unit_they_are_known_by),
	};
	return cmocka_run_group_tests_name("device-describe", tests, NULL, NULL);
}
