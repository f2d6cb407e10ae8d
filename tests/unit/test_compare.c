/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports against a baseline: ratios, stars, what differs, what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare_fixture.h"

#include "lib/error.h"
#include "report/published.h"

#include <errno.h>

static const json_t *cell_at(size_t index)
{
	return json_array_get(field(the_one(), "cells"), index);
}

static void assert_near(double value, double expected)
{
	if (!(fabs(value - expected) < 1e-9))
		fail_msg("%.12g is not %.12g", value, expected);
}

static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in: %s", part, text);
}

/* Sentences are wrapped: each newline, with what is indented after it, is a blank. */
static void assert_tells(const char *text, const char *sentence)
{
	_cleanup_free_ char *flat = calloc(1, strlen(text) + 1);
	size_t used = 0;

	for (const char *at = text; *at; at++) {
		bool blank = *at == '\n' || *at == ' ';

		if (!blank || (used && flat[used - 1] != ' '))
			flat[used++] = blank ? ' ' : *at;
	}
	assert_contains(flat, sentence);
}

static void assert_error_has(const char *part)
{
	assert_contains(error_text(), part);
}

static void ratios_have_intervals_and_stars(void **state)
{
	json_t *base = artificial("a", "qemu-tcg", "d"), *new = artificial("b", "qemu-tcg", "d");
	const json_t *interval;

	(void)state;
	add_artificial_cell(base, "ext4", "hot", 6, 1);
	add_artificial_cell(base, "xfs", "hot", 6, 1);
	add_artificial_cell(new, "ext4", "hot", 6, 1.5);
	add_artificial_cell(new, "xfs", "hot", 6, 1.001);
	assert_int_equal(compare(base, new, false), 0);
	assert_string_equal(field_text(the_one(), "measure", ""), "seconds");
	assert_near(field_number(cell_at(0), "baseline.median_seconds"), 1.025);
	assert_near(field_number(cell_at(0), "report.median_seconds"), 1.5375);
	assert_near(field_number(cell_at(0), "report.median_seconds_per_entry"), 0.0015375);
	assert_near(field_number(cell_at(0), "ratio"), 1.5);
	assert_near(field_number(cell_at(0), "p"), 2.0 / 924);
	assert_near(field_number(cell_at(0), "p_corrected"), 4.0 / 924);
	assert_true(json_is_true(field(cell_at(0), "star")));
	interval = field(cell_at(0), "ratio_ci95");
	assert_int_equal(json_array_size(interval), 2);
	assert_true(json_number_value(json_array_get(interval, 0)) < 1.5);
	assert_true(json_number_value(json_array_get(interval, 1)) > 1.5);
	assert_true(json_is_false(field(cell_at(1), "star")));
	assert_true(json_is_false(field(cell_at(1), "forced")));
	end_comparison();
}

static void below_six_sessions_there_is_only_a_ratio(void **state)
{
	json_t *base = artificial("a", NULL, "d"), *new = artificial("b", NULL, "d");
	char *text;

	(void)state;
	add_artificial_cell(base, "ext4", "hot", 6, 1);
	add_artificial_cell(new, "ext4", "hot", 5, 2);
	assert_int_equal(compare(base, new, false), 0);
	assert_true(json_is_null(field(cell_at(0), "star")));
	assert_true(json_is_null(field(cell_at(0), "ratio_ci95")));
	assert_true(json_is_null(field(cell_at(0), "p")));
	assert_true(field_number(cell_at(0), "ratio") > 1.9);
	text = compare_text(comparison);
	assert_tells(text, "No interval and no star");
	free(text);
	assert_int_equal(compare_judge(comparison, 0.1, false), COMPARE_UNKNOWN);
	assert_int_equal(compare_judge(comparison, 0.1, true), COMPARE_SLOWER);
	end_comparison();
}

static void too_many_cells_are_told_by_number(void **state)
{
	(void)state;
	for (unsigned cells = 23; cells <= 24; cells++) {
		json_t *base = artificial("a", NULL, "d"), *new = artificial("b", NULL, "d");
		char name[16], *text;

		for (unsigned i = 0; i < cells; i++) {
			snprintf(name, sizeof(name), "fs%u", i);
			add_artificial_cell(base, name, "hot", 6, 1);
			add_artificial_cell(new, name, "hot", 6, 2);
		}
		assert_int_equal(compare(base, new, false), 0);
		text = compare_text(comparison);
		assert_int_equal(json_is_true(field(cell_at(0), "star")), cells == 23);
		if (cells == 24) {
			assert_tells(text, "No star is possible: 24 cells are tested");
			assert_tells(text, "7 sessions of each, or fewer cells (--only), would do.");
		} else
			assert_null(strstr(text, "No star is possible"));
		assert_int_equal(compare_judge(comparison, 0.1, false),
				 cells == 23 ? COMPARE_SLOWER : COMPARE_UNKNOWN);
		free(text);
		end_comparison();
	}
}

