/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of reports that are wrong, hostile, or odd in one place: a sentence, or right
 * output. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare_fixture.h"

#include <errno.h>

static void a_part_of_the_cells_can_be_kept(void **state)
{
	json_t *report = artificial("a", NULL, "d");
	struct saved saved;

	(void)state;
	add_artificial_cell(report, "ext4", "hot", 2, 1);
	add_artificial_cell(report, "xfs", "hot", 2, 1);
	add_artificial_cell(report, "xfs", "cold", 2, 1);
	assert_int_equal(saved_take(&saved, "x.json", report), 0);
	assert_int_equal(saved_keep(&saved, "filesystem", "xfs"), 0);
	assert_int_equal(saved_keep(&saved, "threads", "1"), 0);
	assert_int_equal(saved.cells.count, 2);
	assert_int_equal(saved_keep(&saved, "cache", "cold"), 0);
	assert_int_equal(saved.cells.count, 1);
	assert_string_equal(saved.cells.list[0].key->cache, "cold");
	assert_int_equal(saved_keep(&saved, "cache", "hot"), -EINVAL);
	assert_error_has("x.json: no trial has the cache 'hot'");
	saved_free(&saved);
}

/* --- reports that cannot be right ----------------------------------------------------------- */

static void assert_not_taken(json_t *report, const char *sentence)
{
	struct saved saved;

	assert_int_equal(saved_take(&saved, "x.json", report), -EINVAL);
	assert_error_has("x.json: ");
	assert_error_has(sentence);
	saved_free(&saved);
}

static void wrong_reports_are_refused(void **state)
{
	static const struct {
		const char *key, *value, *sentence;
	} rows[] = {
		{ "seconds", "-1", "trials[0]: \"seconds\" is -1" },
		{ "seconds", "0", "trials[0]: \"seconds\" is 0" },
		{ "seconds", "1e300", "trials[0]: \"seconds\" is 1e+300" },
		{ "seconds", "\"fast\"", "trials[0]: trial: \"seconds\" is not a number" },
		{ "seconds", "null", "none of its 1 trials is valid" },
		{ "entries", "0", "trials[0]: \"entries\" is 0" },
		{ "entries", "9007199254740993", "trials[0]: \"entries\" is 9007199254740993" },
		{ "entries", "-1", "trials[0]: trial: \"entries\" is not a count" },
		{ "verified", "false",
		  "none of its 1 trials is valid, so there is nothing to compare "
		  "(the run is complete)" },
		{ "flags", "7", "trials[0]: trial: \"flags\" is not a list" },
		{ "filesystem", "\"\"", "trials[0]: trial: filesystem, cache and operation" },
	};
	json_t *report;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		report = artificial("a", NULL, "d");
		add_artificial_cell(report, "ext4", "hot", 1, 1);
		json_object_set_new(json_array_get(field(report, "trials"), 0), rows[i].key,
				    json_loads(rows[i].value, JSON_DECODE_ANY, NULL));
		assert_not_taken(report, rows[i].sentence);
	}
	assert_not_taken(json_array(), "this is no report of blitbench");
	assert_not_taken(json_object(), "this is no report of blitbench");
	report = artificial("a", NULL, "d");
	assert_not_taken(json_incref(report), "none of its 0 trials is valid");
	json_object_set_new(report, "trials", json_null());
	assert_not_taken(json_incref(report), "\"trials\" is no list");
	json_object_set_new(report, "schema", json_string("blitbench-report/2"));
	assert_not_taken(report, "its schema is 'blitbench-report/2', and this blitbench reads "
				 "blitbench-report/1");
	report = artificial("a", NULL, "d");
	add_artificial(report, "ext4", "hot", "remove", 3, 1);
	add_artificial(report, "ext4", "hot", "remove", 3, 2);
	assert_not_taken(report, "round 3, trial 1 of ext4 remove hot is told twice");
}

