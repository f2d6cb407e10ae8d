/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The boot sector of a FAT and its copy, and the repair of what mkfs.fat has made and a test has damaged. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device_loop.h"

#include "disk/fat.h"
#include "disk/fat_check.h"
#include "lib/cleanup.h"

#include <errno.h>

enum { VOLUME_BYTES = 34 << 20, FAT_SECTOR = 32, COPY_BYTE = 6 * 512 };

static char path[64];
static int volume;

static int make_volume(void **state)
{
	if (make_top(state))
		return -1;
	snprintf(path, sizeof(path), "%s/volume", top);
	shell("truncate -s 34M volume && mkfs.fat -F 32 -i 1234ABCD -n BLITRESULTS volume >/dev/null");
	volume = open(path, O_RDWR | O_CLOEXEC);
	return volume < 0 ? -1 : 0;
}

static int remove_volume(void **state)
{
	close(volume);
	return remove_top(state);
}

static void damage(off_t at, const void *bytes, size_t length)
{
	assert_int_equal(pwrite(volume, bytes, length, at), (ssize_t)length);
}

static void label_and_serial_are_read(void **state)
{
	struct fat fat;

	(void)state;
	assert_int_equal(fat_read(volume, VOLUME_BYTES, &fat), 0);
	assert_int_equal(fat.serial, 0x1234abcd);
	assert_string_equal(fat.label, "BLITRESULTS");
	assert_int_equal(fat_read_copy(volume, VOLUME_BYTES, &fat), 0);
	assert_int_equal(fat.serial, 0x1234abcd);
	assert_string_equal(fat.label, "BLITRESULTS");

	shell("truncate -s 16M small && mkfs.fat -F 16 -i 00C0FFEE -n STICK small >/dev/null");
	_cleanup_close_ int small = openat(AT_FDCWD, strcat(strcpy(path, top), "/small"), O_RDONLY);
	assert_int_equal(fat_read(small, 16 << 20, &fat), 0);
	assert_int_equal(fat.serial, 0xc0ffee);
	assert_string_equal(fat.label, "STICK");
	assert_int_equal(fat_read_copy(small, 16 << 20, &fat), -EUCLEAN); /* FAT16 has none */
}

/* Nothing of it is believed where one thing cannot be. */
static void what_is_no_boot_sector_is_refused(void **state)
{
	static const struct {
		off_t at;
		unsigned char byte;
	} wrong[] = { { 510, 0 },  { 511, 0 },	{ 12, 0 }, { 12, 3 }, { 12, 0x20 },
		      { 13, 3 },   { 13, 0 },	{ 14, 0 }, { 16, 0 }, { 21, 0x12 },
		      { 35, 0x7f } };
	unsigned char before;
	struct fat fat;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		assert_int_equal(pread(volume, &before, 1, wrong[i].at), 1);
		damage(wrong[i].at, &wrong[i].byte, 1);
		assert_int_equal(fat_read(volume, VOLUME_BYTES, &fat), -EUCLEAN);
		damage(wrong[i].at, &before, 1);
		assert_int_equal(fat_read(volume, VOLUME_BYTES, &fat), 0);
	}
	assert_int_equal(fat_read(volume, VOLUME_BYTES - 4096, &fat), -EUCLEAN);
	assert_int_equal(ftruncate(volume, 100), 0);
	assert_int_equal(fat_read(volume, VOLUME_BYTES, &fat), -EUCLEAN);
}

static void the_copy_takes_the_place_of_a_damaged_one(void **state)
{
	static const char zeros[512];
	struct fat fat;

	(void)state;
	shell("cp volume before");
	damage(0, zeros, sizeof(zeros));
	assert_int_equal(fat_read(volume, VOLUME_BYTES, &fat), -EUCLEAN);
	assert_int_equal(fat_restore(volume, VOLUME_BYTES), 0);
	shell("cmp volume before");

	damage(0, zeros, sizeof(zeros));
	damage(COPY_BYTE, "x", 1);
	damage(COPY_BYTE + 510, zeros, 2);
	assert_int_equal(fat_read_copy(volume, VOLUME_BYTES, &fat), -EUCLEAN);
	assert_int_equal(fat_restore(volume, VOLUME_BYTES), -EUCLEAN);
	assert_string_equal(shell("head -c 512 volume | tr -d '\\0' | wc -c"), "0");
}

static char told[1024];

static void a_whole_one_is_left_as_it_is(void **state)
{
	(void)state;
	shell("cp volume before");
	assert_int_equal(fat_check(path, told, sizeof(told)), 0);
	assert_string_equal(told, "");
	shell("cmp volume before");
}

static void what_a_power_cut_leaves_is_repaired_and_told(void **state)
{
	(void)state;
	shell("mmd -i volume ::RUNS && head -c 5000 /dev/zero | mcopy -i volume - ::RUNS/JOURNAL.JSO");
	damage(65, "\x01", 1);
	/* two clusters that no file has */
	damage(FAT_SECTOR * 512 + 4 * 1000, "\xe9\x03\x00\x00\xff\xff\xff\x0f", 8);
	assert_int_equal(fat_check(path, told, sizeof(told)), 0);
	assert_non_null(strstr(told, "Dirty bit is set"));
	assert_non_null(strstr(told, "Reclaimed 2 unused clusters"));
	assert_null(strstr(told, "fsck.fat 4"));
	assert_null(strstr(told, "\n"));
	assert_null(strstr(told, "mostly harmless"));
	assert_int_equal(fat_check(path, told, sizeof(told)), 0);
	assert_string_equal(told, "");
	shell("test $(mtype -i volume ::RUNS/JOURNAL.JSO | wc -c) = 5000");
}

static void much_damage_is_told_in_few_words(void **state)
{
	char bad[1024];

	(void)state;
	memset(bad, 0x7a, sizeof(bad));
	damage(FAT_SECTOR * 512 + 400, bad, sizeof(bad));
	assert_int_equal(fat_check(path, told, sizeof(told)), 0);
	assert_non_null(strstr(told, "more such lines"));
}

static void what_cannot_be_repaired_is_an_error(void **state)
{
	static const char zeros[512];

	(void)state;
	damage(0, zeros, sizeof(zeros));
	assert_int_equal(fat_check(path, told, sizeof(told)), -EUCLEAN);
	assert_non_null(strstr(error_text(), "Logical sector size is zero"));
	strcat(path, ".gone");
	assert_true(fat_check(path, told, sizeof(told)) < 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_volume, remove_volume)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(label_and_serial_are_read),
		test(what_is_no_boot_sector_is_refused),
		test(the_copy_takes_the_place_of_a_damaged_one),
		test(a_whole_one_is_left_as_it_is),
		test(what_a_power_cut_leaves_is_repaired_and_told),
		test(much_damage_is_told_in_few_words),
		test(what_cannot_be_repaired_is_an_error),
	};
	return cmocka_run_group_tests_name("fat", tests, NULL, NULL);
}
