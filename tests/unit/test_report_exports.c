/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report for other programs: rows of CSV, signals of LAVA, and report.json read back. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "report_fixture.h"

#include "lib/error.h"
#include "report/json.h"
#include "report/json_file.h"

#include <ctype.h>

/* --- CSV, read by a reader that knows RFC 4180 and nothing else ------------------------------ */

enum { CELLS_MAX = 64 };

/* One row: its cells in place, without their quotes. Returns how many, and where the next one begins. */
static size_t read_row(char **cursor, char *cells[CELLS_MAX])
{
	char *from = *cursor, *to = from;
	size_t count = 0;

	for (;;) {
		bool quoted = *from == '"';

		assert_true(count < CELLS_MAX);
		cells[count++] = to;
		from += quoted;
		for (; quoted ? *from != '"' || from[1] == '"' : !strchr(",\r", *from); from++) {
			assert_true(*from);
			assert_true(quoted || *from != '"');
			from += quoted && *from == '"';
			*to++ = *from;
		}
		from += quoted;
		bool last = *from == '\r';
		assert_true(last || *from == ',');
		if (last)
			assert_int_equal(from[1], '\n');
		from += last ? 2 : 1;
		*to++ = '\0';
		if (last)
			break;
	}
	*cursor = from;
	return count;
}

static size_t column(char *const *header, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(header[i], name))
			return i;
	fail_msg("there is no column %s", name);
	return 0;
}

static void a_row_for_each_trial(void **state)
{
	json_t *report = golden();
	_cleanup_free_ char *csv = report_csv(report);
	char *cursor = csv, *header[CELLS_MAX], *cells[CELLS_MAX];
	size_t count = read_row(&cursor, header), rows = 0, left_out = 0;

	(void)state;
	for (; *cursor; rows++) {
		const json_t *trial = json_array_get(field(report, "trials"), rows);

		assert_int_equal(read_row(&cursor, cells), count);
		assert_string_equal(cells[column(header, count, "run")], "20010203-040506-beef");
		assert_string_equal(cells[column(header, count, "filesystem")],
				    field_text(trial, "filesystem", ""));
		assert_true(strtod(cells[column(header, count, "seconds")], NULL) ==
			    field_number(trial, "seconds"));
		assert_true(strtod(cells[column(header, count, "reads")], NULL) ==
			    field_number(trial, "io.reads"));
		assert_string_equal(cells[column(header, count, "prune_seconds")], "");
		bool verified = json_is_true(field(trial, "verified"));
		assert_string_equal(cells[column(header, count, "verified")], verified ? "true" : "false");
		bool invalid = strstr(cells[column(header, count, "flag_details")], " invalid: ");
		assert_string_equal(cells[column(header, count, "counts")],
				    verified && !invalid ? "true" : "false");
		left_out += invalid;
	}
	assert_int_equal(rows, 28);
	assert_true(left_out > 0);
	json_decref(report);
}

/* Every number of a trial is in its row: each is made another one, and found. */
static void all_figures_of_a_trial_are_in_its_row(void **state)
{
	json_t *report = golden();
	json_t *trial = json_array_get(field(report, "trials"), 0), *value, *inner;
	const char *key, *inner_key;
	int number = 4000, first = number;

	(void)state;
	json_object_foreach(trial, key, value) {
		if (strcmp(key, "details") && (json_is_number(value) || json_is_null(value)))
			json_object_set_new(trial, key, json_integer(number++));
		if (strcmp(key, "io") && strcmp(key, "cpu"))
			continue;
		json_object_foreach(value, inner_key, inner)
			json_object_set_new(value, inner_key, json_integer(number++));
	}
	_cleanup_free_ char *csv = report_csv(report);
	char *cursor = csv, *cells[CELLS_MAX];
	read_row(&cursor, cells);
	size_t count = read_row(&cursor, cells), found = 0;
	for (size_t i = 0; i < count; i++)
		found += atoi(cells[i]) >= first && atoi(cells[i]) < number;
	assert_true(number - first > 18);
	assert_int_equal(found, number - first);
	json_decref(report);
}

