/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A partition added on real block devices: loop devices, as root. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "gpt_fixture.h"
#include "test_device_loop.h"

#include "lib/cleanup.h"
#include "prepare/preparation.h"

#include <errno.h>

#define MIB (1ULL << 20)

static const char *disk;
static int image;
static struct device_list list;
static size_t index_of_disk;
static struct preparation plan;

static void scan(void)
{
	devices_free(&list);
	assert_int_equal(devices_scan(&list, ""), 0);
	const struct block_device *found = find_device(&list, disk);
	assert_non_null(found);
	index_of_disk = (size_t)(found - list.devices);
}

/* Partitions 1 and 2, which have bytes, then free space that has some too. */
static void attach_disk(void)
{
	char path[128];

	need_loop_devices();
	shell("truncate -s 1200M disk && printf 'label: gpt\\n1: start=1MiB, size=8MiB, name=one\\n"
	      "2: start=9MiB, size=8MiB, name=two\\n' | sfdisk -q --no-tell-kernel disk && "
	      "head -c 30M /dev/zero | tr '\\0' U | dd of=disk bs=1M seek=1 conv=notrunc iflag=fullblock && "
	      "dd if=disk of=disk bs=1M skip=2 seek=1195 count=4 conv=notrunc");
	snprintf(path, sizeof(path), "%s/disk", top);
	image = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(image >= 0);
	disk = attach("disk", "");
	add_partition(disk, 1, 2048, 16384);
	add_partition(disk, 2, 18432, 16384);
	scan();
}

static int make_preparation(void)
{
	return preparation_of_disk(&plan, &list, index_of_disk, "", own_label(), 0);
}

static void prepared(void)
{
	attach_disk();
	if (make_preparation())
		fail_msg("%s", error_text());
}

static void refused(int result, int code, const char *words)
{
	if (result != code || !strstr(error_text(), words))
		fail_msg("%d, '%s' instead of %d, '%s'", result, error_text(), code, words);
}

static int begin(void **state)
{
	plan = (struct preparation){ .root = "" };
	list = (struct device_list){ .count = 0 };
	image = -1;
	return make_top(state);
}

static int end(void **state)
{
	char path[128];

	preparation_free(&plan);
	devices_free(&list);
	if (attached_count) {
		snprintf(path, sizeof(path), "/sys/class/block/%s", partition_of(disk, 3));
		if (!access(path, F_OK))
			shell("delpart /dev/%s 3", disk);
	}
	return detach_all(state);
}

/* The whole disk's bytes but for the table's, and the kernel's other partitions, are as before. */
static void a_disk_gets_its_partition_and_nothing_else(void **state)
{
	bool told = false;

	(void)state;
	attach_disk();
	shell("mkfs.ext4 -q -L old -E offset=$((17 << 20)) disk 64m");
	shell("blockdev --flushbufs /dev/%s", disk);
	scan();
	if (make_preparation())
		fail_msg("%s", error_text());
	_cleanup_close_ int before = copy_of(image);
	int result = preparation_write(&plan, &told);
	if (result)
		fail_msg("%s", error_text());
	assert_true(told);
	assert_int_equal(plan.number, 3);
	shell("blockdev --flushbufs /dev/%s", disk);
	const struct bytes may[] = {
		{ 17 * MIB, MIB },
		{ 1198 * MIB, MIB },
		{ 512, 33 * 512 },
		{ 1200 * MIB - 33 * 512, 33 * 512 },
	};
	assert_true(first_difference(before, image, may, ARRAY_LENGTH(may)) == -1);

	scan();
	const struct block_device *made = find_device(&list, partition_of(disk, 3));
	assert_non_null(made);
	assert_string_equal(made->partlabel, own_label());
	assert_true(made->start_bytes == 17 * MIB && made->size_bytes == 1182 * MIB);
	assert_false(made->table_differs || made->overlaps);
	assert_string_equal(made->signature_type, "");
	const struct block_device *neighbour = find_device(&list, partition_of(disk, 2));
	assert_string_equal(neighbour->partlabel, "two");
	assert_false(neighbour->table_differs);
	shell("sfdisk --verify /dev/%s", disk);
	preparation_free(&plan);
	refused(make_preparation(), -EEXIST, "already");
}

