/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which filesystem is first, and when the report says so. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "random_fixture.h"
#include "report_fixture.h"

#include "report/ranking.h"

enum { TRIALS_MAX = 1024 };

static struct trial_record trials[TRIALS_MAX];
static const struct trial_record *listed[TRIALS_MAX];
static size_t count;

static void begin(void)
{
	count = 0;
}

/* A session of one trial. */
static void add(const char *filesystem, const char *variant, const char *cache, unsigned round,
		double seconds)
{
	struct trial_record *trial = &trials[count];

	assert_true(count < TRIALS_MAX);
	listed[count++] = trial;
	*trial = example_trial();
	snprintf(trial->cell.filesystem, sizeof(trial->cell.filesystem), "%s", filesystem);
	snprintf(trial->cell.variant, sizeof(trial->cell.variant), "%s", variant);
	snprintf(trial->cell.cache, sizeof(trial->cell.cache), "%s", cache);
	trial->round = round;
	trial->seconds = seconds;
}

/* Sessions of 1.00, 1.01, 1.02, ... times as many seconds. */
static void add_sessions(const char *filesystem, const char *variant, const char *cache,
			 unsigned sessions, double seconds)
{
	for (unsigned round = 1; round <= sessions; round++)
		add(filesystem, variant, cache, round, seconds * (0.99 + round / 100.0));
}

static json_t *ranking(void)
{
	struct cells cells;
	json_t *built;

	assert_int_equal(cells_make(&cells, listed, count), 0);
	built = ranking_build(&cells);
	cells_free(&cells);
	assert_non_null(built);
	return built;
}

static const json_t *place(const json_t *list, size_t group, size_t index)
{
	return json_array_get(field(json_array_get(list, group), "places"), index);
}

static void assert_place(const json_t *at, const char *filesystem, int number, int star)
{
	assert_string_equal(field_text(at, "filesystem", ""), filesystem);
	assert_true(number ? json_integer_value(field(at, "place")) == number
			   : json_is_null(field(at, "place")));
	assert_true(star < 0 ? json_is_null(field(at, "star"))
			     : json_is_boolean(field(at, "star")) &&
				       json_is_true(field(at, "star")) == star);
	assert_int_equal(json_is_null(field(at, "p")), star < 0);
}

static void the_fastest_is_first(void **state)
{
	json_t *list;
	const json_t *group;

	(void)state;
	begin();
	add_sessions("xfs", "default", "hot", 6, 2);
	add_sessions("ext4", "default", "hot", 6, 1);
	add_sessions("xfs", "parent", "hot", 6, 4);
	list = ranking();
	group = json_array_get(list, 0);
	assert_int_equal(json_array_size(list), 1);
	assert_null(json_object_get(group, "filesystem"));
	assert_null(json_object_get(group, "variant"));
	assert_string_equal(field_text(group, "engine", ""), "moss-2025");
	assert_string_equal(field_text(group, "cache", ""), "hot");
	assert_true(json_is_true(field(group, "sure")));
	assert_string_equal(field_text(group, "why", ""),
			    "ext4 is ahead of all others, p at most 0.0065");
	assert_place(place(list, 0, 0), "ext4", 1, -1);
	assert_place(place(list, 0, 1), "xfs", 2, 1);
	assert_place(place(list, 0, 2), "xfs", 3, 1);
	assert_string_equal(field_text(place(list, 0, 2), "variant", ""), "parent");
	assert_true(fabs(field_number(place(list, 0, 1), "ratio") - 2) < 1e-9);
	/* Three pairs of samples that do not overlap: 3, 2 and 1 times 2/924, and none falls. */
	assert_true(fabs(field_number(place(list, 0, 1), "p") - 6.0 / 924) < 1e-12);
	json_decref(list);
}

static void it_is_not_sure_where_two_overlap(void **state)
{
	json_t *list;

	(void)state;
	begin();
	add_sessions("ext4", "default", "hot", 6, 1);
	add_sessions("xfs", "default", "hot", 6, 1.001);
	add_sessions("f2fs", "default", "hot", 6, 3);
	list = ranking();
	assert_true(json_is_false(field(json_array_get(list, 0), "sure")));
	assert_string_equal(field_text(json_array_get(list, 0), "why", ""),
			    "not significantly behind ext4: xfs");
	assert_place(place(list, 0, 1), "xfs", 2, 0);
	assert_place(place(list, 0, 2), "f2fs", 3, 1);
	json_decref(list);
}