static void an_empty_report_has_the_header_alone(void **state)
{
	json_t *lines = json_array(), *report = report_build(lines);
	_cleanup_free_ char *csv = report_csv(report);
	char *cursor = csv, *cells[CELLS_MAX];

	(void)state;
	assert_true(read_row(&cursor, cells) > 30);
	assert_string_equal(cursor, "");
	json_decref(report);
	json_decref(lines);
}

static void hostile_text_stays_in_its_cell(void **state)
{
	static const struct {
		const char *given, *cell;
	} texts[] = {
		{ "plain", "plain" },
		{ "a,b", "a,b" },
		{ "say \"x\", \"\"", "say \"x\", \"\"" },
		{ "\"", "\"" },
		{ "two\r\nlines", "two  lines" },
		{ "\x1b[2Jcleared\x7f", " [2Jcleared " },
		{ "a\xc2\x9b" "b", "a b" },
		{ "=1+1", "'=1+1" },
		{ "@x", "'@x" },
		{ "+1", "'+1" },
		{ "-2", "'-2" },
		{ " blank ", " blank " },
		{ "\xff<b>", "\xef\xbf\xbd<b>" },
	};
	struct trial_record trial = example_trial();

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
		json_t *lines = json_array(), *report;
		char *cursor, *csv, *header[CELLS_MAX], *cells[CELLS_MAX], expected[64];
		size_t count;

		trial.flag_count = 0;
		snprintf(trial.cell.variant, sizeof(trial.cell.variant), "%s", texts[i].given);
		trial_flag(&trial, "x", FLAG_INVALID, "%s", texts[i].given);
		trial_flag(&trial, "y", FLAG_NOTE, "z");
		json_array_append_new(lines, trial_to_json(&trial));
		report = report_build(lines);
		csv = cursor = report_csv(report);
		count = read_row(&cursor, header);
		assert_int_equal(read_row(&cursor, cells), count);
		assert_string_equal(cursor, "");
		assert_string_equal(cells[column(header, count, "variant")], texts[i].cell);
		assert_string_equal(cells[column(header, count, "flags")], "x y");
		snprintf(expected, sizeof(expected), "x invalid: %s; y note: z",
			 texts[i].cell + (*texts[i].cell == '\''));
		assert_string_equal(cells[column(header, count, "flag_details")], expected);
		free(csv);
		json_decref(report);
		json_decref(lines);
	}
}

/* --- LAVA ------------------------------------------------------------------------------------ */

static void signals_of_the_golden_run(void **state)
{
	json_t *report = golden();
	_cleanup_free_ char *lava = report_lava(report);

	(void)state;
	assert_int_equal(strncmp(lava, "<LAVA_SIGNAL_STARTTC blitbench_run>\n"
				       "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=blitbench_run RESULT=pass "
				       "MEASUREMENT=3600.5 UNITS=seconds>\n", 117), 0);
	assert_non_null(strstr(lava, "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=ext4_moss_2025_t1_3x2_hot_remove_"
				     "seconds RESULT=pass MEASUREMENT=3 UNITS=seconds>\n"));
	assert_non_null(strstr(lava, "TEST_CASE_ID=ext4_moss_2025_t1_3x2_hot_remove_entries_per_second "
				     "RESULT=pass MEASUREMENT=375 UNITS=entries_per_second>\n"));
	assert_non_null(strstr(lava, "TEST_CASE_ID=ext4_moss_2025_t1_3x2_hot_remove_reads_per_entry "
				     "RESULT=pass MEASUREMENT=0 UNITS=reads_per_entry>\n"));
	/* It has no valid trial. */
	assert_non_null(strstr(lava, "TEST_CASE_ID=xfs_moss_2025_t1_3x2_cold_install_seconds RESULT=fail>\n"));
	assert_string_equal(strstr(lava, "<LAVA_SIGNAL_ENDTC"), "<LAVA_SIGNAL_ENDTC blitbench_run>\n");
	json_decref(report);
}

