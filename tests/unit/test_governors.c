/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trials of a session under each governor: in which order, under what, and told as what. */
#include "engine_fixture.h"

#include "lib/clock.h"
#include "lib/sysfs.h"
#include "report/report.h"
#include "run/trials.h"

static const char tree[] = "#mtree\n"
			   "./usr type=dir mode=0755\n"
			   "./usr/bin/a type=file mode=0755 size=500 inode=1\n"
			   "./usr/bin/b type=file mode=0644 size=20 inode=2\n";

static struct plan plan; /* large */
static struct hold *hold;
static const struct filesystem fs = { .name = "tmpfs", .type = "tmpfs", .variant = "default" };
static const struct cache_counters pinned;

static int set_up(void **state)
{
	if (make_engine_test(state))
		return -1;
	put_text("tree.mtree", tree);
	if (workload_read(&workload, "test", in_top("tree.mtree"), NULL, NULL) ||
	    contents_name(&workload.contents, 1, 1, NULL))
		return -1;
	make_site(in_top("site"));
	plan = (struct plan){
		.engines = { engine_find("moss-2025"), engine_find("primed") },
		.engine_count = 2,
		.strategies = { STRATEGY_AUTO },
		.strategy_count = 1,
		.threads = 1,
		.caches = { CACHE_HOT },
		.cache_count = 1,
		.operations = { OPERATION_REMOVE },
		.operation_count = 1,
		.trials = 1,
		.rounds = 2,
		.governors = { "performance", "powersave" },
		.governor_count = 2,
		.epp = "",
	};
	return 0;
}

/* acpi-cpufreq, which does nothing besides what is written. */
static void put_policy(void)
{
	assert_int_equal(run_shell("mkdir -p sys/devices/system/cpu/cpufreq/policy0 && "
				   "cd sys/devices/system/cpu/cpufreq/policy0 && "
				   "echo ondemand > scaling_governor && "
				   "echo acpi-cpufreq > scaling_driver && "
				   "echo ondemand performance powersave > scaling_available_governors"),
			 0);
}

/* The governor that is in force each time the progress is told something. */
static char in_force[64][16];
static unsigned told_count;

static void note_governor(void *context, const char *line)
{
	(void)context;
	if (strstr(line, "entries blitted") && told_count < ARRAY_LENGTH(in_force)) {
		sysfs_read(in_force[told_count], sizeof(in_force[0]), top,
			   "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor");
		told_count++;
	}
}

static json_t *trials_of_round(unsigned round)
{
	const struct progress progress = { .say = note_governor };
	struct journal *journal;
	unsigned unverified = 0;

	assert_int_equal(journal_create(&journal, -1), 0);
	const struct session_request request = {
		.plan = &plan,
		.workload = &workload,
		.fs = &fs,
		.fanout = site.fanout,
		.name = "tmpfs",
		.journal = journal,
		.progress = &progress,
		.path = site.path,
		.hold = hold,
		.run_started = clock_boot_seconds(),
		.round = round,
		.unverified = &unverified,
	};
	told_count = 0;
	if (trials_run(&request, &site, &pinned))
		fail_msg("%s", error_text());
	assert_int_equal(unverified, 0);
	json_t *report = report_build(journal_lines(journal));
	assert_non_null(report);
	journal_close(journal);
	return report;
}

static void open_hold(void)
{
	static const char *const governors[] = { "performance", "powersave" };
	const struct hold_request request = { .governors = governors, .governor_count = 2, .epp = "" };

	if (hold_open(&hold, &request, top))
		fail_msg("%s", error_text());
}

static void each_engine_under_each_governor_in_turn(void **state)
{
	static const struct {
		const char *engine, *governor;
	} expected[2][4] = {
		{ { "moss-2025", "performance" },
		  { "moss-2025", "powersave" },
		  { "primed", "performance" },
		  { "primed", "powersave" } },
		{ { "primed", "powersave" },
		  { "primed", "performance" },
		  { "moss-2025", "powersave" },
		  { "moss-2025", "performance" } },
	};

	(void)state;
	put_policy();
	open_hold();
	for (unsigned round = 1; round <= 2; round++) {
		json_t *report = trials_of_round(round);
		const json_t *trials = json_object_get(report, "trials"), *trial;
		double last = 0;
		size_t index;

		assert_int_equal(json_array_size(trials), 4);
		assert_int_equal(json_array_size(json_object_get(report, "summary")), 4);
		assert_int_equal(told_count, 4);
		json_array_foreach(trials, index, trial) {
			double at = json_number_value(json_object_get(trial, "at_seconds"));

			assert_string_equal(json_string_value(json_object_get(trial, "engine")),
					    expected[round - 1][index].engine);
			assert_string_equal(json_string_value(json_object_get(trial, "governor")),
					    expected[round - 1][index].governor);
			assert_string_equal(in_force[index], expected[round - 1][index].governor);
			assert_true(at > last);
			last = at;
			assert_non_null(json_object_get(json_object_get(trial, "details"), "machine"));
		}
		json_decref(report);
	}
	assert_int_equal(hold_release(hold), 0);
	sysfs_read(in_force[0], sizeof(in_force[0]), top,
		   "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor");
	assert_string_equal(in_force[0], "ondemand");
}

static void without_a_driver_there_is_one_set_of_trials(void **state)
{
	(void)state;
	open_hold();
	assert_false(hold_has_driver(hold));
	plan_forget_governors(&plan);
	json_t *report = trials_of_round(1);
	const json_t *trials = json_object_get(report, "trials"), *trial;
	size_t index;

	assert_int_equal(json_array_size(trials), 2);
	json_array_foreach(trials, index, trial)
		assert_true(json_is_null(json_object_get(trial, "governor")));
	json_decref(report);
	assert_int_equal(hold_release(hold), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_engine_under_each_governor_in_turn, set_up,
						remove_engine_test),
		cmocka_unit_test_setup_teardown(without_a_driver_there_is_one_set_of_trials, set_up,
						remove_engine_test),
	};

	return cmocka_run_group_tests_name("governors", tests, NULL, NULL);
}
