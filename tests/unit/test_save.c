/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a run whose results volume failed, with real mounts and a stand-in for what this kernel may not have: an
 * ext4 with a FAT's boot sector in front, where ext4 keeps nothing, is mounted for the FAT. The scan is hand-written, and
 * flushes fail when they are told to.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device_loop.h"
#include "test_refuse_machine.h"

#include "lib/cleanup.h"
#include "run/save.h"

#include <errno.h>
#include <sys/mount.h>
#include <time.h>

static struct machine machine;
static struct run run;
static char device[128], mountpoint[64], told[4096];
static bool flush_fails, plugged_in;
static unsigned scans, checks, plugged_in_at_scan;

int __real_mount(const char *node, const char *where, const char *type, unsigned long flags, const void *options);
int __wrap_mount(const char *node, const char *where, const char *type, unsigned long flags, const void *options);
int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fat_check(const char *node, char *words, size_t size);
int __wrap_devices_scan(struct device_list *list, const char *root);
void __wrap_devices_free(struct device_list *list);
int __wrap_nanosleep(const struct timespec *time, struct timespec *left);

int __wrap_mount(const char *node, const char *where, const char *type, unsigned long flags, const void *options)
{
	assert_string_equal(type, "vfat");
	assert_non_null(options);
	return __real_mount(node, where, "ext4", flags, NULL);
}

int __wrap_fdatasync(int fd)
{
	if (!flush_fails)
		return __real_fdatasync(fd);
	errno = EIO;
	return -1;
}

/* Nobody may have it mounted while it is looked at. */
int __wrap_fat_check(const char *node, char *words, size_t size)
{
	assert_int_equal(access(node, R_OK), 0);
	shell("! mountpoint -q mnt");
	snprintf(words, size, "%s", checks++ ? "Dirty bit is set" : "");
	return 0;
}

int __wrap_devices_scan(struct device_list *list, const char *root)
{
	(void)root;
	scans++;
	plugged_in = plugged_in || scans == plugged_in_at_scan;
	*list = machine.list;
	list->count = plugged_in ? SPARE : RESULTS;
	return 0;
}

void __wrap_devices_free(struct device_list *list)
{
	list->count = 0;
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *left)
{
	(void)time, (void)left;
	return 0;
}

static void remember(void *context, const char *line)
{
	(void)context;
	strncat(told, line, sizeof(told) - strlen(told) - 2);
	strcat(told, "\n");
}

static const struct progress progress = { .say = remember };

/* A run that is going on, with a journal on the volume. */
static void start(void)
{
	struct block_device *volume;
	struct stat status;

	need_loop_devices();
	const char *disk = attach_gpt("disk", "BLITRESULTS");
	snprintf(device, sizeof(device), "/dev/%s", partition_of(disk, 1));
	shell("truncate -s 32M fat && mkfs.fat -F 32 -s 1 -i 1234ABCD -n BLITRESULTS fat >/dev/null 2>&1");
	shell("mkfs.ext4 -q %s && dd if=fat of=%s bs=512 count=1 conv=notrunc,fsync", device, device);
	machine_make(&machine);
	volume = &machine.devices[RESULTS];
	assert_int_equal(stat(device, &status), 0);
	volume->number = status.st_rdev;
	volume->size_bytes = 32 << 20;
	told[0] = '\0';
	flush_fails = false;
	plugged_in = true;
	scans = checks = plugged_in_at_scan = 0;

	run_init(&run, &progress);
	strcpy(run.id, "20261130-141500-3fa2");
	snprintf(mountpoint, sizeof(mountpoint), "%s/mnt", top);
	assert_int_equal(__wrap_devices_scan(&run.devices, ""), 0);
	assert_int_equal(results_mount(&run.results, &run.devices, RESULTS, mountpoint, NULL), 0);
	assert_int_equal(run.results.serial, 0x1234abcd);
	assert_int_equal(results_start_run(&run.results, run.id), 0);
	assert_int_equal(journal_create(&run.journal, run.results.run_fd), 0);
	journal_watch(run.journal, &progress);
}

static void finish_run(void)
{
	run_ended(&run, RUN_ABORTED, "stopped");
	run_report(&run);
}

static int release(void **state)
{
	journal_close(run.journal);
	json_decref(run.report);
	run.journal = NULL;
	run.report = NULL;
	return detach_all(state);
}

static void assert_told(const char *words)
{
	if (!strstr(told, words))
		print_error("'%s' does not say '%s'\n", told, words);
	assert_non_null(strstr(told, words));
}