static void what_is_unsupported_is_skipped(void **state)
{
	struct trial_record trial = example_trial();
	json_t *lines = json_array(), *report;

	(void)state;
	trial.verified = false;
	trial.seconds = NAN;
	trial_flag(&trial, "unsupported", FLAG_INVALID, "no reflink");
	json_array_append_new(lines, trial_to_json(&trial));
	report = report_build(lines);
	_cleanup_free_ char *lava = report_lava(report);
	assert_non_null(strstr(lava, "_hot_remove_seconds RESULT=skip>\n"));
	/* The run itself was cut short. */
	assert_non_null(strstr(lava, "TEST_CASE_ID=blitbench_run RESULT=fail>\n"));
	json_decref(report);
	json_decref(lines);
}

/* A line as LAVA's dispatcher reads it: <LAVA_SIGNAL_(\S+) ([^>]+)>, its words split at the one "=". */
static void assert_signal(char *line)
{
	char *word, *rest = NULL;
	size_t length = strlen(line);

	assert_true(length > 30 && length < 400);
	assert_int_equal(line[length - 1], '>');
	line[length - 1] = '\0';
	assert_null(strchr(line, '>'));
	word = strtok_r(line, " ", &rest);
	assert_int_equal(strncmp(word, "<LAVA_SIGNAL_", 13), 0);
	if (strcmp(word, "<LAVA_SIGNAL_TESTCASE"))
		return;
	while ((word = strtok_r(NULL, " ", &rest))) {
		char *value = strchr(word, '=');

		assert_non_null(value);
		*value++ = '\0';
		assert_true(*value);
		assert_null(strchr(value, '='));
		if (!strcmp(word, "MEASUREMENT")) {
			char *end;

			assert_true(isfinite(strtod(value, &end)));
			assert_string_equal(end, "");
			assert_int_equal(strspn(value, "-.0123456789"), strlen(value));
		}
		if (!strcmp(word, "TEST_CASE_ID"))
			for (; *value; value++)
				assert_true(isdigit(*value) || islower(*value) || *value == '_');
	}
}

static void hostile_names_make_legal_signals(void **state)
{
	static const char *const names[] = { "a b", "a=b", "a>b", "<a", "A\xff", "\x1b[2J", "=", "a_b", "\xc3\xa9",
					     "a\nLAVA" };
	struct trial_record trial = example_trial();
	json_t *lines = json_array(), *report, *seen = json_object();
	unsigned count = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		snprintf(trial.cell.filesystem, sizeof(trial.cell.filesystem), "%s", names[i]);
		snprintf(trial.cell.engine, sizeof(trial.cell.engine), "%s", names[i]);
		trial.seconds = i % 2 ? 1e300 : 1e-300;
		json_array_append_new(lines, trial_to_json(&trial));
	}
	report = report_build(lines);
	_cleanup_free_ char *lava = report_lava(report);
	for (char *line, *rest = lava; (line = strsep(&rest, "\n")) && rest;) {
		char *id = strstr(line, "TEST_CASE_ID=");

		if (id) {
			json_t *name = json_stringn(id, strcspn(id, " "));

			/* Two results of one name would be one. */
			assert_null(json_object_get(seen, json_string_value(name)));
			json_object_set_new(seen, json_string_value(name), json_true());
			json_decref(name);
			count++;
		}
		assert_signal(line);
	}
	assert_int_equal(count, 1 + 3 * ARRAY_LENGTH(names));
	json_decref(seen);
	json_decref(report);
	json_decref(lines);
}

/* --- report.json read back ------------------------------------------------------------------ */

static void a_report_is_read_back(void **state)
{
	json_t *report = golden(), *back;
	_cleanup_free_ char *json = report_json(report), *again = NULL;

	(void)state;
	back = report_parse(json, strlen(json));
	assert_non_null(back);
	again = report_json(back);
	assert_string_equal(again, json);
	json_decref(back);
	json_decref(report);
}

/* As jansson lays it out. */
static void assert_as_jansson(const json_t *value)
{
	_cleanup_free_ char *ours = json_file_text(value);
	_cleanup_free_ char *theirs = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS));

	assert_non_null(theirs);
	assert_int_equal(strlen(ours), strlen(theirs) + 1);
	assert_memory_equal(ours, theirs, strlen(theirs));
	assert_int_equal(ours[strlen(theirs)], '\n');
}

