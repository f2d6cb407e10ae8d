/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as a person reads it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "report_fixture.h"

static void golden_text(void **state)
{
	json_t *report = golden();
	char *text = report_text(report), *expected = slurp(GOLDEN_TEXT), *table;

	(void)state;
	assert_string_equal(text, expected);
	table = report_table(report);
	assert_non_null(strstr(expected, table));
	assert_non_null(strstr(table, "fresh filesystem, virtual machine (qemu-tcg)\n"));
	assert_non_null(strstr(table, "no interval: fewer than six sessions\n"));
	free(table);
	free(expected);
	free(text);
	json_decref(report);
}

/* Counts as a terminal does, independently of the code under test; only two kinds of letters occur.
 */
static void assert_fits(const char *text)
{
	const char *line = text;
	size_t columns = 0;

	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		assert_true(*at == '\n' || *at >= ' ');
		assert_int_not_equal(*at, 0x7f);
		if (*at == '\n') {
			columns = 0;
			line = (const char *)at + 1;
		} else if (*at < 0x80)
			columns++;
		else if (*at >= 0xe0 && *at < 0xf0)
			columns += 2; /* a letter of China */
		else if (*at >= 0xc0)
			columns++;
		if (columns > 80)
			fail_msg("over 80 columns: %.200s", line);
	}
}

static const char *const hostile[] = {
	"a",
	"\x1b[2J\x1b]0;title\x07",
	"\"quoted\" <b>&amp;</b> 'and' \\n",
	"\xff\xfe\x80 cut \xe6\xbc",
	"\xe2\x80\xae" "backwards\xc2\x9b",
	"tabs\tand\r\nlines",
	"\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2",
	"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
};

/* The same words again and again, joined or with blanks, up to some hundred bytes. */
static json_t *long_text(const char *words, bool blanks)
{
	char text[700] = "";

	while (strlen(text) + strlen(words) + 2 < sizeof(text)) {
		strcat(text, words);
		if (blanks)
			strcat(text, " ");
	}
	return json_text(text);
}

static json_t *hostile_lines(const char *words, bool blanks)
{
	struct trial_record trial = example_trial();
	json_t *lines = json_array();

	snprintf(trial.cell.filesystem, sizeof(trial.cell.filesystem), "%s%s", words, words);
	snprintf(trial.cell.variant, sizeof(trial.cell.variant), "%s%s", words, words);
	snprintf(trial.cell.engine, sizeof(trial.cell.engine), "%s%s", words, words);
	snprintf(trial.cell.operation, sizeof(trial.cell.operation), "%s", words);
	trial_flag(&trial, words, FLAG_INVALID, "%s%s%s%s", words, words, words, words);
	json_array_append_new(lines, trial_to_json(&trial));
	trial.seconds = 1e300;
	trial.entries = INT64_MAX;
	trial.durable_seconds = -1e300;
	trial.round = UINT32_MAX;
	trial.verified = false;
	json_array_append_new(lines, trial_to_json(&trial));
	trial = example_trial();
	trial.seconds = 1e-300;
	trial.io.reads = INT64_MAX;
	json_array_append_new(lines, trial_to_json(&trial));
	json_array_append_new(lines, json_pack("{s:s, s:o, s:o, s:o}", "record", "run", "id",
		long_text(words, blanks), "profile", long_text(words, blanks), "kernel",
		long_text(words, blanks)));
	json_array_append_new(lines, json_pack("{s:s, s:o, s:{s:o, s:i}, s:f, s:{s:o, s:o}}",
		"record", "machine", "virtual", long_text(words, blanks), "cpu", "model",
		long_text(words, blanks), "cores", 1, "memory_bytes", 1e300, "cpufreq", "driver",
		long_text(words, blanks), "governor", long_text(words, blanks)));
	json_array_append_new(lines, json_pack("{s:s, s:o, s:{s:o, s:o}}", "record", "target",
		"partlabel", long_text(words, blanks), "disk", "model", long_text(words, blanks),
		"serial", long_text(words, blanks)));
	json_array_append_new(lines, json_pack("{s:s, s:o}", "record", "workload", "name",
		long_text(words, blanks)));
	json_array_append_new(lines, json_pack("{s:s, s:o, s:o, s:{s:[o, o]}, s:{s:o}}", "record",
					       "session", "filesystem", long_text(words, blanks),
					       "features", long_text(words, blanks), "mkfs", "argv",
					       long_text(words, blanks), json_text(words), "mount",
					       "options", long_text(words, blanks)));
	json_array_append_new(lines, json_pack("{s:s, s:o}", "record", "note", "text",
		long_text(words, blanks)));
	json_array_append_new(lines,
			      json_pack("{s:s, s:s, s:o, s:o}", "record", "verdict", "status",
					"failed", "reason", long_text(words, blanks), "rule",
					long_text(words, blanks)));
	return lines;
}

