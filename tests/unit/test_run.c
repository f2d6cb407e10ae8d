/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run's own words and its end, without a machine of its own: what is asked, what counts as
 * saved. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "lib/tree.h"
#include "run/announce.h"
#include "run/describe.h"
#include "run/run.h"
#include "run/save.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct run run;
static char top[40];
static int top_fd;

static int begin(void **state)
{
	(void)state;
	run_init(&run, NULL);
	if (scratch_make(top, "run"))
		return -1;
	top_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return top_fd < 0;
}

static int end(void **state)
{
	(void)state;
	json_decref(run.report);
	journal_close(run.journal);
	close(top_fd);
	return tree_remove(AT_FDCWD, top);
}

static void labels_do_not_steer_the_screen(void **state)
{
	struct block_device devices[1] = { { .name = "sda1", .model = "Fast SSD", .number = 1 } };
	char text[ANNOUNCEMENT_BYTES];

	(void)state;
	run.devices = (struct device_list){ .devices = devices, .count = 1 };
	run.target.identity = devices[0];
	struct block_device *identity = &run.target.identity;
	strcpy(identity->partlabel, "\x1b[2Jnothing\nwill be lost");
	strcpy(identity->signature_type, "ext4");
	memset(identity->signature_label, '\x1b', sizeof(identity->signature_label) - 1);
	run_announcement(&run, text);
	assert_null(strchr(text, '\x1b'));
	assert_null(strstr(text, "\nwill be lost"));
	assert_non_null(strstr(text, "Fast SSD"));
	assert_non_null(strstr(text, "Everything on this partition will be lost.\n"));
}

static void plan_small(void)
{
	run.plan.workload = "small";
	strcpy(run.plan.base_path, "workloads/small.mtree.zst");
	run.plan.filesystems[0] = filesystem_find("ext4");
	run.plan.filesystem_count = 1;
	run.plan.engines[0] = engine_find("moss-2025");
	run.plan.engine_count = 1;
	run.plan.stores[0] = fanout_find("3x2");
	run.plan.store_count = 1;
}

static void start_empty_journal(void)
{
	assert_int_equal(journal_create(&run.journal, top_fd), 0);
	journal_append(run.journal, "run", describe_run(&run));
	journal_append(run.journal, "target", json_pack("{s:s}", "partlabel", "blitbench-target"));
	run.results.run_fd = top_fd;
}

static struct block_device target_device(void)
{
	return (struct block_device){
		.name = "sda2", .number = 1, .is_partition = true, .partition_number = 2,
		.partlabel = "blitbench-target", .size_bytes = 3ULL << 29, .model = "Fast SSD",
		.serial = "S3Z9NB0K", .transport = "sata",
	};
}

/* All that a person needs to know the disk by, and what it is asked about. */
static void the_announcement_tells_all(void **state)
{
	struct block_device devices[2] = {
		{ .name = "sda", .model = "Fast SSD", .serial = "S3Z9NB0K", .size_bytes = 500107862016,
		  .transport = "sata", .number = 7 },
		target_device(),
	};
	char text[ANNOUNCEMENT_BYTES];

	(void)state;
	run.devices = (struct device_list){ .devices = devices, .count = 2 };
	run.target.identity = devices[1];
	assert_string_equal(run_announcement(&run, text),
			    "target    Fast SSD (serial S3Z9NB0K), 500.1 GB, sata\n"
			    "          partition 2, labelled 'blitbench-target', 1.5 GiB, holding nothing "
			    "that is known\n"
			    "          Everything on this partition will be lost.\n");
	strcpy(run.target.identity.signature_type, "ext4");
	strcpy(run.target.identity.signature_label, "home");
	run.plan.dry_run = true;
	assert_non_null(strstr(run_announcement(&run, text),
			       "holding ext4 labelled 'home'\n"
			       "          Everything on this partition would be lost; this is a dry run, "
			       "and nothing is written to it.\n"));
}

