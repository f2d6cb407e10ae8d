/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report object, from journals of artificial numbers, whole and cut. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "report_fixture.h"

#include "lib/error.h"

static const json_t *cell_of(const json_t *report, const char *filesystem, const char *operation,
			     const char *cache)
{
	const json_t *cell;
	size_t index;

	json_array_foreach(field(report, "summary"), index, cell)
		if (!strcmp(field_text(cell, "filesystem", ""), filesystem) &&
		    !strcmp(field_text(cell, "operation", ""), operation) &&
		    !strcmp(field_text(cell, "cache", ""), cache))
			return cell;
	return NULL;
}

static void assert_number(const json_t *object, const char *path, double value)
{
	assert_true(fabs(field_number(object, path) - value) < 1e-9);
}

static void assert_null_at(const json_t *object, const char *path)
{
	assert_true(json_is_null(field(object, path)));
}

static void golden_run(void **state)
{
	json_t *report = golden();

	(void)state;
	assert_string_equal(field_text(report, "schema", ""), "blitbench-report/1");
	assert_string_equal(field_text(report, "run.id", ""), "20010203-040506-beef");
	assert_string_equal(field_text(report, "run.status", ""), "complete");
	assert_null_at(report, "run.reason");
	assert_null_at(report, "run.rule");
	assert_string_equal(field_text(report, "run.started", ""), "2001-02-03T04:05:06Z");
	assert_string_equal(field_text(report, "run.finished", ""), "2001-02-03T05:05:06Z");
	assert_number(report, "run.seconds", 3600.5);
	assert_number(report, "run.trials", 28);
	assert_number(report, "run.valid_trials", 23);
	assert_string_equal(field_text(report, "run.image.version", ""), "9.9.9");
	assert_string_equal(field_text(report, "machine.virtual", ""), "qemu-tcg");
	assert_number(report, "machine.memory_bytes", 1073741824);
	assert_null_at(report, "machine.cpufreq.driver");
	assert_null_at(report, "machine.cpufreq.epp");
	assert_string_equal(field_text(report, "target.disk.model", ""), "Artificial SSD");
	assert_null_at(report, "target.disk.link_speed");
	assert_number(report, "workload.install_entries", 1200);
	assert_int_equal(json_array_size(field(report, "trials")), 28);
	assert_string_equal(json_string_value(json_array_get(field(report, "notes"), 0)),
			    "All numbers here are made up.");
	assert_null(json_object_get(field(report, "run"), "record"));
	json_decref(report);
}

static void golden_summary(void **state)
{
	json_t *report = golden();
	const json_t *cell = cell_of(report, "ext4", "remove", "hot");

	(void)state;
	/* Sessions of 1, 2, 9 and 4, 4, 4: the median of 2 and 4, not that of all six, which is 4.
	 */
	assert_number(cell, "median_seconds", 3);
	assert_number(cell, "min_seconds", 1);
	assert_number(cell, "max_seconds", 9);
	assert_number(cell, "n", 6);
	assert_number(cell, "sessions", 2);
	assert_number(cell, "threads", 1);
	assert_null_at(cell, "ci95_seconds");
	assert_null_at(cell, "strategy");
	assert_null_at(cell, "median_prune_seconds");
	/* 1000 entries: 500 per second in the first session, 250 in the second. */
	assert_number(cell, "median_entries_per_second", 375);
	assert_number(cell, "median_durable_seconds", 3.5);
	assert_number(cell, "median_reads_per_entry", 0);

	/* Of 10, 90, 20 the 90 is not cold: 15 and 30 remain. */
	cell = cell_of(report, "ext4", "remove", "cold");
	assert_number(cell, "median_seconds", 22.5);
	assert_number(cell, "max_seconds", 30);
	assert_number(cell, "n", 5);
	assert_number(cell, "median_write_bytes", 2 * 1048576);

	/* A whole session is not cold. */
	cell = cell_of(report, "xfs", "remove", "cold");
	assert_number(cell, "median_seconds", 3);
	assert_number(cell, "n", 3);
	assert_number(cell, "sessions", 1);
	json_decref(report);
}

static void a_cell_without_valid_trials_stays(void **state)
{
	json_t *report = golden();
	const json_t *cell = cell_of(report, "xfs", "install", "cold");

	(void)state;
	assert_non_null(cell);
	assert_number(cell, "n", 0);
	assert_number(cell, "sessions", 0);
	assert_null_at(cell, "median_seconds");
	assert_null_at(cell, "min_seconds");
	assert_null_at(cell, "max_seconds");
	assert_null_at(cell, "ci95_seconds");
	assert_null_at(cell, "median_entries_per_second");
	json_decref(report);
}