static void what_is_not_comparable_is_refused(void **state)
{
	static const struct {
		const char *left_virtual, *right_virtual, *left_digest, *right_digest, *sentence;
	} rows[] = {
		{ NULL, "qemu-tcg", "d", "d",
		  "base was made on bare metal, new on the virtual machine "
		  "qemu-tcg: another kind of machine" },
		{ "qemu-tcg", NULL, "d", "d", "another kind of machine" },
		{ "kvm", "qemu-tcg", "d", "d", "another kind of machine" },
		{ NULL, NULL, "d", "e", "with another digest: other work" },
		{ NULL, NULL, NULL, "e", "base does not tell its workload's digest" },
		{ NULL, NULL, "d", NULL, "new does not tell its workload's digest" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		json_t *base = artificial("a", rows[i].left_virtual, rows[i].left_digest);
		json_t *new = artificial("b", rows[i].right_virtual, rows[i].right_digest);

		add_artificial_cell(base, "ext4", "hot", 6, 1);
		add_artificial_cell(new, "ext4", "hot", 6, 1);
		assert_int_equal(compare(json_incref(base), json_incref(new), false), -EXDEV);
		assert_error_has(rows[i].sentence);
		assert_error_has("--force");
		assert_int_equal(compare(base, new, true), 0);
		assert_true(json_is_true(field(the_one(), "forced")));
		end_comparison();
	}
}

static void an_unknown_machine_is_not_bare_metal(void **state)
{
	json_t *base = artificial("a", NULL, "d"), *new = artificial("b", NULL, "d");

	(void)state;
	add_artificial_cell(base, "ext4", "hot", 1, 1);
	add_artificial_cell(new, "ext4", "hot", 1, 1);
	json_object_del(new, "machine");
	assert_int_equal(compare(base, new, false), -EXDEV);
	assert_error_has("new does not tell what machine it was made on");
}

/* Every line of the figures and of what is said of them. */
static void forced_lines_say_so(void **state)
{
	json_t *base = artificial("a", NULL, "d"), *new = artificial("b", "kvm", "e");
	char *text, *html, *line;
	size_t index;
	const json_t *cell;

	(void)state;
	add_artificial_cell(base, "ext4", "hot", 6, 1);
	add_artificial_cell(base, "xfs", "hot", 6, 1);
	add_artificial_cell(new, "ext4", "hot", 6, 2);
	add_artificial_cell(new, "xfs", "hot", 3, 2);
	assert_int_equal(compare(base, new, true), 0);
	assert_string_equal(field_text(the_one(), "measure", ""), "seconds_per_entry");
	json_array_foreach(field(the_one(), "cells"), index, cell)
		assert_true(json_is_true(field(cell, "forced")));
	text = compare_text(comparison);
	assert_contains(text, "NOT COMPARABLE, and compared by force\n");
	assert_tells(text, "Microseconds for each entry");
	line = strstr(text, "Ratios, forced\n");
	assert_non_null(line);
	line = strchr(strchr(line, '\n') + 1, '\n') + 1;
	for (line = strtok(line, "\n"); line; line = strtok(NULL, "\n"))
		if (strncmp(line, "forced: ", 8) && strncmp(line, "        ", 8))
			fail_msg("without a mark: %s", line);
	html = compare_html(comparison);
	assert_contains(html, "<td class=words>forced: not comparable");
	free(html);
	free(text);
	end_comparison();
}

static void the_same_run_twice_is_refused(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		json_t *base = artificial(i ? "" : "a", NULL, "d");

		if (i)
			json_object_del((json_t *)field(base, "run"), "id");
		add_artificial_cell(base, "ext4", "hot", 1, 1);
		assert_int_equal(compare(base, json_deep_copy(base), true), -EINVAL);
		assert_error_has("base and new are the same run");
	}
}

