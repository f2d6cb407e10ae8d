/* SPDX-License-Identifier: GPL-2.0-or-later */
/* I/O that is not the target's, from hand-written counters; and what a trial is told of it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "test_device_tree.h"

#include "measure/others.h"
#include "run/watch.h"

#include <errno.h>
#include <sys/sysmacros.h>

/* As in block/genhd.c: reads, merges, sectors, ms, writes, ..., discards behind the eleventh. */
static void put_stat(const char *device, unsigned reads, unsigned writes, unsigned discards)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/devices/%s/stat", device);
	put(path, "%u 0 %u 0 %u 0 %u 0 0 0 0 %u 0 0 0 0 0\n", reads, 8 * reads, writes, 8 * writes,
	    discards);
}

/* sda with sda1 and sda2, the stick sdb with sdb2, and dm-0, which is no partition. */
static int make_disks(void **state)
{
	static const char *const links[][2] = {
		{ "8:0", "sda" },	{ "8:1", "sda/sda1" }, { "8:2", "sda/sda2" },
		{ "8:16", "sdb" },	{ "8:18", "sdb/sdb2" }, { "254:0", "dm-0" },
	};

	if (make_top(state))
		return -1;
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		char path[128], target[128];

		put_stat(links[i][1], 100, 100, 0);
		snprintf(path, sizeof(path), "/sys/devices/%s/dev", links[i][1]);
		put(path, "%s\n", links[i][0]);
		snprintf(path, sizeof(path), "/sys/devices/%s/partition", links[i][1]);
		if (strchr(links[i][1], '/'))
			put(path, "1\n");
		snprintf(path, sizeof(path), "/sys/dev/block/%s", links[i][0]);
		snprintf(target, sizeof(target), "../../devices/%s", links[i][1]);
		put_link(path, target);
	}
	return 0;
}

static void assert_io(const struct disk_counters *io, unsigned reads, unsigned writes,
		      unsigned discards)
{
	assert_int_equal(io->reads, reads);
	assert_int_equal(io->read_bytes, reads * 4096);
	assert_int_equal(io->writes, writes);
	assert_int_equal(io->write_bytes, writes * 4096);
	assert_int_equal(io->discards, discards);
}

static void what_is_not_the_targets_is_seen(void **state)
{
	struct others_reading begun;
	struct others others;
	struct others_io io;

	(void)state;
	others_find(&others, makedev(8, 1), makedev(8, 18), top);
	others_begin(&others, &begun);
	put_stat("sda/sda1", 1100, 600, 5);
	put_stat("sda", 1100, 600, 5);
	others_end(&others, &begun, &io);
	assert_true(io.disk_known && io.results_known);
	assert_io(&io.disk, 0, 0, 0);
	assert_io(&io.results, 0, 0, 0);

	put_stat("sda", 1103, 601, 7);
	put_stat("sdb", 100, 104, 0);
	others_end(&others, &begun, &io);
	assert_io(&io.disk, 3, 1, 2);
	assert_io(&io.results, 0, 4, 0);
}

/* A request that ends between two readings counts at the partition and not at the disk. */
static void nothing_goes_below_zero(void **state)
{
	struct others_reading begun;
	struct others others;
	struct others_io io;

	(void)state;
	others_find(&others, makedev(8, 1), 0, top);
	others_begin(&others, &begun);
	put_stat("sda/sda1", 110, 105, 1);
	put_stat("sda", 109, 105, 0);
	others_end(&others, &begun, &io);
	assert_true(io.disk_known);
	assert_false(io.results_known);
	assert_io(&io.disk, 0, 0, 0);
}

static void the_same_disk_is_not_told_twice(void **state)
{
	struct others others;

	(void)state;
	others_find(&others, makedev(8, 1), makedev(8, 2), top);
	assert_true(others.disk[0]);
	assert_string_equal(others.results, "");
	others_find(&others, makedev(8, 1), makedev(8, 0), top);
	assert_string_equal(others.results, "");
}

/* A mapped device has no disk of its own, and what has no number has nothing. */
static void what_is_no_partition_has_no_others(void **state)
{
	const dev_t targets[] = { 0, makedev(254, 0), makedev(8, 0), makedev(99, 1) };
	struct others_reading begun;
	struct others others;
	struct others_io io;

	(void)state;
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		others_find(&others, targets[i], makedev(99, 2), top);
		assert_string_equal(others.disk, "");
		assert_string_equal(others.partition, "");
		assert_string_equal(others.results, "");
		others_begin(&others, &begun);
		others_end(&others, &begun, &io);
		assert_false(io.disk_known || io.results_known);
	}
	others_find(&others, 0, makedev(8, 18), top);
	assert_true(others.results[0]);
	others_begin(NULL, &begun);
	others_end(NULL, &begun, &io);
	assert_false(io.disk_known || io.results_known);
}

static void counters_that_vanish_are_not_known(void **state)
{
	struct others_reading begun;
	struct others others;
	struct others_io io;
	char path[128];

	(void)state;
	others_find(&others, makedev(8, 1), makedev(8, 18), top);
	others_begin(&others, &begun);
	snprintf(path, sizeof(path), "%s/sys/devices/sda/stat", top);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/sys/devices/sdb/stat", top);
	assert_int_equal(unlink(path), 0);
	others_end(&others, &begun, &io);
	assert_false(io.disk_known || io.results_known);
}