static void a_session_told_twice_is_one(void **state)
{
	static const char *const order[] = { "ext4", "xfs", "xfs", "ext4" };
	json_t *report = golden();
	const json_t *session;
	size_t index;

	(void)state;
	assert_int_equal(json_array_size(field(report, "sessions")), ARRAY_LENGTH(order));
	json_array_foreach(field(report, "sessions"), index, session) {
		assert_string_equal(field_text(session, "filesystem", ""), order[index]);
		assert_string_equal(field_text(session, "status", ""), "complete");
		assert_string_equal(field_text(session, "fsck.status", ""), "clean");
		assert_null_at(session, "discard.detail");
	}
	json_decref(report);
}

/* The keys of docs/report.md, whatever the journal holds. */
static void all_keys_are_there_without_any_record(void **state)
{
	static const char *const paths[] = {
		"run.id", "run.reason", "run.rule", "run.profile", "run.started", "run.finished",
		"run.seconds", "run.image.version", "run.image.digest", "run.kernel.release",
		"run.kernel.cmdline", "machine.virtual", "machine.cpu.model", "machine.cpu.cores",
		"machine.cpu.threads", "machine.cpu.microcode", "machine.memory_bytes",
		"machine.dmi", "machine.cpufreq.driver", "machine.cpufreq.governor_requested",
		"machine.cpufreq.governor", "machine.cpufreq.epp", "machine.cpufreq.boost",
		"machine.cpufreq.mode", "machine.cpufreq.governor_held",
		"machine.cpufreq.epp_requested", "machine.cpufreq.epp_held",
		"machine.cpufreq.boost_requested", "machine.cpufreq.boost_held",
		"machine.cpufreq.policies", "machine.cpufreq.settings",
		"target.partlabel", "target.partuuid", "target.size_bytes", "target.disk.model",
		"target.disk.serial", "target.disk.firmware", "target.disk.transport",
		"target.disk.rotational", "target.disk.scheduler", "target.disk.write_cache",
		"target.disk.queue_depth", "target.disk.link_speed", "target.disk.size_bytes",
		"workload.name", "workload.digest", "workload.entries", "workload.files",
		"workload.symlinks", "workload.directories", "workload.assets", "workload.bytes",
	};
	json_t *lines = json_array(), *report = report_build(lines);

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(paths); i++)
		if (strcmp(paths[i], "run.reason"))
			assert_null_at(report, paths[i]);
	assert_string_equal(field_text(report, "run.status", ""), "partial");
	assert_int_equal(json_array_size(field(report, "sessions")), 0);
	assert_true(json_is_array(field(report, "trials")));
	assert_true(json_is_array(field(report, "summary")));
	json_decref(lines);
	json_decref(report);
}

/* Every key of a report stands in its documentation; what travels through as it is does not. */
static void assert_documented(const char *document, const json_t *value)
{
	static const char *const as_it_is[] = { "config", "features", "dmi", "vulnerabilities" };
	const json_t *inner;
	const char *key;
	size_t index;

	json_array_foreach(value, index, inner)
		assert_documented(document, inner);
	json_object_foreach((json_t *)value, key, inner) {
		bool skip = false;

		if (!strstr(document, key))
			fail_msg("docs/report.md does not know the key %s", key);
		for (size_t i = 0; i < ARRAY_LENGTH(as_it_is); i++)
			skip = skip || !strcmp(key, as_it_is[i]);
		if (!skip)
			assert_documented(document, inner);
	}
}

static void every_key_is_documented(void **state)
{
	_cleanup_free_ char *document = slurp("docs/report.md");
	json_t *report = golden();

	(void)state;
	assert_documented(document, report);
	json_decref(report);
}

static void interval_from_six_sessions_on(void **state)
{
	struct trial_record trial = example_trial();
	json_t *lines = json_array(), *report;
	const json_t *cell;
	char *table;

	(void)state;
	for (unsigned round = 1; round <= 6; round++) {
		trial.round = round;
		trial.seconds = 10 - round;
		json_array_append_new(lines, trial_to_json(&trial));
	}
	report = report_build(lines);
	cell = cell_of(report, "ext4", "remove", "hot");
	assert_number(cell, "sessions", 6);
	assert_number(cell, "median_seconds", 6.5);
	assert_int_equal(json_array_size(field(cell, "ci95_seconds")), 2);
	assert_true(json_number_value(json_array_get(field(cell, "ci95_seconds"), 0)) == 4);
	assert_true(json_number_value(json_array_get(field(cell, "ci95_seconds"), 1)) == 9);
	table = report_table(report);
	assert_null(strstr(table, "no interval"));
	free(table);
	json_decref(lines);
	json_decref(report);
}