/* Marks that hide what stands there or turn it around, and bytes that an old terminal obeys. */
static void odd_labels_show_what_they_are(void **state)
{
	static const struct {
		const char *label, *shown;
	} labels[] = {
		{ "", "labelled ''" },
		{ "' ' ''", "labelled '' ' '''" },
		{ "%s%n%999999c", "labelled '%s%n%999999c'" },
		{ "f\xc3\xbcr \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x92\xbe",
		  "'f\xc3\xbcr \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x92\xbe'" },
		{ "a\xe2\x80\xae"
		  "b", "'a???b'" }, /* U+202E turns around what follows */
		{ "a\xe2\x81\xa7"
		  "b", "'a???b'" },
		{ "a\xe2\x80\x8b"
		  "b\xef\xbb\xbf", "'a???b??\?'" }, /* not seen */
		{ "a\xc2\x9b"
		  "2J", "'a??2J'" },
		{ "a\x9b"
		  "2J", "'a?2J'" }, /* no UTF-8 */
		{ "a\xe6\x97", "'a?\?'" }, /* cut off */
		{ "a\xc0\x9b\xff", "'a??\?'" },
		{ "\r\n\t\x7f\x1b[2J", "'?????[2J'" },
	};
	struct block_device device = target_device();
	char text[ANNOUNCEMENT_BYTES];

	(void)state;
	run.devices = (struct device_list){ .devices = &device, .count = 1 };
	for (size_t i = 0; i < ARRAY_LENGTH(labels); i++) {
		run.target.identity = device;
		strcpy(run.target.identity.partlabel, labels[i].label);
		run_announcement(&run, text);
		if (!strstr(text, labels[i].shown))
			fail_msg("label %zu: %s", i, text);
		assert_non_null(strstr(text, "1.5 GiB, holding nothing that is known\n"));
	}
}

/* The warning comes last, and is never what does not fit. */
static void the_longest_names_leave_room_for_the_warning(void **state)
{
	struct block_device device = target_device();
	char text[ANNOUNCEMENT_BYTES];

	(void)state;
	memset(device.model, 'M', sizeof(device.model) - 1);
	memset(device.serial, '\x1b', sizeof(device.serial) - 1);
	memset(device.transport, 't', sizeof(device.transport) - 1);
	memset(device.partlabel, 'L', sizeof(device.partlabel) - 1);
	memset(device.signature_type, 'T', sizeof(device.signature_type) - 1);
	memset(device.signature_label, '\x9b', sizeof(device.signature_label) - 1);
	device.size_bytes = UINT64_MAX;
	run.devices = (struct device_list){ .devices = &device, .count = 1 };
	run.target.identity = device;
	run_announcement(&run, text);
	assert_null(strstr(text, "..."));
	assert_null(strpbrk(text, "\x1b\x9b"));
	assert_non_null(strstr(text, "?\?'\n          Everything on this partition will be lost.\n"));
}

static void a_dry_run_formats_nothing_and_says_what_it_would(void **state)
{
	struct block_device device = target_device();

	(void)state;
	plan_small();
	run.plan.filesystems[1] = filesystem_find("xfs");
	run.plan.filesystem_count = 2;
	run.plan.rounds = 3;
	run.plan.dry_run = true;
	run.devices = (struct device_list){ .devices = &device, .count = 1 };
	run.target.identity = device;
	start_empty_journal();
	assert_int_equal(run_sessions(&run), 0);
	assert_int_equal(run.status, RUN_COMPLETE);
	assert_string_equal(run.reason,
			    "nothing was written to the target; but for dry_run it would have been formatted "
			    "6 times, as ext4, xfs: partition 2, labelled 'blitbench-target', 1.5 GiB, "
			    "holding nothing that is known, of Fast SSD (serial S3Z9NB0K), 1.6 GB, sata");
	assert_int_equal(run_report(&run), 0);
	_cleanup_free_ char *text = sysfs_slurp(top, "/report.txt");
	assert_non_null(strstr(text, "DRY RUN: nothing was written"));
	assert_non_null(strstr(text, "would have been formatted"));
	assert_true(json_is_true(json_object_get(json_object_get(run.report, "run"), "dry_run")));
	assert_int_equal(json_array_size(json_object_get(run.report, "sessions")), 0);
	run.devices = (struct device_list){ .count = 0 };
}

