/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.html: what its first screen says, that nothing of a journal is taken for markup, its size. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "html_fixture.h"
#include "report_fixture.h"

/* Takes the lines. */
static char *page_of(json_t *lines)
{
	json_t *report = report_build(lines);
	char *html;

	assert_non_null(report);
	html = report_html(report);
	assert_non_null(html);
	assert_true(strlen(html) <= 300 * 1024);
	assert_non_null(strstr(html, "</html>"));
	json_decref(report);
	json_decref(lines);
	return html;
}

#define assert_says(html, words)                                          \
	do {                                                              \
		if (!strstr(html, words))                                 \
			fail_msg("the page does not have: %s", words);    \
	} while (0)
#define assert_silent(html, words)                                        \
	do {                                                              \
		if (strstr(html, words))                                  \
			fail_msg("the page has: %s", strstr(html, words)); \
	} while (0)

/* The page without its style sheet, as a reader's eye has it: no tags, entities as they are. */
static char *words_of(const char *html)
{
	char *words = malloc(strlen(html) + 1), *to = words;
	bool tag = false;

	assert_non_null(words);
	for (const char *at = strstr(html, "<body>"); *at; at++) {
		if (*at == '<')
			tag = true;
		if (!tag)
			*to++ = *at;
		if (*at == '>')
			tag = false;
	}
	*to = '\0';
	return words;
}

static void assert_first_words(json_t *lines, const char *expected)
{
	char *html = page_of(lines), *words = words_of(html);

	assert_says(words, expected);
	free(words);
	free(html);
}

/* --- the answer --- */

static json_t *three_filesystems(unsigned sessions)
{
	json_t *lines = json_array();

	for (unsigned round = 1; round <= sessions; round++) {
		add_blit(lines, "ext4", "cold", "remove", round, 6.2);
		add_blit(lines, "ext4", "hot", "remove", round, 1.0);
		add_blit(lines, "xfs", "cold", "remove", round, 2.0);
		add_blit(lines, "xfs", "hot", "remove", round, 1.2);
	}
	return lines;
}

static void the_first_words_answer_the_question(void **state)
{
	(void)state;
	assert_first_words(three_filesystems(1),
			   "With cold caches, xfs was 3.1&nbsp;times as fast as ext4.");
	assert_first_words(three_filesystems(1),
			   "With hot caches, ext4 was 1.20&nbsp;times as fast as xfs.");
	assert_first_words(three_filesystems(1), "No ranking: one fresh filesystem of each kind "
						 "was measured, and it takes six");
	assert_first_words(three_filesystems(5), "No ranking: 5 fresh filesystems of each kind were");
}

static json_t *ranked(const char *sure, const char *star)
{
	json_t *lines = three_filesystems(6), *report = report_build(lines);
	char text[900];

	snprintf(text, sizeof(text),
		 "[{\"engine\":\"moss-2025\",\"strategy\":\"hardlink\",\"threads\":1,"
		 "\"store\":\"3x2\",\"governor\":null,\"cache\":\"cold\",\"operation\":\"remove\","
		 "\"sure\":%s,\"why\":\"Because <so>.\",\"places\":["
		 "{\"filesystem\":\"xfs\",\"variant\":\"default\",\"place\":1,\"star\":null},"
		 "{\"filesystem\":\"ext4\",\"variant\":\"default\",\"place\":2,\"star\":%s}]}]",
		 sure, star);
	json_object_set_new(report, "ranking", json_loads(text, 0, NULL));
	json_decref(lines);
	return report;
}

static void assert_ranked(const char *sure, const char *star, const char *expected)
{
	json_t *report = ranked(sure, star);
	char *html = report_html(report), *words = words_of(html);

	assert_says(words, expected);
	assert_says(words, "Because &lt;so&gt;.");
	free(words);
	free(html);
	json_decref(report);
}

static void a_ranking_decides_how_sure(void **state)
{
	(void)state;
	assert_ranked("true", "true", "With cold caches, xfs is 3.1&nbsp;times as fast as ext4.");
	assert_ranked("true", "true", "How sureSure: Because");
	assert_ranked("false", "false", "With cold caches, xfs cannot be told from ext4.");
	assert_ranked("false", "false", "How sureNot all of it: Because");
}

/* Six sessions that are all apart are enough. */
static void the_report_s_own_ranking_is_told(void **state)
{
	(void)state;
	assert_first_words(three_filesystems(6),
			   "With cold caches, xfs is 3.1&nbsp;times as fast as ext4.");
	assert_first_words(three_filesystems(6), "How sureSure: xfs is ahead of all others");
}