static void a_wrong_trial_line_is_left_out_and_noted(void **state)
{
	struct trial_record trial = example_trial();
	json_t *lines = json_array(), *bad = trial_to_json(&trial), *report;

	(void)state;
	json_object_set_new(bad, "seconds", json_string("fast"));
	json_array_append_new(lines, trial_to_json(&trial));
	json_array_append_new(lines, bad);
	report = report_build(lines);
	assert_int_equal(json_array_size(field(report, "trials")), 1);
	assert_non_null(strstr(json_string_value(json_array_get(field(report, "notes"), 0)),
			       "Line 2 of the journal is left out: trial: \"seconds\""));
	json_decref(lines);
	json_decref(report);
	assert_null(report_build(NULL));
}

static void what_is_told_twice_counts_once(void **state)
{
	struct trial_record trial = example_trial();
	json_t *lines = json_array(), *report;

	(void)state;
	for (int i = 0; i < 2; i++) {
		json_array_append_new(lines, json_pack("{s:s, s:s}", "record", "run", "id", "one"));
		json_array_append_new(lines, trial_to_json(&trial));
	}
	trial.number++;
	json_array_append_new(lines, trial_to_json(&trial));
	report = report_build(lines);
	assert_int_equal(json_array_size(field(report, "trials")), 2);
	assert_string_equal(json_string_value(json_array_get(field(report, "notes"), 0)),
			    "Line 4 of the journal is left out: it tells a trial again.");
	json_decref(report);
	/* Another run's lines are no part of this one's. */
	json_array_append_new(lines, json_pack("{s:s, s:s}", "record", "run", "id", "two"));
	assert_null(report_build(lines));
	assert_non_null(strstr(error_text(), "more than one run"));
	json_decref(lines);
}

/* --- a long run ----------------------------------------------------------------------------- */

/* What was ever allocated for JSON. */
static struct {
	size_t count, bytes;
} allocated;

static void *count_malloc(size_t size)
{
	allocated.count++;
	allocated.bytes += size;
	return malloc(size);
}

/* Renders a run of so many rounds, of 40 cells and five trials each. */
static void render_long_run(unsigned rounds)
{
	struct trial_record trial = example_trial();
	json_t *lines, *report;

	allocated.count = allocated.bytes = 0;
	lines = json_array();
	for (unsigned i = 0; i < rounds * 200; i++) {
		trial.round = 1 + i / 200;
		trial.number = 1 + i % 5;
		snprintf(trial.cell.engine, sizeof(trial.cell.engine), "engine-%u", i / 5 % 40);
		json_array_append_new(lines, trial_to_json(&trial));
	}
	report = report_build(lines);
	json_decref(lines);
	free(report_json(report));
	free(report_text(report));
	free(report_csv(report));
	free(report_html(report));
	free(report_lava(report));
	json_decref(report);
}

/* Twice as many trials take twice as much, and no trial much more than what it tells. */
static void what_a_long_run_takes_grows_with_its_trials_alone(void **state)
{
	size_t count, bytes;

	(void)state;
	json_set_alloc_funcs(count_malloc, free);
	render_long_run(2);
	count = allocated.count;
	bytes = allocated.bytes;
	render_long_run(4);
	json_set_alloc_funcs(malloc, free);
	assert_true(allocated.count < count * 21 / 10);
	assert_true(allocated.bytes < bytes * 21 / 10);
	assert_true(allocated.bytes / 800 < 32 * 1024);
}

/* Records of the right name and the wrong insides must not make a crash or lose the shape. */
static void odd_records_keep_the_shape(void **state)
{
	json_t *lines = json_loads("[{\"record\":\"machine\",\"cpu\":7,\"cpufreq\":null},"
				   "{\"record\":\"target\",\"disk\":\"x\"},"
				   "{\"record\":\"session\",\"mkfs\":[],\"round\":{}},"
				   "{\"record\":\"verdict\",\"status\":5},"
				   "{\"record\":\"verdict\",\"status\":\"splendid\"},"
				   "{\"record\":\"note\",\"text\":{}},"
				   "{\"record\":\"of the future\"}]", 0, NULL);
	json_t *report = report_build(lines);
	char *text = report_text(report);

	(void)state;
	assert_null_at(report, "machine.cpu.model");
	assert_null_at(report, "machine.cpufreq.driver");
	assert_null_at(report, "target.disk.model");
	assert_string_equal(field_text(report, "run.status", ""), "partial");
	assert_non_null(text);
	free(text);
	json_decref(lines);
	json_decref(report);
}

/* --- cut journals --------------------------------------------------------------------------- */

static void assert_torn_line_is_named(const char *text, size_t number)
{
	char note[64];

	snprintf(note, sizeof(note), "Line %zu of the journal could not be read", number);
	assert_non_null(strstr(text, note));
}