/* Whatever the strings hold: JSON that parses, lines of 80 columns, no markup in the page. */
static void hostile_strings_stay_harmless(void **state)
{
	static const char *const strings[] = {
		"<script>alert(1)</script>", "\"quoted\" & 'so'", "\x1b[2J\nnew line\ttab",
		"\xe2\x80\xae" "backwards",
	};
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(strings); i++) {
		json_t *base = artificial("a", strings[i], "d"),
		       *new = artificial(strings[i], "kvm", "e");
		char *text, *html, *json;
		char name[16], long_word[4096];

		snprintf(name, sizeof(name), "%.15s", "<b>\"&'x");
		memset(long_word, 'w', sizeof(long_word) - 1);
		long_word[sizeof(long_word) - 1] = '\0';
		add_artificial_cell(base, name, "hot", 6, 1);
		add_artificial_cell(new, name, "hot", 6, 2);
		json_object_set_new(new, "target", json_pack("{s:s, s:s}", strings[i], strings[i],
							     "word", long_word));
		assert_int_equal(compare(base, new, true), 0);
		compare_judge(comparison, 0.1, false);
		text = compare_text(comparison);
		for (char *at = text, *end; *at; at = end + 1) {
			end = strchr(at, '\n');
			for (char *byte = at; byte < end; byte++)
				assert_true((unsigned char)*byte >= ' ');
			assert_true(end - at <= 80);
		}
		html = compare_html(comparison);
		assert_null(strstr(html, "<script"));
		assert_null(strstr(html, "<b>\""));
		assert_contains(html, "&lt;b&gt;&quot;&amp;&#39;x");
		json = compare_json(comparison);
		json_t *back = json_loads(json, 0, NULL);
		assert_non_null(back);
		json_decref(back);
		free(json);
		free(html);
		free(text);
		end_comparison();
	}
}

/* --- any value anywhere --------------------------------------------------------------------- */

/* Puts a value in the place of the *left-th one below, counted depth-first; *left is then 0. */
static void replace(json_t *in, const json_t *value, size_t *left)
{
	json_t *inner;
	const char *key;
	size_t index;

	json_object_foreach(in, key, inner) {
		if (*left && !--*left)
			json_object_set_new(in, key, json_deep_copy(value));
		else if (*left)
			replace(inner, value, left);
		if (!*left)
			return;
	}
	json_array_foreach(in, index, inner) {
		if (*left && !--*left)
			json_array_set_new(in, index, json_deep_copy(value));
		else if (*left)
			replace(inner, value, left);
		if (!*left)
			return;
	}
}

static json_t *small_report(const char *id)
{
	json_t *report = artificial(id, NULL, "d");

	add_artificial_cell(report, "xfs", "hot", 1, 1);
	add_artificial_cell(report, "ext4", "hot", 1, 1);
	json_array_append_new((json_t *)field(report, "sessions"), session(4, "reflink", "/dev/a"));
	json_object_set_new((json_t *)field(report, "run"), "config",
			    json_pack("{s:s}", "cold", "drop"));
	return report;
}

/* Either a sentence, or a comparison that renders. */
static void must_bear(json_t *report)
{
	struct saved saved[2] = { 0 };

	assert_int_equal(saved_take(&saved[0], "base", small_report("a")), 0);
	error_set(0, "%s", "");
	if (saved_take(&saved[1], "new", report) ||
	    compare_build(&comparison, &saved[0], &saved[1], 1, true))
		assert_true(strlen(error_text()) > strlen("no error"));
	else {
		char *text = compare_text(comparison), *html = compare_html(comparison);
		char *json = compare_json(comparison);
		json_t *back = json_loads(json, 0, NULL);

		assert_non_null(back);
		assert_contains(text, "Ratios");
		assert_contains(html, "</html>\n");
		json_decref(back);
		free(json);
		free(html);
		free(text);
		end_comparison();
	}
	saved_free(&saved[0]);
	saved_free(&saved[1]);
}

static void any_value_anywhere_is_borne(void **state)
{
	static const char *const values[] = {
		"null", "true", "-1", "1e308", "9223372036854775807", "\"\"", "\"<\\u202e'\"", "[]",
		"{}", "[[null]]", "{\"a\": {\"b\": []}}",
	};
	size_t turns = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(values); i++) {
		json_t *value = json_loads(values[i], JSON_DECODE_ANY, NULL);
		size_t left = 0;

		for (size_t place = 1; !left; place++, turns++) {
			json_t *report = small_report("b");

			left = place;
			replace(report, value, &left);
			must_bear(report);
		}
		json_decref(value);
	}
	assert_true(turns > ARRAY_LENGTH(values) * 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_part_of_the_cells_can_be_kept),
		cmocka_unit_test(wrong_reports_are_refused),
		cmocka_unit_test(hostile_strings_stay_harmless),
		cmocka_unit_test(any_value_anywhere_is_borne),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