static void reads_say_why(void **state)
{
	(void)state;
	assert_first_words(three_filesystems(1), "For each entry the cold disk had to answer "
						 "0.400\u00a0reads on xfs and 1.24 on ext4; hot, "
						 "none.");
}

static void another_way_that_helps_is_named(void **state)
{
	json_t *lines = three_filesystems(1);

	(void)state;
	add_blit_by(lines, "handle", "ext4", "cold", "remove", 1, 0.5);
	assert_first_words(lines, "What helpshandle, 1 thread on ext4: 0.500\u00a0s with cold "
				  "caches, 12 times as fast as moss's own way there.");
	lines = three_filesystems(1);
	add_blit_by(lines, "handle", "ext4", "cold", "remove", 1, 50);
	assert_first_words(lines, "None of the 1 other ways to blit was faster with cold caches.");
}

static void the_published_table_stands_beside(void **state)
{
	json_t *lines = three_filesystems(1);
	char *html;

	(void)state;
	html = page_of(lines);
	assert_says(html, "xfs remove<td>6.06<td>11.8<td>1.96");
	assert_says(html, "ext4 remove<td>5.58<td>63.3<td>11");
	assert_says(html, "on another machine");
	assert_says(html, "one run per cell");
	assert_silent(html, "f2fs remove");
	free(html);
}

/* --- runs without an answer --- */

static json_t *verdict(const char *status, const char *rule, const char *reason)
{
	return json_pack("[{s:s, s:s, s:s?, s:s?}]", "record", "verdict", "status", status, "rule",
			 rule, "reason", reason);
}

static void a_run_that_failed_says_what_to_do(void **state)
{
	json_t *lines;
	char *html;

	(void)state;
	html = page_of(verdict("refused", "no-match", "No partition is labelled <so>."));
	assert_says(html, "<h1>The run was refused: nothing was measured.</h1>");
	assert_says(html, "<strong>Refused.</strong> No partition is labelled &lt;so&gt;. "
			  "(rule: no-match)");
	assert_says(html, "docs/safety.md");
	assert_silent(html, "Hot and cold");
	assert_silent(html, "bare metal");
	free(html);
	html = page_of(verdict("aborted", NULL, "A key was pressed."));
	assert_says(html, "<h1>The run was stopped before anything was measured.</h1>");
	free(html);
	html = page_of(verdict("failed", NULL, "mkfs failed."));
	assert_says(html, "<strong>The run failed.</strong> mkfs failed.");
	free(html);
	lines = verdict("complete", NULL, "nothing was written to <it>");
	json_array_append_new(lines, json_pack("{s:s, s:s, s:b}", "record", "run", "id", "dry",
					       "dry_run", 1));
	html = page_of(lines);
	assert_says(html, "<h1>A dry run: nothing was formatted, and nothing was measured.</h1>");
	assert_says(html, "<strong>Dry run.</strong> nothing was written to &lt;it&gt;");
	free(html);
	html = page_of(json_array());
	assert_says(html, "The run ended before anything was measured.");
	free(html);
	lines = three_filesystems(1);
	json_array_append_new(lines, json_pack("{s:s, s:s, s:s}", "record", "verdict", "status",
					       "partial", "reason", "The power went."));
	html = page_of(lines);
	assert_says(html, "<h1>With cold caches, ");
	assert_says(html, "<strong>Partial run.</strong> The power went.");
	free(html);
}

static void trials_that_do_not_count_give_no_answer(void **state)
{
	struct trial_record trial = example_trial();
	json_t *lines = verdict("complete", NULL, NULL);
	char *html;

	(void)state;
	trial.verified = false;
	json_array_append_new(lines, trial_to_json(&trial));
	html = page_of(lines);
	assert_says(html, "<h1>Every trial was flagged as not valid.</h1>");
	assert_says(html, "<b>1 of 1 trials do not count</b>");
	assert_says(html, "class=hole");
	assert_says(html, "the tree was not verified");
	assert_says(html, "ext4, hot, remove: no valid trial");
	assert_silent(html, ">nan");
	assert_silent(html, " nan ");
	free(html);
}

/* --- latency and the timeline --- */