static char told[256];

static void remember(void *context, const char *line)
{
	(void)context;
	snprintf(told, sizeof(told), "%s", line);
}

/* Wherever a run writes or speaks. Of disks that come later, too, and of serials with odd bytes. */
static void a_redacted_run_names_no_disk(void **state)
{
	const struct progress progress = { .say = remember };
	struct block_device devices[2] = {
		{ .name = "sda1", .model = "Fast SSD", .serial = "S3Z9\x1bNB0K", .number = 1,
		  .partuuid = "1234abcd-01" },
		{ .name = "sdb", .model = "Stick", .serial = "4C530001", .number = 2 },
	};
	char text[ANNOUNCEMENT_BYTES];

	(void)state;
	run.progress = &progress;
	run.plan.redact = true;
	run.devices = (struct device_list){ .devices = devices, .count = 1 };
	run.target.identity = devices[0];
	assert_int_equal(journal_create(&run.journal, top_fd), 0);
	assert_int_equal(run_redact(&run), 0);
	run_announcement(&run, text);
	assert_non_null(strstr(text, "Fast SSD (serial redacted)"));
	progress_say(run.progress, "on S3Z9?NB0K");
	assert_string_equal(told, "on redacted");

	run.devices.count = 2;
	assert_int_equal(run_learn_secrets(&run), 0);
	progress_say(run.progress, "on %s and %s", devices[1].serial, devices[0].partuuid);
	assert_string_equal(told, "on redacted and redacted");
	run_ended(&run, RUN_REFUSED, "no target; seen: Stick (serial 4C530001)");
	assert_string_equal(run.reason, "no target; seen: Stick (serial redacted)");
	run.results.run_fd = top_fd;
	assert_int_equal(run_report(&run), 0);
	_cleanup_free_ char *journal = sysfs_slurp(top, "/journal.jsonl");
	_cleanup_free_ char *report = sysfs_slurp(top, "/report.txt");
	assert_null(strstr(journal, "4C53"));
	assert_null(strstr(report, "4C53"));
	assert_non_null(strstr(report, "Stick (serial redacted)"));
	run.devices = (struct device_list){ .count = 0 };
	run_release(&run);
	assert_ptr_equal(run.progress, &progress);
}

static void a_run_that_hides_nothing_is_left_as_it_is(void **state)
{
	const struct progress progress = { .say = remember };
	struct block_device device = { .name = "sda1", .serial = "4C530001", .number = 1 };

	(void)state;
	run.progress = &progress;
	run.devices = (struct device_list){ .devices = &device, .count = 1 };
	assert_int_equal(run_redact(&run), 0);
	progress_say(run.progress, "on 4C530001");
	assert_string_equal(told, "on 4C530001");
	assert_int_equal(run.redactor.count, 0);
	run.devices = (struct device_list){ .count = 0 };
}

static void start_journal(void)
{
	assert_int_equal(journal_create(&run.journal, top_fd), 0);
	run.results.run_fd = top_fd;
	run_ended(&run, RUN_ABORTED, "stopped");
}

static void what_is_written_counts_as_reported(void **state)
{
	(void)state;
	start_journal();
	assert_int_equal(run_report(&run), 0);
	assert_true(run.reported);
	assert_int_equal(faccessat(top_fd, "report.json", R_OK, 0), 0);
	assert_int_equal(faccessat(top_fd, "report.txt", R_OK, 0), 0);
}