static void hostile_strings_stay_in_80_columns(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2 * ARRAY_LENGTH(hostile); i++) {
		json_t *lines = hostile_lines(hostile[i / 2], i % 2), *report = report_build(lines);
		char *text = report_text(report), *table = report_table(report);
		char *json = report_json(report);
		json_t *back = json_loads(json, 0, NULL);

		assert_int_equal(json_array_size(field(report, "trials")), 3);
		assert_fits(text);
		assert_fits(table);
		assert_same_json(back, report);
		json_decref(back);
		free(json);
		free(text);
		free(table);
		json_decref(report);
		json_decref(lines);
	}
}

static void how_the_wait_before_a_session_ended_is_told(void **state)
{
	static const char *const cases[][2] = {
		{ "cool", "  machine       cool and idle, after 2.500 s, processor 45.500 C\n" },
		{ "limit", "  machine       not cool, or not idle, after 2.500 s, processor 45.500 C\n" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		json_t *report = golden();

		json_object_set_new(json_array_get(json_object_get(report, "sessions"), 0), "cooling",
				    json_pack("{s:s, s:f, s:f, s:n}", "result", cases[i][0], "seconds",
					      2.5, "package_celsius", 45.5, "drive_celsius"));
		char *text = report_text(report);
		assert_non_null(strstr(text, cases[i][1]));
		free(text);
		json_decref(report);
	}
}

/* Mount options are one word; its lines joined again are the whole list. */
static void lists_are_broken_behind_commas(void **state)
{
	static const char options[] =
		"rw,lazytime,relatime,background_gc=on,nogc_merge,nodiscard,user_xattr,inline_xattr,"
		"acl,inline_data,inline_dentry,flush_merge,barrier,extent_cache,mode=adaptive";
	json_t *report = golden();
	json_t *session = json_array_get(json_object_get(report, "sessions"), 0);
	char joined[sizeof(options)] = "";
	unsigned lines = 0;

	(void)state;
	json_object_set_new(json_object_get(session, "mount"), "effective", json_string(options));
	json_object_set_new(session, "features", json_pack("{s:[]}", "features"));
	char *text = report_text(report);
	assert_fits(text);
	assert_non_null(strstr(text, "features: none\n"));
	for (char *line = strstr(text, "rw,lazytime"); strlen(joined) < strlen(options); lines++) {
		size_t length = strcspn(line, "\n");

		assert_true(strlen(joined) + length < sizeof(joined));
		strncat(joined, line, length);
		assert_true(line[length - 1] == ',' || !strcmp(joined, options));
		line += length + 1;
		line += strspn(line, " ");
	}
	assert_string_equal(joined, options);
	assert_in_range(lines, 3, 4);
	free(text);
	json_decref(report);
}

static void content_and_age_stand_beside_the_figures(void **state)
{
	struct trial_record trial = example_trial();
	json_t *lines = json_array(), *report;

	(void)state;
	json_array_append_new(lines, json_pack("{s:s, s:s, s:s, s:i}", "record", "workload", "name",
					       "w", "content", "capped:4096", "special", 3));
	json_array_append_new(lines,
			      json_pack("{s:s, s:i, s:s, s:i, s:{s:i, s:i, s:i, s:i, s:f}}", "record",
					"session", "round", 1, "filesystem", "ext4", "age", 20,
					"ageing", "kept_states", 5, "assets_written", 70,
					"bytes_written", 2048, "assets_removed", 60, "seconds", 1.5));
	json_array_append_new(lines, trial_to_json(&trial));
	report = report_build(lines);
	char *table = report_table(report), *text = report_text(report);
	assert_non_null(strstr(table, "\naged 20, content capped:4096\n"));
	assert_non_null(strstr(text, "content capped:4096, 3 devices, pipes and sockets"));
	assert_non_null(strstr(text, "Round 1, ext4, aged 20"));
	assert_non_null(strstr(text, "  ageing        5 old states, 70 assets, 2.0 KiB written, "
				     "60 removed, 1.500 s\n"));
	free(table);
	free(text);
	json_decref(report);
	json_decref(lines);
}

static void add_trial_under(json_t *lines, const char *governor, const char *variant,
			    const char *engine, const char *strategy, const char *store,
			    const char *cache, double seconds)
{
	struct trial_record trial = example_trial();
	bool primed = !strcmp(engine, "primed");

	snprintf(trial.cell.filesystem, sizeof(trial.cell.filesystem), "xfs");
	snprintf(trial.cell.variant, sizeof(trial.cell.variant), "%s", variant);
	snprintf(trial.cell.engine, sizeof(trial.cell.engine), "%s", engine);
	snprintf(trial.cell.strategy, sizeof(trial.cell.strategy), "%s", strategy);
	snprintf(trial.cell.store, sizeof(trial.cell.store), "%s", store);
	snprintf(trial.cell.governor, sizeof(trial.cell.governor), "%s", governor);
	snprintf(trial.cell.cache, sizeof(trial.cell.cache), "%s", cache);
	snprintf(trial.cell.operation, sizeof(trial.cell.operation), "remove");
	trial.cell.threads = strcmp(engine, "moss-2026") ? 1 : 2;
	trial.entries = 1000;
	trial.seconds = seconds;
	trial.io.reads = strcmp(cache, "hot") ? 100 : 0;
	json_decref(trial.details);
	trial.details = primed ? json_pack("{s:f, s:i}", "prime_seconds", 9.0, "prime_reads", 50)
			       : NULL;
	json_array_append_new(lines, trial_to_json(&trial));
	json_decref(trial.details);
}

static void add_trial(json_t *lines, const char *variant, const char *engine, const char *strategy,
		      const char *store, const char *cache, double seconds)
{
	add_trial_under(lines, "", variant, engine, strategy, store, cache, seconds);
}

static void assert_table(json_t *lines, const char *expected)
{
	json_t *report = report_build(lines);
	char *table = report_table(report), *text = report_text(report);

	assert_string_equal(table, expected);
	assert_non_null(strstr(text, table));
	assert_fits(text);
	free(table);
	free(text);
	json_decref(report);
	json_decref(lines);
}

static void engines_and_variants_stand_in_blocks_and_are_compared(void **state)
{
	json_t *lines = json_array();

	(void)state;
	add_trial(lines, "default", "moss-2025", "hardlink", "3x2", "hot", 2);
	add_trial(lines, "default", "moss-2025", "hardlink", "3x2", "cold", 20);
	add_trial(lines, "default", "moss-2026", "hardlink", "3x2", "cold", 5);
	add_trial(lines, "default", "moss-2026", "reflink", "3x2", "hot", 8);
	add_trial(lines, "default", "primed", "hardlink", "3x2", "cold", 1);
	add_trial(lines, "parent", "primed", "hardlink", "3x2", "cold", 1);
	assert_table(lines,
		"Workload unknown, unknown entries: median seconds until the last one exists.\n"
		"All rows: store 3x2.\n"
		"\n"
		"                              hot             cold              reads per entry\n"
		"                     seconds     k/s  seconds     k/s  cold:hot     hot    cold\n"
		"\n"
		"moss-2025, 1 thread:\n"
		"xfs         remove      2.00   0.500    20.00   0.050      10.0   0.000   0.100\n"
		"\n"
		"moss-2026 hardlink, 2 threads:\n"
		"xfs         remove         -       -     5.00   0.200         -       -   0.100\n"
		"\n"
		"moss-2026 reflink, 2 threads:\n"
		"xfs         remove      8.00   0.125        -       -         -   0.000       -\n"
		"\n"
		"primed, 1 thread:\n"
		"xfs         remove         -       -     1.00     1.0         -       -   0.100\n"
		"xfs-parent  remove         -       -     1.00     1.0         -       -   0.100\n"
		"\n"
		"no interval: fewer than six sessions\n"
		"partial run: not all of the plan was measured\n"
		"no ranking: fewer than six sessions\n"
		"\n"
		"Engines: times as fast as moss-2025 with the same cache and store\n"
		"                                             hot                  cold\n"
		"\n"
		"xfs, remove                          seconds  reads  times seconds  reads  times\n"
		"moss-2025, 1 thread                     2.00  0.000   1.00   20.00  0.100   1.00\n"
		"moss-2026 hardlink, 2 threads              -      -      -    5.00  0.100   4.00\n"
		"moss-2026 reflink, 2 threads            8.00  0.000   0.25       -      -      -\n"
		"primed, 1 thread                           -      -      -    1.00  0.100   20.0\n"
		"  and the priming before it                -      -      -   10.00  0.150   2.00\n"
		"\n"
		"xfs-parent, remove                   seconds  reads  times seconds  reads  times\n"
		"primed, 1 thread                           -      -      -    1.00  0.100      -\n"
		"  and the priming before it                -      -      -   10.00  0.150      -\n");
}

static void stores_are_compared_with_moss_s(void **state)
{
	json_t *lines = json_array();

	(void)state;
	add_trial(lines, "default", "moss-2025", "hardlink", "flat", "hot", 1.5);
	add_trial(lines, "default", "moss-2025", "hardlink", "3x2", "hot", 3);
	add_trial(lines, "default", "moss-2025", "hardlink", "flat", "cold", 2);
	add_trial(lines, "default", "moss-2025", "hardlink", "3x2", "cold", 40);
	assert_table(lines,
		"Workload unknown, unknown entries: median seconds until the last one exists.\n"
		"All rows: moss-2025, 1 thread.\n"
		"\n"
		"                              hot             cold              reads per entry\n"
		"                     seconds     k/s  seconds     k/s  cold:hot     hot    cold\n"
		"\n"
		"store flat:\n"
		"xfs         remove      1.50   0.667     2.00   0.500      1.33   0.000   0.100\n"
		"\n"
		"store 3x2:\n"
		"xfs         remove      3.00   0.333    40.00   0.025      13.3   0.000   0.100\n"
		"\n"
		"no interval: fewer than six sessions\n"
		"partial run: not all of the plan was measured\n"
		"\n"
		"Stores: times as fast as with moss's own, 3x2, with the same engine and cache\n"
		"                                             hot                  cold\n"
		"\n"
		"xfs, remove                          seconds  reads  times seconds  reads  times\n"
		"store flat                              1.50  0.000   2.00    2.00  0.100   20.0\n"
		"store 3x2                               3.00  0.000   1.00   40.00  0.100   1.00\n");
}

static void governors_stand_in_blocks_and_are_compared(void **state)
{
	json_t *lines = json_array();

	(void)state;
	add_trial_under(lines, "powersave", "default", "moss-2025", "hardlink", "3x2", "hot", 4);
	add_trial_under(lines, "performance", "default", "moss-2025", "hardlink", "3x2", "hot", 2);
	add_trial_under(lines, "", "default", "moss-2025", "hardlink", "3x2", "hot", 2.5);
	assert_table(lines,
		"Workload unknown, unknown entries: median seconds until the last one exists.\n"
		"All rows: moss-2025, 1 thread, store 3x2.\n"
		"\n"
		"                              hot             cold              reads per entry\n"
		"                     seconds     k/s  seconds     k/s  cold:hot     hot    cold\n"
		"\n"
		"governor powersave:\n"
		"xfs         remove      4.00   0.250        -       -         -   0.000       -\n"
		"\n"
		"governor performance:\n"
		"xfs         remove      2.00   0.500        -       -         -   0.000       -\n"
		"\n"
		"governor as found:\n"
		"xfs         remove      2.50   0.400        -       -         -   0.000       -\n"
		"\n"
		"no interval: fewer than six sessions\n"
		"partial run: not all of the plan was measured\n"
		"\n"
		"Governors: times as fast as with performance, with the same engine and store\n"
		"                                             hot                  cold\n"
		"\n"
		"xfs, remove                          seconds  reads  times seconds  reads  times\n"
		"governor powersave                      4.00  0.000   0.50       -      -      -\n"
		"governor performance                    2.00  0.000   1.00       -      -      -\n"
		"governor as found                       2.50  0.000   0.80       -      -      -\n");
}

static json_t *run_of_two(unsigned valid)
{
	json_t *lines = json_array(), *report;

	for (unsigned i = 0; i < 2; i++) {
		struct trial_record trial = example_trial();

		trial.number = i + 1;
		if (i >= valid)
			trial_flag(&trial, "not-hot", FLAG_INVALID, "1.5 reads for each entry");
		json_array_append_new(lines, trial_to_json(&trial));
	}
	json_array_append_new(lines, json_pack("{s:s, s:s}", "record", "verdict", "status", "complete"));
	report = report_build(lines);
	json_decref(lines);
	return report;
}

/* Not only in a table further down: a complete run is not yet one with figures. */
static void trials_that_do_not_count_are_told_first(void **state)
{
	static const char *const firsts[] = {
		"Complete: every trial of the plan was made.\nNONE OF THE 2 TRIALS COUNTS: the flags below say why.\n\n",
		"Complete: every trial of the plan was made.\n1 of 2 trials do not count: the flags below "
		"say why.\n\n",
		"Complete: every trial of the plan was made.\n\n",
	};

	(void)state;
	for (unsigned valid = 0; valid < ARRAY_LENGTH(firsts); valid++) {
		json_t *report = run_of_two(valid);
		char *text = report_text(report);

		assert_int_equal(field_number(report, "run.trials"), 2);
		assert_int_equal(field_number(report, "run.valid_trials"), valid);
		assert_non_null(strstr(text, firsts[valid]));
		free(text);
		json_decref(report);
	}
}

static void a_refusal_is_told_first(void **state)
{
	const struct folder *folder = *state;
	struct journal *journal;
	json_t *report;
	char *text, *sentence;

	assert_int_equal(journal_create(&journal, folder->fd), 0);
	journal_verdict(journal, RUN_REFUSED, "no-match", "No partition is labelled so. Make one.");
	report = report_build(journal_lines(journal));
	journal_close(journal);
	assert_string_equal(field_text(report, "run.status", ""), "refused");
	assert_string_equal(field_text(report, "run.rule", ""), "no-match");
	text = report_text(report);
	sentence =
		strstr(text, "REFUSED: No partition is labelled so. Make one.\n(rule: no-match)\n");
	assert_non_null(sentence);
	assert_true(sentence < strstr(text, "Machine"));
	assert_null(strstr(text, "bare metal"));
	assert_null(strstr(text, "fresh filesystem"));
	assert_fits(text);
	free(text);
	text = report_table(report);
	assert_string_equal(text, "No trial was made.\n");
	free(text);
	json_decref(report);
}

static void bare_metal_is_said_of_a_known_machine(void **state)
{
	json_t *lines =
		json_loads("[{\"record\":\"machine\",\"virtual\":null,\"memory_bytes\":1024,"
			   "\"cpufreq\":{\"driver\":\"acpi-cpufreq\","
			   "\"governor\":\"powersave\",\"governor_requested\":\"performance\"}}]",
			   0, NULL);
	json_t *report = report_build(lines);
	char *text = report_text(report);

	(void)state;
	assert_non_null(strstr(text, "bare metal"));
	assert_non_null(strstr(text, "powersave (read back), asked for performance"));
	free(text);
	json_decref(lines);
	json_decref(report);
}

static void each_of_several_governors_is_told(void **state)
{
	json_t *lines =
		json_loads("[{\"record\":\"machine\",\"virtual\":null,\"memory_bytes\":1024,"
			   "\"cpufreq\":{\"driver\":\"acpi-cpufreq\",\"governor\":\"powersave\","
			   "\"governor_requested\":\"powersave performance\",\"settings\":["
			   "{\"governor\":\"powersave\"},{\"governor\":\"mixed\"}]}}]",
			   0, NULL);
	json_t *report = report_build(lines);
	char *text = report_text(report);

	(void)state;
	assert_non_null(strstr(text, "powersave (read back), mixed (read back), asked for powersave"));
	free(text);
	json_decref(lines);
	json_decref(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_text),
		cmocka_unit_test(hostile_strings_stay_in_80_columns),
		cmocka_unit_test(how_the_wait_before_a_session_ended_is_told),
		cmocka_unit_test(lists_are_broken_behind_commas),
		cmocka_unit_test(content_and_age_stand_beside_the_figures),
		cmocka_unit_test(engines_and_variants_stand_in_blocks_and_are_compared),
		cmocka_unit_test(stores_are_compared_with_moss_s),
		cmocka_unit_test(governors_stand_in_blocks_and_are_compared),
		in_folder(a_refusal_is_told_first),
		cmocka_unit_test(trials_that_do_not_count_are_told_first),
		cmocka_unit_test(bare_metal_is_said_of_a_known_machine),
		cmocka_unit_test(each_of_several_governors_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