static void equal_medians_share_a_place(void **state)
{
	json_t *list;

	(void)state;
	begin();
	add_sessions("ext4", "default", "hot", 6, 1);
	add_sessions("xfs", "default", "hot", 6, 1);
	add_sessions("f2fs", "default", "hot", 6, 2);
	list = ranking();
	assert_place(place(list, 0, 0), "ext4", 1, -1);
	assert_place(place(list, 0, 1), "xfs", 1, 0);
	assert_place(place(list, 0, 2), "f2fs", 3, 1);
	json_decref(list);
}

static void no_ranking_below_six_sessions(void **state)
{
	json_t *list;

	(void)state;
	begin();
	add_sessions("ext4", "default", "hot", 6, 3);
	add_sessions("xfs", "default", "hot", 5, 1);
	add_sessions("f2fs", "default", "hot", 6, 2);
	add_sessions("btrfs", "default", "hot", 1, 9);
	trials[count - 1].verified = false;
	list = ranking();
	assert_true(json_is_null(field(json_array_get(list, 0), "sure")));
	assert_string_equal(field_text(json_array_get(list, 0), "why", ""),
			    "fewer than six sessions: xfs, btrfs");
	assert_place(place(list, 0, 0), "xfs", 1, -1);
	assert_place(place(list, 0, 1), "f2fs", 2, -1);
	assert_place(place(list, 0, 3), "btrfs", 0, -1);
	assert_true(json_is_null(field(place(list, 0, 3), "median_seconds")));
	json_decref(list);
}

static void what_cannot_be_ranked_says_why(void **state)
{
	json_t *list;

	(void)state;
	begin();
	add_sessions("ext4", "default", "hot", 6, 1);
	list = ranking();
	assert_string_equal(field_text(json_array_get(list, 0), "why", ""), "one filesystem only");
	assert_true(json_is_null(field(json_array_get(list, 0), "sure")));
	json_decref(list);
	begin();
	add_sessions("ext4", "default", "hot", 6, 1);
	add_sessions("xfs", "default", "hot", 51, 2);
	list = ranking();
	assert_string_equal(field_text(json_array_get(list, 0), "why", ""),
			    "more than 50 sessions, too many for the exact test: xfs");
	json_decref(list);
	begin();
	for (unsigned i = 0; i < 33; i++) {
		char name[16];

		snprintf(name, sizeof(name), "fs%u", i);
		add_sessions(name, "default", "hot", 6, 1 + i);
	}
	list = ranking();
	assert_string_equal(field_text(json_array_get(list, 0), "why", ""),
			    "more than 32 filesystems");
	assert_place(place(list, 0, 32), "fs32", 33, -1);
	json_decref(list);
}

/* Four filesystems in four rankings are 24 pairs, one more than six sessions bear. */
static void add_four(unsigned sessions)
{
	static const char *const filesystems[] = { "ext4", "xfs", "f2fs", "btrfs" };
	static const char *const operations[] = { "remove", "install" };

	begin();
	for (unsigned i = 0; i < 16; i++) {
		add_sessions(filesystems[i % 4], "default", i < 8 ? "hot" : "cold", sessions,
			     1 + i % 4);
		for (unsigned j = 1; j <= sessions; j++)
			snprintf(trials[count - j].cell.operation,
				 sizeof(trials[count - j].cell.operation), "%s",
				 operations[i / 4 % 2]);
	}
}

static void too_many_pairs_are_told_by_number(void **state)
{
	json_t *list;

	(void)state;
	add_four(6);
	list = ranking();
	assert_int_equal(json_array_size(list), 4);
	assert_true(json_is_false(field(json_array_get(list, 0), "sure")));
	assert_string_equal(field_text(json_array_get(list, 0), "why", ""),
			    "24 pairs are too many for so few sessions: no difference, however "
			    "large, would be significant; 7 sessions each would do");
	json_decref(list);
	add_four(7);
	list = ranking();
	assert_true(json_is_true(field(json_array_get(list, 3), "sure")));
	json_decref(list);
}

/* What another engine does, or under another governor, is another table, with a correction of its
 * own. */