static void latencies_are_drawn_where_they_were_recorded(void **state)
{
	struct trial_record trial = example_trial();
	json_t *lines = json_array();
	char *html;

	(void)state;
	html = page_of(three_filesystems(1));
	assert_silent(html, "<h2>How long single calls took");
	assert_says(html, "latency=yes records it");
	free(html);
	json_decref(trial.details);
	trial.details = json_pack("{s:{s:[{s:s, s:i, s:f, s:{s:i, s:i}}]}}", "latency", "calls",
		"call", "link<at>", "count", 4, "seconds", 0.1, "buckets", "1000", 3, "1000000", 1);
	json_array_append_new(lines, trial_to_json(&trial));
	html = page_of(lines);
	assert_says(html, "<h2>How long single calls took");
	assert_says(html, "<b>link&lt;at&gt;</b>");
	/* From 1 us to 1 ms: three quarters at the left end, all at the right one. */
	assert_says(html, "d=\"M1 1000L1 250L1000 0\"/>");
	free(html);
	json_decref(trial.details);
}

static void the_timeline_has_the_machine_s_readings(void **state)
{
	json_t *lines = three_filesystems(1), *report, *trial;
	size_t index;
	char *html;

	(void)state;
	html = page_of(three_filesystems(1));
	assert_silent(html, "What ran when");
	assert_says(html, "When each session and trial ran.");
	free(html);
	json_array_append_new(lines, json_pack("{s:s, s:i, s:s, s:s, s:i, s:i}", "record",
		"session", "round", 1, "filesystem", "ext4", "variant", "default", "at_seconds", 10,
		"seconds", 90));
	report = report_build(lines);
	json_array_foreach(json_object_get(report, "trials"), index, trial) {
		json_object_set_new(trial, "at_seconds", json_integer((json_int_t)index * 20));
		json_object_set_new(trial, "details", json_pack("{s:{s:{s:i, s:i}, s:{s:i, s:i}}}",
			"machine", "before", "kilohertz", 3200000, "package_celsius", 40, "after",
			"kilohertz", 4000000, "package_celsius", 60));
	}
	html = report_html(report);
	assert_says(html, "What ran when");
	assert_says(html, "CPU package <small>40.0 to 60.0\u00a0\u00b0C");
	assert_says(html, "CPU clock <small>3.20 to 4.00\u00a0GHz");
	assert_silent(html, "Drive <small>");
	assert_says(html, "<rect class=session x=100 width=900");
	free(html);
	json_decref(report);
	json_decref(lines);
}

/* --- hostile journals --- */

/* No tag but those of the program, and nothing that a terminal or an eye could be misled by. */
static void assert_clean(const char *html)
{
	assert_silent(html, "<hostile");
	assert_silent(html, "&hostile");
	assert_silent(html, "\"hostile");
	assert_silent(html, "'hostile");
	for (const unsigned char *at = (const unsigned char *)html; *at; at++) {
		assert_true(*at == '\n' || *at >= ' ');
		assert_int_not_equal(*at, 0x7f);
	}
	assert_silent(html, "\xe2\x80\xae"); /* turns the direction of writing */
	assert_silent(html, "\xc2\x9b");
}

static void nothing_of_a_journal_is_markup(void **state)
{
	static const char *const words[] = {
		"<hostile x=\"1\">", "&hostile;", "\"hostile\"", "'hostile'", "]]>--></style>",
		"\x1b[2J", "\xff\xfe", "\xe2\x80\xae" "hostile\xc2\x9b", "a\tb\r\nc",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(words); i++) {
		char *html = page_of(hostile_run(words[i], 1));

		assert_clean(html);
		assert_ptr_equal(strstr(strstr(html, "</style>") + 1, "</style>"), NULL);
		free(html);
	}
}

static void a_page_stays_small_whatever_the_run(void **state)
{
	/* So many words of so many letters: the longer, the fewer, all of which are far more than a
	 * page may hold. */
	static const struct {
		unsigned letters, words;
	} sizes[] = { { 10000, 100 }, { 1000, 400 } };
	char *html = page_of(full_profile(4000));

	(void)state;
	assert_says(html, "Of more than 24 trials every n-th has a dot.");
	free(html);
	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++)
		for (const char *letter = "W\""; *letter; letter++) {
			char word[10001] = "";

			memset(word, *letter, sizes[i].letters);
			html = page_of(hostile_run(word, sizes[i].words));
			assert_says(html, "left out here to keep this page small");
			free(html);
		}
}

/* Trials whose times overlap and sensors that jump, as no run has them. */
static void a_timeline_in_disorder_stays_small(void **state)
{
	json_t *lines = json_array();

	(void)state;
	for (unsigned i = 0; i < 3000; i++) {
		struct trial_record trial = example_trial();

		trial.number = i;
		trial.at_seconds = i * 7919 % 3001;
		trial.seconds = 100 + i % 900;
		trial.details = json_pack("{s:{s:{s:i}, s:{s:i}}}", "machine", "before", "package_celsius",
					  (int)(20 + i % 70), "after", "package_celsius", (int)(90 - i % 70));
		json_array_append_new(lines, trial_to_json(&trial));
		trial_record_free(&trial);
	}
	free(page_of(lines));
}