static void a_disk_in_use_is_refused(void **state)
{
	char path[128];
	bool told;

	(void)state;
	prepared();
	_cleanup_close_ int before = copy_of(image);
	snprintf(path, sizeof(path), "/dev/%s", partition_of(disk, 2));
	int alone = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);
	assert_true(alone >= 0);
	refused(preparation_write(&plan, &told), -EBUSY, "in use");
	preparation_free(&plan);
	scan();
	refused(make_preparation(), -EBUSY, "opened exclusively by another program");
	close(alone);
	preparation_free(&plan);
	scan();
	assert_int_equal(make_preparation(), 0);
	attach(path, "");
	refused(preparation_write(&plan, &told), -EBUSY, "in use");
	assert_true(first_difference(before, image, NULL, 0) == -1);
}

static void whatever_has_changed_since_stops_it(void **state)
{
	bool told;

	(void)state;
	prepared();
	_cleanup_close_ int before = copy_of(image);
	struct block_device as_chosen = plan.disk;
	strcpy(plan.disk.model, "other");
	refused(preparation_write(&plan, &told), -ESTALE, "another model or serial");
	plan.disk = as_chosen;
	strcpy(plan.disk.serial, "other");
	refused(preparation_write(&plan, &told), -ESTALE, "another model or serial");
	plan.disk = as_chosen;
	plan.disk_sequence++;
	refused(preparation_write(&plan, &told), -ESTALE, "another disk has taken its place");
	plan.disk_sequence--;
	plan.disk.size_bytes++;
	refused(preparation_write(&plan, &told), -ESTALE, "its size has changed");
	plan.disk = as_chosen;
	plan.size_bytes += 512;
	refused(preparation_write(&plan, &told), -ESTALE, "its size has changed");
	plan.size_bytes -= 512;
	plan.disk.number++;
	assert_true(preparation_write(&plan, &told) < 0);
	plan.disk = as_chosen;
	assert_true(first_difference(before, image, NULL, 0) == -1);
	shell("delpart /dev/%s 2", disk);
	refused(preparation_write(&plan, &told), -EPERM,
		"lists 2 partitions and the kernel knows 1");
	add_partition(disk, 2, 18432, 16384);
	assert_true(first_difference(before, image, NULL, 0) == -1);
	shell("sfdisk -q --no-tell-kernel --no-reread --force --part-label /dev/%s 1 uno", disk);
	refused(preparation_write(&plan, &told), -ESTALE, "its partition table has changed");
	preparation_free(&plan);
	shell("blockdev --setro /dev/%s", disk);
	scan();
	refused(make_preparation(), -EROFS, "read-only");
	shell("blockdev --setrw /dev/%s", disk); /* which outlives the file under it */
}

static void the_kernel_s_view_must_be_the_table_s(void **state)
{
	(void)state;
	attach_disk();
	shell("resizepart /dev/%s 2 8192", disk);
	scan();
	refused(make_preparation(), -EPERM, "the kernel and its table disagree about");
	preparation_free(&plan);
	shell("delpart /dev/%s 2", disk);
	scan();
	refused(make_preparation(), -EPERM, "lists 2 partitions and the kernel knows 1");
}

static void other_tables_are_refused(void **state)
{
	(void)state;
	need_loop_devices();
	shell("truncate -s 1200M disk && echo 'label: dos' | sfdisk -q --no-tell-kernel disk");
	disk = attach("disk", "");
	scan();
	refused(make_preparation(), -ENODATA, "it has an MBR and no GPT");
	preparation_free(&plan);
	shell("wipefs -qa /dev/%s", disk);
	scan();
	refused(make_preparation(), -ENODATA, "it has no partition table");
	preparation_free(&plan);
	shell("mkfs.ext4 -q /dev/%s", disk);
	scan();
	refused(make_preparation(), -EPERM, "ext4 lies on the whole disk");
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_disk_gets_its_partition_and_nothing_else),
		test(a_disk_in_use_is_refused),
		test(whatever_has_changed_since_stops_it),
		test(the_kernel_s_view_must_be_the_table_s),
		test(other_tables_are_refused),
	};
	return cmocka_run_group_tests_name("prepare_disk", tests, NULL, NULL);
}
