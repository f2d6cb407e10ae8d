/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libblkid says of files that hold filesystems and partition tables. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device_tree.h"

#include "disk/signature.h"
#include "lib/cleanup.h"

#include <errno.h>
#include <sys/syscall.h>

static struct signature found;
static off_t bad_page = -1;

/* As the kernel reads a disk of which one page has gone bad: up to it, and nothing that begins in
 * it. */
static bool shorten(size_t *size, off_t at)
{
	if (bad_page < 0 || bad_page + 4096 <= at || bad_page >= at + (off_t)*size)
		return true;
	errno = EIO;
	if (bad_page > at)
		*size = (size_t)(bad_page - at);
	return bad_page > at;
}

/* In place of libc's, for libblkid as well. */
ssize_t pread(int fd, void *bytes, size_t size, off_t at)
{
	return shorten(&size, at) ? syscall(SYS_pread64, fd, bytes, size, at) : -1;
}

ssize_t read(int fd, void *bytes, size_t size)
{
	return shorten(&size, lseek(fd, 0, SEEK_CUR)) ? syscall(SYS_read, fd, bytes, size) : -1;
}

/* Runs a command in the folder; skips the test where its program is not installed. */
static __attribute__((format(printf, 1, 2))) void shell(const char *format, ...)
{
	char command[1024], line[1200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	snprintf(line, sizeof(line), "cd %s && export PATH=$PATH:/usr/sbin:/sbin && "
		 "{ command -v %.*s || exit 77; } >/dev/null && %s >/dev/null 2>&1", top,
		 (int)strcspn(command, " "), command, command);
	int status = system(line);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

static int open_file(const char *name, int flags)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	int fd = open(path, flags | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	return fd;
}

static void make_file(const char *name, long long bytes)
{
	_cleanup_close_ int fd = open_file(name, O_RDWR | O_CREAT);

	assert_int_equal(ftruncate(fd, bytes), 0);
}

static void look_at(const char *name, int inside_partition)
{
	_cleanup_close_ int fd = open_file(name, O_RDONLY);

	signature_read(&found, fd, inside_partition);
}

static void write_at(const char *name, off_t offset, const void *bytes, size_t length)
{
	_cleanup_close_ int fd = open_file(name, O_WRONLY);

	assert_int_equal(pwrite(fd, bytes, length, offset), length);
}

static void copy_at(const char *from, off_t from_offset, const char *to, off_t to_offset,
		    size_t length)
{
	_cleanup_close_ int fd = open_file(from, O_RDONLY);
	_cleanup_free_ char *bytes = malloc(length);

	assert_int_equal(pread(fd, bytes, length, from_offset), length);
	write_at(to, to_offset, bytes, length);
}

static void nothing_is_nothing(void **state)
{
	(void)state;
	make_file("disk", 8 << 20);
	look_at("disk", 1);
	assert_string_equal(found.type, "");
	assert_string_equal(found.label, "");
}

static void no_bytes_are_unreadable(void **state)
{
	(void)state;
	make_file("disk", 0);
	look_at("disk", 1);
	assert_string_equal(found.type, "unreadable");
	look_at(".", 1);
	assert_string_equal(found.type, "unreadable");
	signature_read(&found, -1, 1);
	assert_string_equal(found.type, "unreadable");
}

/* libblkid takes labels of ZFS that it cannot read for none, and so whatever lies there might be a
 * pool's. */
static void what_is_not_looked_at_is_unreadable(void **state)
{
	static const struct {
		off_t page;
		const char *type;
	} places[] = {
		{ 0, "unreadable" },
		{ 100 << 10, "unreadable" },
		{ (768 << 10) - 4096, "unreadable" },
		{ 768 << 10, "" },
		{ (8 << 20) - (768 << 10) - 4096, "" },
		{ (8 << 20) - (768 << 10), "unreadable" },
		{ (8 << 20) - 4096, "unreadable" },
		{ -1, "" },
	};

	(void)state;
	make_file("disk", 8 << 20);
	for (size_t i = 0; i < ARRAY_LENGTH(places); i++) {
		bad_page = places[i].page;
		look_at("disk", 1);
		bad_page = -1;
		assert_string_equal(found.type, places[i].type);
	}
}

static void filesystems_tell_type_and_label(void **state)
{
	(void)state;
	make_file("disk", 64 << 20);
	shell("mkfs.ext4 -q -F -L blitbench disk");
	look_at("disk", 1);
	assert_string_equal(found.type, "ext4");
	assert_string_equal(found.label, "blitbench");
	shell("mkfs.vfat -n BLITRESULTS disk");
	look_at("disk", 1);
	assert_string_equal(found.type, "vfat");
	assert_string_equal(found.label, "BLITRESULTS");
}

static void xfs_tells_type_and_label(void **state)
{
	(void)state;
	make_file("disk", 400LL << 20);
	shell("mkfs.xfs -q -f -L blitbench disk");
	look_at("disk", 1);
	assert_string_equal(found.type, "xfs");
	assert_string_equal(found.label, "blitbench");
}

/* A damaged filesystem is somebody's filesystem still. */
static void bad_checksums_still_count(void **state)
{
	/* LVM's label: its sector, a wrong CRC, where the header lies, the type */
	static const char label[] = "LABELONE\1\0\0\0\0\0\0\0wrong"
				    "\0\0\0" "LVM2 001";
	(void)state;
	make_file("disk", 8 << 20);
	write_at("disk", 512, label, sizeof(label) - 1);
	look_at("disk", 1);
	assert_string_equal(found.type, "LVM2_member");
}

static void two_signatures_are_ambivalent(void **state)
{
	(void)state;
	make_file("disk", 400LL << 20);
	make_file("xfs", 400LL << 20);
	shell("mkfs.ext4 -q -F -b 4096 -L blitbench disk");
	shell("mkfs.xfs -q -f -L blitbench xfs");
	copy_at("xfs", 0, "disk", 0, 512); /* mke2fs leaves the first KiB as it was */
	look_at("disk", 1);
	assert_string_equal(found.type, "ambivalent");
}

/* A partition that was handed to a virtual machine begins with a table of its own. */
static void a_table_inside_a_partition_counts(void **state)
{
	(void)state;
	make_file("disk", 64 << 20);
	shell("echo ',,L' | sfdisk --label dos disk");
	look_at("disk", 1);
	assert_string_equal(found.type, "dos");
	look_at("disk", 0);
	assert_string_equal(found.type, "");

	make_file("ours", 64 << 20);
	shell("mkfs.ext4 -q -F -L blitbench ours");
	copy_at("disk", 0, "ours", 0, 512);
	look_at("ours", 1);
	assert_string_equal(found.type, "ambivalent");
	look_at("ours", 0);
	assert_string_equal(found.type, "ext4");
}

static void tables_tell_labels_exactly(void **state)
{
	struct partition_table table;

	(void)state;
	make_file("disk", 64 << 20);
	put("/script", "label: gpt\n"
		       "1: size=10MiB, name=\"blitbench-target\", "
		       "uuid=AAAAAAAA-BBBB-CCCC-DDDD-EEEEEEEEEEEE\n"
		       "2: size=10MiB, name=\"Blitbench-target \"\n"
		       "7: size=10MiB, name=\"\xc5\xa2litbench-target\"\n");
	shell("sfdisk -q disk < script");
	_cleanup_close_ int fd = open_file("disk", O_RDONLY);
	assert_int_equal(table_read(&table, fd), 0);
	assert_string_equal(table.type, "gpt");
	assert_int_equal(table.count, 3);
	assert_string_equal(table_find(&table, 1)->label, "blitbench-target");
	assert_string_equal(table_find(&table, 1)->uuid, "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee");
	assert_int_equal(table_find(&table, 1)->start_bytes, 1 << 20);
	assert_int_equal(table_find(&table, 1)->size_bytes, 10 << 20);
	assert_string_equal(table_find(&table, 2)->label, "Blitbench-target");
	assert_string_equal(table_find(&table, 7)->label, "\xc5\xa2litbench-target");
	assert_null(table_find(&table, 3));
	table_free(&table);
}

static void damaged_tables_are_none(void **state)
{
	struct partition_table table;

	(void)state;
	make_file("disk", 64 << 20);
	shell("echo ',,L' | sfdisk --label gpt disk");
	write_at("disk", 512 + 24, "\x5a\x5a", 2);              /* the header's own place */
	write_at("disk", (64 << 20) - 512 + 24, "\x5a\x5a", 2); /* and the copy's */
	_cleanup_close_ int fd = open_file("disk", O_RDONLY);
	assert_int_equal(table_read(&table, fd), 0);
	assert_string_equal(table.type, "PMBR");
	assert_int_equal(table.count, 0);
	table_free(&table);

	make_file("empty", 1 << 20);
	_cleanup_close_ int empty = open_file("empty", O_RDONLY);
	assert_int_equal(table_read(&table, empty), 0);
	assert_string_equal(table.type, "");
	assert_int_equal(table.count, 0);
	table_free(&table);
	assert_int_equal(table_read(&table, -1), 0);
	assert_int_equal(table.count, 0);
}

static void mbr_disks_are_told_apart(void **state)
{
	struct partition_table table;

	(void)state;
	make_file("disk", 64 << 20);
	shell("echo ',,L' | sfdisk --label dos disk");
	_cleanup_close_ int fd = open_file("disk", O_RDONLY);
	assert_int_equal(table_read(&table, fd), 0);
	assert_string_equal(table.type, "dos");
	assert_int_equal(table.count, 1);
	assert_string_equal(table.entries[0].label, "");
	table_free(&table);
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_top, remove_top)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(nothing_is_nothing),
		test(no_bytes_are_unreadable),
		test(what_is_not_looked_at_is_unreadable),
		test(filesystems_tell_type_and_label),
		test(xfs_tells_type_and_label),
		test(bad_checksums_still_count),
		test(two_signatures_are_ambivalent),
		test(a_table_inside_a_partition_counts),
		test(tables_tell_labels_exactly),
		test(damaged_tables_are_none),
		test(mbr_disks_are_told_apart),
	};
	return cmocka_run_group_tests_name("device-signature", tests, NULL, NULL);
}
