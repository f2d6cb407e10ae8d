/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports against a baseline: ratios, stars, what differs, what is refused. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "compare_fixture.h"

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
			assert_tells(text,
				     "7 sessions of each, or fewer cells (--only), would do.");
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
	/* What CI is told of it as well, here that one is slower and that one cannot be judged. */
	assert_int_equal(compare_judge(comparison, 0.1, false), COMPARE_SLOWER);
	assert_true(json_is_true(field(comparison, "verdict.forced")));
	text = compare_text(comparison);
	assert_contains(text, "NOT COMPARABLE, and compared by force\n");
	assert_contains(text, "\nforced: Verdict: at least one cell is");
	assert_contains(text, "\nforced: slower: ext4 ");
	assert_contains(text, "\nforced: not judged: xfs ");
	assert_tells(text, "Microseconds for each entry");
	line = strstr(text, "Ratios, forced\n");
	assert_non_null(line);
	line = strchr(strchr(line, '\n') + 1, '\n') + 1;
	for (line = strtok(line, "\n"); line; line = strtok(NULL, "\n"))
		if (strncmp(line, "forced: ", 8) && strncmp(line, "        ", 8))
			fail_msg("without a mark: %s", line);
	html = compare_html(comparison);
	assert_contains(html, "<td class=words>forced: not comparable");
	assert_contains(html, "<p>forced: Verdict: ");
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

/* Also where a name is cut in the middle of a letter. */
static void what_differs_is_told_of_any_name(void **state)
{
	json_t *base = artificial("a", NULL, "d"), *new = artificial("b", NULL, "d");
	json_t *const reports[] = { base, new };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char long_name[64] = "x";

		for (size_t j = 0; j < 25; j++)
			strcat(long_name, "\xc3\xa9");
		add_artificial_cell(reports[i], "ext4", "hot", 1, 1);
		json_array_append_new((json_t *)field(reports[i], "sessions"), json_pack(
			"{s:s, s:s, s:s, s:i}", "filesystem", long_name, "variant", "default", "store", "3x2",
			"age", (int)i));
	}
	assert_int_equal(compare(base, new, false), 0);
	assert_int_equal(json_array_size(field(the_one(), "differences")), 1);
	assert_int_equal(field_number(json_array_get(field(the_one(), "differences"), 0), "report"), 1);
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

static void set_governor(json_t *report, size_t from, const char *governor)
{
	json_t *trial;
	size_t index;

	json_array_foreach(field(report, "trials"), index, trial)
		if (index >= from)
			json_object_set_new(trial, "governor", json_string(governor));
}

/* It tells of no governor: each of a report's is compared with the one figure. */
static void the_published_table_stands_for_any_governor(void **state)
{
	json_t *report = like_the_published(1), *more = like_the_published(2);
	struct saved saved[2] = { 0 };

	(void)state;
	set_governor(report, 0, "performance");
	json_array_extend((json_t *)field(report, "trials"), (json_t *)field(more, "trials"));
	set_governor(report, 12, "powersave");
	json_decref(more);
	assert_int_equal(saved_published(&saved[0]), 0);
	assert_int_equal(saved_take(&saved[1], "new", report), 0);
	assert_int_equal(compare_build(&comparison, &saved[0], &saved[1], 1, false), 0);
	assert_int_equal(json_array_size(field(the_one(), "cells")), 24);
	assert_near(field_number(cell_at(0), "ratio"), 1);
	assert_near(field_number(cell_at(12), "ratio"), 2);
	assert_int_equal(json_array_size(field(the_one(), "only_in_baseline")), 0);
	end_comparison();
	for (int i = 0; i < 2; i++)
		assert_int_equal(saved_keep(&saved[i], "governor", "powersave"), 0);
	assert_int_equal(compare_build(&comparison, &saved[0], &saved[1], 1, false), 0);
	assert_int_equal(json_array_size(field(the_one(), "cells")), 12);
	assert_near(field_number(cell_at(0), "ratio"), 2);
	end_comparison();
	saved_free(&saved[0]);
	saved_free(&saved[1]);
}

static void governors_are_cells_of_their_own(void **state)
{
	json_t *base = artificial("a", NULL, "d"), *new = artificial("b", NULL, "d");

	(void)state;
	add_artificial_cell(base, "ext4", "hot", 6, 1);
	add_artificial_cell(base, "ext4", "hot", 6, 2);
	set_governor(base, 0, "performance");
	set_governor(base, 6, "powersave");
	add_artificial_cell(new, "ext4", "hot", 6, 2);
	set_governor(new, 0, "powersave");
	assert_int_equal(compare(base, new, false), 0);
	assert_int_equal(json_array_size(field(the_one(), "cells")), 1);
	assert_near(field_number(cell_at(0), "ratio"), 1);
	assert_string_equal(field_text(json_array_get(field(the_one(), "only_in_baseline"), 0),
				       "governor", ""), "performance");
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
		cmocka_unit_test(the_verdict_takes_significance_and_size),
		cmocka_unit_test(what_differs_is_told),
		cmocka_unit_test(what_differs_is_told_of_any_name),
		cmocka_unit_test(nothing_differs),
		cmocka_unit_test(the_published_table_is_a_baseline),
		cmocka_unit_test(the_published_table_stands_for_any_governor),
		cmocka_unit_test(governors_are_cells_of_their_own),
		cmocka_unit_test(the_published_table_is_of_bare_metal_and_of_so_many_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