static void a_report_that_could_not_be_written_does_not(void **state)
{
	(void)state;
	start_journal();
	assert_int_equal(mkdirat(top_fd, "report.json", 0755), 0);
	assert_true(run_report(&run) < 0);
	assert_false(run.reported);
	assert_non_null(strstr(error_text(), "report.json"));
	assert_non_null(run.report); /* for the consoles */
}

/* The folder stands in for a volume that is mounted again: what counts is its device number. */
static void mount_again(void)
{
	struct stat status;

	run_init(&run, NULL);
	strcpy(run.id, "20261130-141500-3fa2");
	snprintf(run.results.mountpoint, sizeof(run.results.mountpoint), "%s", top);
	assert_int_equal(fstat(top_fd, &status), 0);
	run.results.number = status.st_dev;
}

static void leave_again(void)
{
	close(run.results.run_fd);
	close(run.results.sync_fd);
	run.results = RESULTS_NONE;
}

static int holds(const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "runs/%s", name);
	return !faccessat(top_fd, path, R_OK, 0);
}

/* Journal and reports are made whole in the run's folder; where half a report stands in the way, beside it. */
static void what_was_not_saved_is_written_again(void **state)
{
	(void)state;
	mount_again();
	assert_int_equal(results_start_run(&run.results, run.id), 0);
	assert_int_equal(journal_create(&run.journal, run.results.run_fd), 0);
	journal_detach(run.journal);
	leave_again();
	run_ended(&run, RUN_ABORTED, "stopped");
	assert_int_equal(run_report(&run), 0);
	assert_false(run.reported);

	struct run kept = run;
	mount_again();
	run.journal = kept.journal;
	run.report = kept.report;
	assert_int_equal(save_write(&run), 0);
	assert_string_equal(run.results.run_path, "runs/20261130-141500-3fa2");
	assert_true(holds("20261130-141500-3fa2/report.html"));
	assert_false(journal_unsaved(run.journal));
	assert_int_equal(save_write(&run), 0);
	assert_false(holds("20261130-141500-3fa2-2"));

	int half = openat(run.results.run_fd, "report.json", O_WRONLY | O_TRUNC);
	assert_int_equal(write(half, "{", 1), 1);
	close(half);
	assert_int_equal(save_write(&run), 0);
	assert_string_equal(run.results.run_path, "runs/20261130-141500-3fa2-2");
	assert_true(holds("20261130-141500-3fa2-2/report.json"));
	assert_true(holds("20261130-141500-3fa2-2/journal.jsonl"));
	struct stat status;
	assert_int_equal(fstatat(top_fd, "runs/20261130-141500-3fa2/report.json", &status, 0), 0);
	assert_int_equal(status.st_size, 1);
	leave_again();
}

/* As the configuration hands them on. */
static void mistakes_end_without_an_empty_line(void **state)
{
	(void)state;
	run_ended(&run, RUN_REFUSED, "one mistake\nanother\n");
	assert_string_equal(run.reason, "one mistake\nanother");
}

static void nothing_is_reported_to_no_volume(void **state)
{
	(void)state;
	run_ended(&run, RUN_ABORTED, "stopped");
	assert_int_equal(run_report(&run), 0);
	assert_false(run.reported);
	assert_non_null(run.report);
}

static int asks_to_stop(void *context, const char *phase, uint64_t done, uint64_t total)
{
	(void)context, (void)phase, (void)done, (void)total;
	return 1;
}

static const struct progress stopping = { .update = asks_to_stop };

static void who_stops_while_reading_or_naming_is_not_refused(void **state)
{
	(void)state;
	plan_small();
	run.progress = &stopping;
	assert_int_equal(run_load_workload(&run), -EINTR);
	assert_int_equal(run.status, RUN_ABORTED);
	assert_null(run.rule);

	run_init(&run, NULL);
	plan_small();
	assert_int_equal(journal_create(&run.journal, top_fd), 0);
	assert_int_equal(run_load_workload(&run), 0);
	run.progress = &stopping;
	assert_int_equal(run_name_contents(&run), -EINTR);
	assert_int_equal(run.status, RUN_ABORTED);
	workload_free(&run.workload);
}