static void io_is_put_in_words(void **state)
{
	char text[128], small[12];
	struct disk_counters io = { .reads = 0 };

	(void)state;
	assert_string_equal(others_words(&io, text, sizeof(text)), "");
	io = (struct disk_counters){ .reads = 3, .read_bytes = 12288, .writes = 1, .discards = 2 };
	assert_string_equal(others_words(&io, text, sizeof(text)),
			    "3 reads (12288 bytes), 1 write, 2 discards");
	assert_string_equal(others_words(&io, small, sizeof(small)), "3 reads (12");
}

/* --- the flags of a trial --- */

static const char *said[4];
static unsigned said_at;

static ssize_t kernel_says(int fd, void *buffer, size_t size)
{
	(void)fd;
	if (!said[said_at]) {
		errno = EAGAIN;
		return -1;
	}
	snprintf(buffer, size, "%s", said[said_at]);
	return (ssize_t)strlen(said[said_at++]);
}

static void judge(struct trial_record *trial, const struct watch *watch,
		  const struct transaction *transaction)
{
	*trial = (struct trial_record){ .details = json_object() };
	said_at = 0;
	watch_trial(watch, transaction, trial);
}

static void a_trial_is_flagged(void **state)
{
	const struct watch watch = {
		.kmsg = { .fd = 99, .ours = { { "sda", "sda1" } }, .read = kernel_says }
	};
	struct transaction transaction = { .seconds = 1 };
	struct trial_record trial;

	(void)state;
	judge(&trial, &watch, &transaction);
	assert_int_equal(trial.flag_count, 0);
	assert_int_equal(json_object_size(trial.details), 0);
	trial_record_free(&trial);

	said[0] = "4,1,1,-;XFS (sda1): EXPERIMENTAL parent pointer feature enabled. Use at your own risk!\n";
	judge(&trial, &watch, &transaction);
	assert_int_equal(trial.flag_count, 1);
	assert_string_equal(trial.flags[0].name, "kernel-error");
	assert_int_equal(trial.flags[0].level, FLAG_NOTE);
	assert_string_equal(trial.flags[0].detail,
			    "the kernel says: XFS (sda1): EXPERIMENTAL parent pointer feature "
			    "enabled. Use at your own risk!");
	trial_record_free(&trial);

	said[1] = "3,2,1,-;I/O error, dev sda, sector 8 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0\n";
	transaction.others.disk.reads = 2;
	transaction.others.results.writes = 1;
	judge(&trial, &watch, &transaction);
	assert_int_equal(trial.flag_count, 3);
	assert_string_equal(trial.flags[0].name, "other-io");
	assert_int_equal(trial.flags[0].level, FLAG_NOTE);
	assert_string_equal(trial.flags[0].detail, "2 reads at the target's disk, outside the target");
	assert_string_equal(trial.flags[1].detail, "1 write at the disk of the results");
	assert_int_equal(trial.flags[2].level, FLAG_INVALID);
	assert_non_null(strstr(trial.flags[2].detail, "I/O error, dev sda"));
	assert_non_null(strstr(trial.flags[2].detail, "; 1 more line"));
	json_t *messages = json_object_get(trial.details, "kernel_messages");
	assert_int_equal(json_array_size(messages), 2);
	assert_string_equal(json_string_value(json_object_get(json_array_get(messages, 1), "level")),
			    "error");
	trial_record_free(&trial);
}

/* What the kernel has said outside of trials is the session's; of a kernel that cannot be heard nobody
 * knows. */
static void a_session_keeps_the_rest(void **state)
{
	struct watch watch = { .kmsg = { .fd = 99, .read = kernel_says } };
	json_t *record = json_object();

	(void)state;
	said[0] = "4,1,1,-;WARNING: CPU: 0 PID: 1 at a.c:1 f+0x1/0x2\n";
	said[1] = NULL;
	said_at = 0;
	watch_session(&watch, record);
	watch_session(NULL, record);
	assert_null(json_object_get(record, "kernel_messages"));
	watch.messages = json_array();
	watch_session(&watch, record);
	watch_session(&watch, record);
	assert_int_equal(json_array_size(json_object_get(record, "kernel_messages")), 1);
	said_at = 0;
	watch_session(&watch, record);
	assert_int_equal(json_array_size(json_object_get(record, "kernel_messages")), 2);
	json_decref(record);
	json_decref(watch.messages);
}

#define test(name) cmocka_unit_test_setup_teardown(name, make_disks, remove_top)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(what_is_not_the_targets_is_seen),
		test(nothing_goes_below_zero),
		test(the_same_disk_is_not_told_twice),
		test(what_is_no_partition_has_no_others),
		test(counters_that_vanish_are_not_known),
		cmocka_unit_test(io_is_put_in_words),
		cmocka_unit_test(a_trial_is_flagged),
		cmocka_unit_test(a_session_keeps_the_rest),
	};
	return cmocka_run_group_tests_name("others", tests, NULL, NULL);
}