/* What is on the medium when all is over; its boot sector is the FAT's still. */
static void assert_saved(const char *name, unsigned lines)
{
	assert_true(run.saved);
	assert_int_equal(run.results.number, 0);
	shell("! mountpoint -q mnt && e2fsck -n -f %s >/dev/null && mount -t ext4 -o ro %s mnt", device, device);
	shell("test $(wc -l < mnt/runs/%s/journal.jsonl) = %u", name, lines);
	shell("cd mnt/runs/%s && test -s report.json && test -s report.txt && test -s report.html", name);
	shell("umount mnt");
}

static void a_run_without_a_fault_is_saved_at_once(void **state)
{
	(void)state;
	start();
	finish_run();
	assert_int_equal(save_finish(&run), 0);
	assert_int_equal(scans, 1);
	assert_string_equal(told, "");
	assert_saved(run.id, 2);
}

/* It is written anew, and looked at before. */
static void what_failed_is_written_to_the_volume_mounted_anew(void **state)
{
	(void)state;
	start();
	flush_fails = true;
	assert_int_equal(journal_note(run.journal, "one"), -EIO);
	assert_int_equal(journal_note(run.journal, "two"), -EIO);
	assert_told("RESULTS CANNOT BE SAVED NOW");
	finish_run();
	flush_fails = false;
	assert_int_equal(save_finish(&run), 0);
	assert_told("they are written again");
	assert_told("the results volume was repaired: Dirty bit is set");
	assert_int_equal(checks, 2);
	/* line 1, two notes, the note of the failure, the verdict */
	assert_saved(run.id, 5);
}

/* Somebody else's journal has the run's name: it stays, and all is in a folder beside it, on a volume that is let go of. */
static void what_stands_in_the_way_stays(void **state)
{
	(void)state;
	start();
	flush_fails = true;
	journal_note(run.journal, "one");
	finish_run();
	flush_fails = false;
	shell("echo other > mnt/runs/%s/journal.jsonl", run.id);
	assert_int_equal(save_finish(&run), 0);
	assert_saved("20261130-141500-3fa2-2", 4);
	shell("mount -t ext4 -o ro %s mnt && test \"$(cat mnt/runs/%s/journal.jsonl)\" = other; status=$?; umount mnt; exit $status",
	      device, run.id);
}

static void a_stick_that_is_back_soon_is_awaited(void **state)
{
	(void)state;
	start();
	flush_fails = true;
	journal_note(run.journal, "one");
	finish_run();
	flush_fails = false;
	plugged_in = false;
	plugged_in_at_scan = 5;
	assert_int_equal(save_finish(&run), 0);
	assert_int_equal(scans, 5); /* one was when the run began */
	assert_told("plug it in again");
	assert_saved(run.id, 4);
}

/* A stick of the same PARTUUID that was formatted anew is another one, as is one that cannot be written. */
static void another_stick_is_not_written_to(void **state)
{
	(void)state;
	start();
	flush_fails = true;
	finish_run();
	flush_fails = false;
	machine.devices[RESULTS].read_only = true;
	assert_int_equal(save_finish(&run), -EROFS);
	assert_false(run.saved);

	machine.devices[RESULTS].read_only = false;
	shell("cp --sparse=always %s before", device);
	run.results.serial++;
	run.newest_disk = UINT64_MAX;
	run.retry_at = 0;
	assert_false(save_retry(&run));
	assert_int_equal(checks, 1);
	shell("cmp %s before", device);
}

/* What was flushed is on the medium, what was not is told; the machine may stay on and try again. */
static void a_volume_that_stays_broken_is_told(void **state)
{
	(void)state;
	start();
	assert_int_equal(journal_note(run.journal, "kept"), 0);
	flush_fails = true;
	finish_run();
	assert_int_equal(save_finish(&run), -EIO);
	assert_false(run.saved);
	assert_true(journal_unsaved(run.journal));
	assert_int_equal(run.results.number, 0);
	shell("! mountpoint -q mnt");
	assert_false(save_retry(&run));

	/* a disk comes */
	flush_fails = false;
	run.newest_disk = UINT64_MAX;
	run.retry_at = 0;
	assert_true(save_retry(&run));
	assert_saved(run.id, 4);
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_top, release)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_run_without_a_fault_is_saved_at_once),
		test(what_failed_is_written_to_the_volume_mounted_anew),
		test(what_stands_in_the_way_stays),
		test(a_stick_that_is_back_soon_is_awaited),
		test(another_stick_is_not_written_to),
		test(a_volume_that_stays_broken_is_told),
	};
	return cmocka_run_group_tests_name("save", tests, NULL, NULL);
}