/* A row for each trial below the header. */
static void assert_rows(const json_t *report)
{
	char *csv = report_csv(report);
	size_t rows = 0;

	for (const char *at = csv; *at; at++)
		rows += *at == '\n';
	assert_int_equal(rows, 1 + json_array_size(field(report, "trials")));
	free(csv);
}

/* Beside the ends of lines everywhere, and within them, unless it shall be thorough, at every
 * fourth byte. */
static bool is_cut_there(const char *whole, size_t cut)
{
	return !cut || whole[cut - 1] == '\n' || whole[cut] == '\n' || cut % 4 == 0 ||
	       getenv("BLITBENCH_THOROUGH");
}

static void a_journal_cut_anywhere_gives_a_partial_report(void **state)
{
	const struct folder *folder = *state;
	_cleanup_free_ char *whole = NULL;
	size_t length, line_ends = 0;

	write_short_journal(folder);
	whole = slurp(folder->journal);
	length = strlen(whole);
	for (size_t cut = 0; cut + 1 < length; cut++) {
		unsigned damaged;
		json_t *report;
		char *text;

		line_ends += cut && whole[cut - 1] == '\n';
		if (!is_cut_there(whole, cut))
			continue;
		assert_int_equal(truncate(folder->journal, 0), 0);
		{
			_cleanup_fclose_ FILE *file = fopen(folder->journal, "w");

			assert_int_equal(fwrite(whole, 1, cut, file), cut);
		}
		report = report_of(folder->journal, &damaged);
		/* A line is whole already when only its end of line is missing. */
		assert_int_equal(damaged, cut && whole[cut - 1] != '\n' && whole[cut] != '\n');
		assert_string_equal(field_text(report, "run.status", ""), "partial");
		assert_int_equal(json_array_size(field(report, "trials")),
				 line_ends + (whole[cut] == '\n') < 4 ? 0 :
				 line_ends + (whole[cut] == '\n') - 3);
		text = report_text(report);
		assert_non_null(strstr(text, "PARTIAL: The journal ends without a verdict"));
		if (damaged)
			assert_torn_line_is_named(text, line_ends + 1);
		free(text);
		assert_rows(report);
		if (cut % 8 == 0)
			free(report_html(report));
		json_decref(report);
	}
}

static void a_session_cut_short_is_incomplete(void **state)
{
	const struct folder *folder = *state;
	json_t *report;
	unsigned damaged;

	write_short_journal(folder);
	report = report_of(folder->journal, &damaged);
	assert_string_equal(field_text(json_array_get(field(report, "sessions"), 0), "status", ""),
			    "incomplete");
	assert_string_equal(field_text(report, "run.status", ""), "complete");
	json_decref(report);
}

static void how_the_disk_was_is_told(void **state)
{
	json_t *lines = json_pack(
		"[{s:s,s:b,s:{s:s}},{s:s,s:s,s:{s:{s:f,s:I},s:{s:f,s:f,s:I,s:I}}}]", "record", "target",
		"aligned", 0, "disk", "link_power_policy", "min_power", "record", "session",
		"filesystem", "ext4", "drive", "before", "temperature_celsius", 31.0,
		"written_bytes", (json_int_t)0, "after", "temperature_celsius", 33.0, "wear_percent",
		3.0, "written_bytes", (json_int_t)3 << 29, "power_on_hours", (json_int_t)120);
	json_t *report = report_build(lines);
	char *text = report_text(report);

	(void)state;
	assert_non_null(strstr(text, "link power min_power"));
	assert_non_null(strstr(text, "does not begin on one of its"));
	assert_non_null(strstr(text, "  drive         31 C before, 33 C after, wear 3 %, 1.50 GiB "
				     "written meanwhile,"));
	assert_non_null(strstr(text, "120 hours on"));
	free(text);
	json_decref(report);
	json_decref(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(how_the_disk_was_is_told),
		cmocka_unit_test(golden_run),
		cmocka_unit_test(golden_summary),
		cmocka_unit_test(a_cell_without_valid_trials_stays),
		cmocka_unit_test(a_session_told_twice_is_one),
		cmocka_unit_test(all_keys_are_there_without_any_record),
		cmocka_unit_test(every_key_is_documented),
		cmocka_unit_test(interval_from_six_sessions_on),
		cmocka_unit_test(a_wrong_trial_line_is_left_out_and_noted),
		cmocka_unit_test(odd_records_keep_the_shape),
		cmocka_unit_test(what_is_told_twice_counts_once),
		cmocka_unit_test(what_a_long_run_takes_grows_with_its_trials_alone),
		in_folder(a_journal_cut_anywhere_gives_a_partial_report),
		in_folder(a_session_cut_short_is_incomplete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