/* More than anybody has; the fastest are drawn. */
static void many_filesystems_have_room(void **state)
{
	json_t *lines = json_array();
	char *html, name[16];

	(void)state;
	for (unsigned i = 0; i < 150; i++)
		for (unsigned j = 0; j < 4; j++) {
			snprintf(name, sizeof(name), "fs%u", i);
			add_blit(lines, name, j / 2 ? "cold" : "hot", j % 2 ? "install" : "remove", 1, 1 + i);
		}
	html = page_of(lines);
	assert_says(html, "colspan=3>fs0 ");
	assert_says(html, " filesystems more: left out here");
	assert_says(html, "How it was measured");
	free(html);
}

/* A report.json may have flags that no journal could tell. */
static void flags_may_have_any_length(void **state)
{
	json_t *lines = three_filesystems(1), *report = report_build(lines), *flags = json_array();
	char words[2001] = "", *html;

	(void)state;
	memset(words, 'w', sizeof(words) - 1);
	for (unsigned i = 0; i < 2; i++) {
		words[200] = i ? '\n' : 'w';
		json_array_append_new(flags, json_pack("{s:s, s:s, s:s}", "name", words, "level",
						       i ? words : "note", "detail", words));
	}
	json_object_set_new(json_array_get(field(report, "trials"), 0), "flags", flags);
	html = report_html(report);
	assert_non_null(html);
	assert_true(strlen(html) <= 300 * 1024);
	assert_says(html, "<th scope=row>wwww");
	free(html);
	json_decref(report);
	json_decref(lines);
}

static void an_object_may_nest_as_deep_as_it_likes(void **state)
{
	json_t *deep = json_integer(7), *lines = three_filesystems(1);
	char *html;

	(void)state;
	for (unsigned i = 0; i < 500; i++)
		deep = json_pack("{s:[o]}", "deeper", deep);
	json_array_append_new(lines, json_pack("{s:s, s:o, s:{s:i, s:b}}", "record", "machine",
					       "dmi", deep, "cpu", "cores", 2, "odd_thing", 1));
	html = page_of(lines);
	assert_says(html, "<dt>cpu cores</dt><dd>2</dd>");
	assert_says(html, "<dt>cpu odd thing</dt><dd>yes</dd>");
	free(html);
}

/* --- the whole of it --- */

static void it_needs_nothing_else(void **state)
{
	json_t *report = golden();
	char *html = report_html(report);

	(void)state;
	assert_silent(html, "<script");
	assert_silent(html, "<link");
	assert_silent(html, "src=");
	assert_silent(html, "href=");
	assert_silent(html, "url(");
	assert_silent(html, "@import");
	assert_silent(html, "http:");
	assert_silent(html, "https:");
	free(html);
	json_decref(report);
}

/* The page that is shown to the world is the one that this program makes. */
static void the_example_is_this_programs(void **state)
{
	unsigned damaged;
	json_t *report = report_of("docs/example/journal.jsonl", &damaged);
	_cleanup_free_ char *html = report_html(report), *shown = slurp("docs/example/report.html");

	(void)state;
	assert_int_equal(damaged, 0);
	assert_string_equal(html, shown);
	json_decref(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_words_answer_the_question),
		cmocka_unit_test(a_ranking_decides_how_sure),
		cmocka_unit_test(the_report_s_own_ranking_is_told),
		cmocka_unit_test(reads_say_why),
		cmocka_unit_test(another_way_that_helps_is_named),
		cmocka_unit_test(the_published_table_stands_beside),
		cmocka_unit_test(a_run_that_failed_says_what_to_do),
		cmocka_unit_test(trials_that_do_not_count_give_no_answer),
		cmocka_unit_test(latencies_are_drawn_where_they_were_recorded),
		cmocka_unit_test(the_timeline_has_the_machine_s_readings),
		cmocka_unit_test(nothing_of_a_journal_is_markup),
		cmocka_unit_test(a_page_stays_small_whatever_the_run),
		cmocka_unit_test(a_timeline_in_disorder_stays_small),
		cmocka_unit_test(many_filesystems_have_room),
		cmocka_unit_test(flags_may_have_any_length),
		cmocka_unit_test(an_object_may_nest_as_deep_as_it_likes),
		cmocka_unit_test(it_needs_nothing_else),
		cmocka_unit_test(the_example_is_this_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