static void cells_of_one_only_are_named(void **state)
{
	json_t *base = artificial("a", NULL, "d"), *new = artificial("b", NULL, "d");
	char *text;

	(void)state;
	add_artificial_cell(base, "ext4", "hot", 6, 1);
	add_artificial_cell(base, "xfs", "hot", 6, 1);
	add_artificial_cell(new, "ext4", "hot", 6, 1);
	add_artificial_cell(new, "f2fs", "hot", 6, 1);
	assert_int_equal(compare(base, new, false), 0);
	assert_int_equal(json_array_size(field(the_one(), "cells")), 1);
	text = compare_text(comparison);
	assert_tells(text, "Only in the baseline, and not compared: xfs remove hot (moss-2025,");
	assert_tells(text, "Only in the report, and not compared: f2fs remove hot (moss-2025,");
	free(text);
	/* A filesystem that could not be measured any more is no success. */
	assert_int_equal(compare_judge(comparison, 0.1, false), COMPARE_UNKNOWN);
	assert_string_equal(field_text(json_array_get(field(comparison, "verdict.unknown"), 0),
				       "filesystem", ""), "xfs");
	end_comparison();
	base = artificial("a", NULL, "d");
	new = artificial("b", NULL, "d");
	add_artificial_cell(base, "ext4", "hot", 6, 1);
	add_artificial_cell(new, "xfs", "hot", 6, 1);
	assert_int_equal(compare(base, new, false), -EINVAL);
	assert_error_has("base and new have no cell in common");
}

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