static void it_is_laid_out_as_by_jansson(void **state)
{
	static const double reals[] = { 0,    -0.0,	1,     1.5,    6.06, -2e-7,
					1e15, 1e16,	1e-5, 1e-4,   0.1,  1e300,
					-1e300, 5e-324, 123456789.123456789, 1.0 / 3 };
	json_t *report = golden(), *list = json_array();

	(void)state;
	assert_as_jansson(report);
	for (size_t i = 0; i < ARRAY_LENGTH(reals); i++)
		json_array_append_new(list, json_real(reals[i]));
	json_array_append_new(list, json_pack("{s:[], s:{}, s:[[]], s:I, s:I, s:n, s:b, s:b}", "a", "b", "c",
		"d", (json_int_t)INT64_MIN, "e", (json_int_t)INT64_MAX, "f", "t", 1, "\u00e9\"\\/", 0));
	assert_as_jansson(list);
	json_decref(list);
	json_decref(report);
}

/* Every character of one byte or two, at both ends and in the middle: none that steers a terminal is left. */
static void no_control_is_left_in_it(void **state)
{
	(void)state;
	for (unsigned code_point = 1; code_point < 0x800; code_point++) {
		char text[24];
		json_t *value, *back;

		if (code_point < 0x80)
			snprintf(text, sizeof(text), "%ca%cb%c", code_point, code_point, code_point);
		else
			snprintf(text, sizeof(text), "%1$c%2$ca%1$c%2$cb%1$c%2$c", 0xc0 | code_point >> 6,
				 0x80 | (code_point & 0x3f));
		value = json_pack("{s:s}", text, text);
		assert_non_null(value);
		_cleanup_free_ char *json = json_file_text(value);
		for (const unsigned char *at = (const unsigned char *)json; *at; at++) {
			assert_true((*at >= ' ' && *at != 0x7f) || *at == '\n');
			assert_false(*at == 0xc2 && at[1] < 0xa0);
		}
		back = json_loads(json, JSON_REJECT_DUPLICATES, NULL);
		assert_true(json_equal(back, value));
		json_decref(back);
		json_decref(value);
	}
}

static void what_is_no_report_is_refused(void **state)
{
	static const struct {
		const char *text, *sentence;
	} wrong[] = {
		{ "", "this is no report of blitbench: it cannot be read as JSON" },
		{ "{", "this is no report of blitbench: it cannot be read as JSON" },
		{ "[]", "this is no report of blitbench: it has no schema" },
		{ "{\"schema\":1}", "this is no report of blitbench: it has no schema" },
		{ "{\"schema\":\"somebody-else/1\"}", "its schema is 'somebody-else/1'" },
		{ "{\"schema\":\"blitbench-report/2\"}", "its schema is 'blitbench-report/2'" },
		{ "{\"schema\":\"blitbench-report/1\"}", "damaged" },
		{ "{\"schema\":\"blitbench-report/1\",\"run\":{},\"machine\":{},\"target\":{},\"workload\":{},"
		  "\"sessions\":[],\"trials\":{},\"summary\":[],\"notes\":[]}", "damaged" },
		{ "{\"schema\":\"blitbench-report/1\",\"run\":{\"seconds\":1e999},\"machine\":{}}",
		  "this is no report of blitbench: it cannot be read as JSON" },
		{ "{\"schema\":\"blitbench-report/1\",\"run\":{\"seconds\":1.7e308},\"machine\":{},\"target\":{},"
		  "\"workload\":{},\"sessions\":[],\"trials\":[],\"summary\":[],\"notes\":[]}", "damaged" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		assert_null(report_parse(wrong[i].text, strlen(wrong[i].text)));
		assert_non_null(strstr(error_text(), wrong[i].sentence));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_for_each_trial),
		cmocka_unit_test(all_figures_of_a_trial_are_in_its_row),
		cmocka_unit_test(an_empty_report_has_the_header_alone),
		cmocka_unit_test(hostile_text_stays_in_its_cell),
		cmocka_unit_test(signals_of_the_golden_run),
		cmocka_unit_test(what_is_unsupported_is_skipped),
		cmocka_unit_test(hostile_names_make_legal_signals),
		cmocka_unit_test(a_report_is_read_back),
		cmocka_unit_test(it_is_laid_out_as_by_jansson),
		cmocka_unit_test(no_control_is_left_in_it),
		cmocka_unit_test(what_is_no_report_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