static void tables_are_corrected_by_themselves(void **state)
{
	json_t *list;

	(void)state;
	begin();
	for (unsigned i = 0; i < 10; i++) {
		add_sessions("ext4", "default", "hot", 6, 1);
		add_sessions("xfs", "default", "hot", 6, 2);
		for (unsigned j = 1; j <= 12; j++) {
			trials[count - j].cell.threads = i / 2 + 1;
			if (i % 2)
				strcpy(trials[count - j].cell.governor, "powersave");
		}
	}
	list = ranking();
	assert_int_equal(json_array_size(list), 10);
	for (size_t i = 0; i < 10; i++)
		assert_true(fabs(field_number(place(list, i, 1), "p") - 2.0 / 924) < 1e-12);
	json_decref(list);
}

static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in: %s", part, text);
}

static json_t *report_of_trials(void)
{
	json_t *lines = json_array(), *report;

	for (size_t i = 0; i < count; i++)
		json_array_append_new(lines, trial_to_json(&trials[i]));
	report = report_build(lines);
	json_decref(lines);
	return report;
}

static void the_text_has_places_and_stars(void **state)
{
	json_t *report;
	char *table;

	(void)state;
	begin();
	add_sessions("ext4", "default", "hot", 6, 2);
	add_sessions("xfs", "default", "hot", 6, 1);
	add_sessions("f2fs", "default", "hot", 6, 1.001);
	add_sessions("ext4", "default", "cold", 6, 2);
	add_sessions("xfs", "default", "cold", 5, 1);
	report = report_of_trials();
	table = report_table(report);
	assert_contains(table,
		"Ranking by the seconds of the blit\n"
		"                             seconds   times        p\n"
		"remove  hot    1  xfs             1.02    1.00        -\n"
		"               2  f2fs            1.03    1.00   0.6991\n"
		"               3  ext4            2.05    2.00   0.0065 *\n"
		"                  not significantly behind xfs: f2fs\n"
		"remove  cold no ranking: fewer than six sessions: xfs\n"
		"\n"
		"times: as long as the first. *: longer, and not by chance:");
	free(table);
	json_decref(report);
}

static void the_text_says_that_there_is_none(void **state)
{
	json_t *report;
	char *table;

	(void)state;
	begin();
	add_sessions("ext4", "default", "hot", 5, 2);
	add_sessions("xfs", "default", "hot", 5, 1);
	report = report_of_trials();
	table = report_table(report);
	assert_contains(table, "\nno ranking: fewer than six sessions\n");
	free(table);
	json_decref(report);
	begin();
	add_sessions("ext4", "default", "hot", 5, 2);
	report = report_of_trials();
	table = report_table(report);
	assert_null(strstr(table, "anking"));
	free(table);
	json_decref(report);
}

/* Filesystems that do not differ: in at most 5 % of all tables some star is given. */
static void equals_seldom_get_a_star(void **state)
{
	static const char *const filesystems[] = { "ext4", "xfs", "f2fs" };
	enum { TABLES = 400 };
	unsigned false_tables = 0;
	uint64_t seed = 2;

	(void)state;
	for (unsigned table = 0; table < TABLES; table++) {
		bool starred = false;
		json_t *list;

		begin();
		for (unsigned i = 0; i < 12 * 6; i++) {
			add(filesystems[i % 3], "default", i / 3 % 2 ? "hot" : "cold", i / 12 + 1,
			    skewed_noise(&seed));
			if (i / 6 % 2)
				snprintf(trials[i].cell.operation, sizeof(trials[i].cell.operation),
					 "install");
		}
		list = ranking();
		assert_int_equal(json_array_size(list), 4);
		for (size_t group = 0; group < 4; group++)
			for (size_t index = 1; index < 3; index++)
				starred = starred ||
					  json_is_true(field(place(list, group, index), "star"));
		false_tables += starred;
		json_decref(list);
	}
	print_message("%u of %u tables of equals have a star\n", false_tables, TABLES);
	assert_in_range(false_tables, 0, TABLES / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_fastest_is_first),
		cmocka_unit_test(it_is_not_sure_where_two_overlap),
		cmocka_unit_test(equal_medians_share_a_place),
		cmocka_unit_test(no_ranking_below_six_sessions),
		cmocka_unit_test(what_cannot_be_ranked_says_why),
		cmocka_unit_test(too_many_pairs_are_told_by_number),
		cmocka_unit_test(tables_are_corrected_by_themselves),
		cmocka_unit_test(the_text_has_places_and_stars),
		cmocka_unit_test(the_text_says_that_there_is_none),
		cmocka_unit_test(equals_seldom_get_a_star),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