static void the_verdict_takes_significance_and_size(void **state)
{
	static const struct {
		double factor, limit;
		enum compare_result result, raw;
	} rows[] = {
		{ 1, 0.1, COMPARE_FINE, COMPARE_FINE },
		{ 1.5, 0.1, COMPARE_SLOWER, COMPARE_SLOWER },
		{ 1.5, 0.6, COMPARE_FINE, COMPARE_FINE },
		{ 0.5, 0.1, COMPARE_FINE, COMPARE_FINE },
		/* Slower by 2 %, and not significantly. */
		{ 1.02, 0.01, COMPARE_FINE, COMPARE_SLOWER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(rows); i++) {
		json_t *base = artificial("a", NULL, "d"), *new = artificial("b", NULL, "d");
		char *text;

		add_artificial_cell(base, "ext4", "hot", 6, 1);
		add_artificial_cell(new, "ext4", "hot", 6, rows[i].factor);
		assert_int_equal(compare(base, new, false), 0);
		assert_int_equal(compare_judge(comparison, rows[i].limit, true), rows[i].raw);
		assert_int_equal(compare_judge(comparison, rows[i].limit, false), rows[i].result);
		text = compare_text(comparison);
		assert_contains(text, "\nVerdict: ");
		free(text);
		end_comparison();
	}
}

/* --- what differs --------------------------------------------------------------------------- */

static const json_t *difference(const char *what)
{
	const json_t *found;
	size_t index;

	json_array_foreach(field(the_one(), "differences"), index, found)
		if (!strcmp(field_text(found, "what", ""), what))
			return found;
	fail_msg("no difference is called %s", what);
	return NULL;
}

static json_t *session(int agcount, const char *feature, const char *node)
{
	return json_pack("{s:s, s:s, s:s, s:{s:[s, s], s:s, s:f}, s:{s:[s, s], s:i}}",
		"filesystem", "xfs",
		"variant", "default",
		"store", "3x2",
		"mkfs",
			"argv", "mkfs.xfs", node,
			"version", "6.13",
			"seconds", agcount * 0.1,
		"features",
			"features", "crc", feature,
			"agcount", agcount);
}

static void what_differs_is_told(void **state)
{
	json_t *base = artificial("a", NULL, "d"), *new = artificial("b", NULL, "d");
	char *text;

	(void)state;
	add_artificial_cell(base, "xfs", "hot", 1, 1);
	add_artificial_cell(new, "xfs", "hot", 1, 1);
	json_object_set_new((json_t *)field(new, "machine.cpu"), "model",
			    json_string("Another CPU"));
	json_object_set_new((json_t *)field(new, "run"), "kernel",
			    json_pack("{s:s}", "release", "7"));
	json_object_set_new((json_t *)field(base, "run"), "config",
			    json_pack("{s:s}", "cold", "drop"));
	json_object_set_new((json_t *)field(new, "run"), "config",
			    json_pack("{s:s}", "cold", "remount"));
	/* What tells nothing: every partition has its own. */
	json_object_set_new(new, "target", json_pack("{s:s}", "partuuid", "1-2-3"));
	json_array_append_new((json_t *)field(base, "sessions"), session(4, "reflink", "/dev/a"));
	json_array_append_new((json_t *)field(new, "sessions"), session(8, "parent", "/dev/b"));
	assert_int_equal(compare(base, new, false), 0);
	assert_string_equal(field_text(difference("machine.cpu.model"), "report", ""),
			    "Another CPU");
	assert_true(json_is_null(field(difference("run.kernel.release"), "baseline")));
	assert_string_equal(field_text(difference("run.config.cold"), "baseline", ""), "drop");
	assert_near(field_number(difference("xfs default, store 3x2: features.agcount"), "report"),
		    8);
	assert_int_equal(json_array_size(field(the_one(), "differences")), 5);
	text = compare_text(comparison);
	assert_tells(text, "- machine.cpu.model: baseline Artificial CPU | report Another CPU ");
	assert_tells(text, "- run.kernel.release: baseline nothing | report 7 ");
	assert_tells(text, "features.features: baseline reflink | report parent ");
	assert_true(strstr(text, "What differs") < strstr(text, "Ratios"));
	free(text);
	end_comparison();
}

static void nothing_differs(void **state)
{
	json_t *base = artificial("a", NULL, "d"), *new = artificial("b", NULL, "d");
	char *text;

	(void)state;
	add_artificial_cell(base, "xfs", "hot", 1, 1);
	add_artificial_cell(new, "xfs", "hot", 1, 1);
	assert_int_equal(compare(base, new, false), 0);
	assert_int_equal(json_array_size(field(the_one(), "differences")), 0);
	text = compare_text(comparison);
	assert_tells(text, "Nothing that both tell");
	free(text);
	end_comparison();
}

/* --- the published table -------------------------------------------------------------------- */

static json_t *like_the_published(double factor)
{
	json_t *report = artificial("b", NULL, "d");
	json_t *workload = (json_t *)field(report, "workload");

	json_object_set_new(workload, "entries", json_integer(231613));
	json_object_set_new(workload, "install_entries", json_integer(231707));
	for (size_t i = 0; i < published_cell_count; i++)
		add_artificial(report, published_cells[i].filesystem, published_cells[i].cache,
			       published_cells[i].operation, 1,
			       published_cells[i].seconds / (double)published_cells[i].entries *
				       1000 * factor);
	return report;
}

static void the_published_table_is_a_baseline(void **state)
{
	const json_t *cell;
	size_t index;
	char *text;

	(void)state;
	assert_int_equal(compare(NULL, like_the_published(0.5), false), 0);
	assert_int_equal(json_array_size(field(the_one(), "cells")), 12);
	assert_int_equal(json_array_size(field(the_one(), "only_in_baseline")), 0);
	assert_string_equal(field_text(the_one(), "measure", ""), "seconds_per_entry");
	json_array_foreach(field(the_one(), "cells"), index, cell) {
		assert_near(field_number(cell, "ratio"), 0.5);
		assert_true(json_is_null(field(cell, "star")));
		assert_true(json_is_false(field(cell, "forced")));
	}
	text = compare_text(comparison);
	for (size_t i = 0; published_caveats[i]; i++)
		assert_tells(text, published_caveats[i]);
	assert_tells(text, "the published table has one run for each cell.");
	assert_tells(text, "Microseconds for each entry");
	free(text);
	end_comparison();
}

static void the_published_table_is_of_bare_metal_and_of_so_many_entries(void **state)
{
	json_t *report = like_the_published(1);

	(void)state;
	json_object_set_new((json_t *)field(report, "machine"), "virtual", json_string("qemu-tcg"));
	assert_int_equal(compare(NULL, report, false), -EXDEV);
	assert_error_has("another kind of machine");
	report = like_the_published(1);
	json_object_set_new((json_t *)field(report, "workload"), "entries", json_integer(10422));
	assert_int_equal(compare(NULL, report, false), -EXDEV);
	assert_error_has("231613 and 231707 entries, that of new 10422 and 231707");
	report = like_the_published(1);
	json_object_del(report, "workload");
	assert_int_equal(compare(NULL, report, false), -EXDEV);
	assert_error_has("does not tell how many entries");
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
		cmocka_unit_test(ratios_have_intervals_and_stars),
		cmocka_unit_test(below_six_sessions_there_is_only_a_ratio),
		cmocka_unit_test(too_many_cells_are_told_by_number),
		cmocka_unit_test(what_is_not_comparable_is_refused),
		cmocka_unit_test(an_unknown_machine_is_not_bare_metal),
		cmocka_unit_test(forced_lines_say_so),
		cmocka_unit_test(the_same_run_twice_is_refused),
		cmocka_unit_test(cells_of_one_only_are_named),
		cmocka_unit_test(a_part_of_the_cells_can_be_kept),
		cmocka_unit_test(the_verdict_takes_significance_and_size),
		cmocka_unit_test(what_differs_is_told),
		cmocka_unit_test(nothing_differs),
		cmocka_unit_test(the_published_table_is_a_baseline),
		cmocka_unit_test(the_published_table_is_of_bare_metal_and_of_so_many_entries),
		cmocka_unit_test(wrong_reports_are_refused),
		cmocka_unit_test(hostile_strings_stay_harmless),
		cmocka_unit_test(any_value_anywhere_is_borne),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
