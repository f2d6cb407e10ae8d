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
#include "run/run.h"

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
	char text[1024];

	(void)state;
	run.devices = (struct device_list){ .devices = devices, .count = 1 };
	run.target.identity = devices[0];
	struct block_device *identity = &run.target.identity;
	strcpy(identity->partlabel, "\x1b[2Jnothing\nwill be lost");
	strcpy(identity->signature_type, "ext4");
	memset(identity->signature_label, '\x1b', sizeof(identity->signature_label) - 1);
	run_announcement(&run, text, sizeof(text));
	assert_null(strchr(text, '\x1b'));
	assert_null(strstr(text, "\nwill be lost"));
	assert_non_null(strstr(text, "Fast SSD"));
	assert_non_null(strstr(text, "Everything on this partition will be lost.\n"));
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
	char text[1024];

	(void)state;
	run.progress = &progress;
	run.plan.redact = true;
	run.devices = (struct device_list){ .devices = devices, .count = 1 };
	run.target.identity = devices[0];
	assert_int_equal(journal_create(&run.journal, top_fd), 0);
	assert_int_equal(run_redact(&run), 0);
	run_announcement(&run, text, sizeof(text));
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
		test(a_redacted_run_names_no_disk),
		test(a_run_that_hides_nothing_is_left_as_it_is),
		test(what_is_written_counts_as_reported),
		test(a_report_that_could_not_be_written_does_not),
		test(mistakes_end_without_an_empty_line),
		test(nothing_is_reported_to_no_volume),
		test(who_stops_while_reading_or_naming_is_not_refused),
		test(what_is_needed_is_known_before_the_names_and_exactly_after),
		test(too_many_links_are_refused_before_a_disk_is_looked_at),
		test(a_limit_cuts_the_last_rounds),
	};
	return cmocka_run_group_tests_name("run", tests, NULL, NULL);
}