static void what_is_needed_is_known_before_the_names_and_exactly_after(void **state)
{
	(void)state;
	plan_small();
	assert_int_equal(journal_create(&run.journal, top_fd), 0);
	assert_int_equal(run_load_workload(&run), 0);
	struct room least = run.needs.rooms[0][0];
	assert_int_equal(run_name_contents(&run), 0);
	/* 3x2 has about as many directories of its own as there are assets, and half as many above.
	 */
	assert_in_range(run.needs.rooms[0][0].inodes - least.inodes, run.workload.contents.count,
			2 * run.workload.contents.count);
	assert_true(run.needs.rooms[0][0].bytes > least.bytes);
	assert_true(run.plan.wish.bytes_needed == run.needs.partition_bytes);
	workload_free(&run.workload);
}

static void too_many_links_are_refused_before_a_disk_is_looked_at(void **state)
{
	(void)state;
	plan_small();
	run.plan.keep_states = 65000;
	assert_int_equal(run_load_workload(&run), -EMLINK);
	assert_int_equal(run.status, RUN_REFUSED);
	assert_string_equal(run.rule, "workload");
	assert_non_null(strstr(run.reason, "lower keep_states"));
	workload_free(&run.workload);
}

/* The clock of the program, which each session moves on by a minute. */
static time_t minutes_later;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	long result = syscall(SYS_clock_gettime, clock, now);

	now->tv_sec += minutes_later * 60;
	return (int)result;
}

static unsigned sessions_made;

static int lasts_a_minute(struct run *which, const struct room *room,
			  struct session_request *request)
{
	(void)room;
	assert_int_equal(request->round, 1 + sessions_made / which->plan.filesystem_count);
	sessions_made++;
	minutes_later++;
	return 0;
}

/* Of three rounds of three sessions the last four are cut off. */
static void a_limit_cuts_the_last_rounds(void **state)
{
	static const char *const names[] = { "ext4", "xfs", "f2fs" };

	(void)state;
	plan_small();
	for (unsigned i = 0; i < 3; i++)
		run.plan.filesystems[i] = filesystem_find(names[i]);
	run.plan.filesystem_count = 3;
	run.plan.rounds = 3;
	run.plan.limit_minutes = 5;
	sessions_made = 0;
	assert_int_equal(run_sessions_in(&run, lasts_a_minute), 0);
	assert_int_equal(sessions_made, 5);
	assert_int_equal(run.status, RUN_PARTIAL);
	assert_string_equal(run.reason,
			    "limit_minutes = 5 was reached, and 4 of 9 sessions are left out");

	run_init(&run, NULL);
	plan_small();
	run.plan.rounds = 3;
	run.plan.limit_minutes = 3;
	sessions_made = 0;
	assert_int_equal(run_sessions_in(&run, lasts_a_minute), 0);
	assert_int_equal(run.status, RUN_COMPLETE);
	minutes_later = 0;
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(labels_do_not_steer_the_screen),
		test(the_announcement_tells_all),
		test(odd_labels_show_what_they_are),
		test(the_longest_names_leave_room_for_the_warning),
		test(a_dry_run_formats_nothing_and_says_what_it_would),
		test(a_redacted_run_names_no_disk),
		test(a_run_that_hides_nothing_is_left_as_it_is),
		test(what_is_written_counts_as_reported),
		test(a_report_that_could_not_be_written_does_not),
		test(what_was_not_saved_is_written_again),
		test(mistakes_end_without_an_empty_line),
		test(nothing_is_reported_to_no_volume),
		test(who_stops_while_reading_or_naming_is_not_refused),
		test(what_is_needed_is_known_before_the_names_and_exactly_after),
		test(too_many_links_are_refused_before_a_disk_is_looked_at),
		test(a_limit_cuts_the_last_rounds),
	};
	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
