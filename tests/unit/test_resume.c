/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Going on with a run that was cut short: what is taken over, what is made again, and what stands in the way. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "report/report.h"
#include "run/resume.h"

#include <string.h>

static struct run run;

/* What both runs say of themselves; each may be spoiled. */
static const char *const told[][2] = {
	{ "run", "{\"id\":\"b\",\"image\":{\"digest\":\"d1\"},\"kernel\":{\"release\":\"6.12\",\"build_id\":\"c0\"},\"config\":{\"rounds\":\"2\",\"resume\":\"no\"}}" },
	{ "workload", "{\"digest\":\"w1\"}" },
	{ "machine", "{\"cpu\":{\"model\":\"an EPYC\"},\"memory_bytes\":4096000}" },
	{ "target", "{\"partuuid\":\"p1\",\"disk\":{\"serial\":\"s1\"}}" },
};

static const char *const before[] = {
	"{\"record\":\"session\",\"round\":1,\"filesystem\":\"ext4\",\"variant\":\"default\",\"store\":\"3x2\",\"status\":\"running\"}",
	"{\"record\":\"trial\",\"round\":1,\"filesystem\":\"ext4\",\"variant\":\"default\",\"store\":\"3x2\",\"verified\":true}",
	"{\"record\":\"trial\",\"round\":1,\"filesystem\":\"ext4\",\"variant\":\"default\",\"store\":\"3x2\",\"verified\":false}",
	"{\"record\":\"note\",\"text\":\"of the run that was cut short\"}",
	"{\"record\":\"session\",\"round\":1,\"filesystem\":\"ext4\",\"variant\":\"default\",\"store\":\"3x2\",\"status\":\"complete\","
	"\"at_seconds\":4.0,\"seconds\":100.0}",
	"{\"record\":\"session\",\"round\":1,\"filesystem\":\"xfs\",\"variant\":\"default\",\"store\":\"3x2\",\"status\":\"failed\","
	"\"at_seconds\":104.0,\"seconds\":9.0}",
	"{\"record\":\"session\",\"round\":2,\"filesystem\":\"ext4\",\"variant\":\"default\",\"store\":\"3x2\",\"status\":\"running\"}",
	"{\"record\":\"trial\",\"round\":2,\"filesystem\":\"ext4\",\"variant\":\"default\",\"store\":\"3x2\",\"verified\":true}",
};

static json_t *parsed(const char *text)
{
	json_t *value = json_loads(text, 0, NULL);

	assert_non_null(value);
	return value;
}

/* The run that was cut short, and this one as far as its target. */
static int begin(void **state)
{
	(void)state;
	run_init(&run, NULL);
	assert_int_equal(journal_create(&run.journal, -1), 0);
	run.started = 1000;
	run.plan = (struct plan){
		.resume = true,
		.rounds = 2,
		.filesystems = { filesystem_find("ext4"), filesystem_find("xfs") },
		.filesystem_count = 2,
		.stores = { fanout_find("3x2") },
		.store_count = 1,
	};
	strcpy(run.unfinished.source, "20250101-000000-0001");
	run.unfinished.lines = json_array();
	for (size_t i = 0; i < ARRAY_LENGTH(told); i++) {
		journal_append(run.journal, told[i][0], parsed(told[i][1]));
		json_t *line = parsed(told[i][1]);
		json_object_set_new(line, "record", json_string(told[i][0]));
		json_array_append_new(run.unfinished.lines, line);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(before); i++)
		json_array_append_new(run.unfinished.lines, parsed(before[i]));
	return 0;
}

static int end(void **state)
{
	(void)state;
	run_release(&run);
	return 0;
}

/* How many lines of the journal are of this record. */
static unsigned lines_of(const char *record)
{
	const json_t *line;
	unsigned count = 0;
	size_t index;

	json_array_foreach(journal_lines(run.journal), index, line)
		count += !strcmp(json_string_value(json_object_get(line, "record")), record);
	return count;
}

static void finished_sessions_are_taken_over_and_others_made_again(void **state)
{
	(void)state;
	assert_int_equal(run_resume(&run), 0);
	assert_int_equal(lines_of("resume"), 1);
	assert_int_equal(lines_of("session"), 2); /* told before and after its trials */
	assert_int_equal(lines_of("trial"), 2);
	assert_int_equal(lines_of("note"), 0);
	assert_int_equal(resume_unverified(&run), 1);
	assert_true(resume_has(&run, 1, 0));
	assert_false(resume_has(&run, 1, 1)); /* failed */
	assert_false(resume_has(&run, 2, 0));
	assert_false(resume_has(&run, 2, 1)); /* not finished */
	assert_null(run.unfinished.lines);
	/* The next session's time goes on where the last one's ended. */
	assert_float_equal(run.started, 1000 - 104, 1e-9);
}

static unsigned made;

static int make_session(struct run *which, const struct room *room, struct session_request *request)
{
	(void)which, (void)room;
	made |= 1u << (request->round * 2 + !strcmp(request->fs->type, "xfs"));
	return 0;
}

static void only_what_is_missing_is_made(void **state)
{
	(void)state;
	assert_int_equal(run_resume(&run), 0);
	made = 0;
	assert_int_equal(run_sessions_in(&run, make_session), 0);
	/* Round 2 begins with the other one. */
	assert_int_equal(made, 1u << 3 | 1u << 4 | 1u << 5);
	/* A trial that was not verified is none the better for it. */
	assert_int_equal(run.status, RUN_PARTIAL);
	assert_string_equal(run.reason, "1 trial failed or left a tree that is not what it should be");
}

static void the_report_tells_whose_sessions_they_are(void **state)
{
	(void)state;
	assert_int_equal(run_resume(&run), 0);
	run_ended(&run, RUN_COMPLETE, "");
	assert_int_equal(run_report(&run), 0);
	const json_t *resumed = json_object_get(json_object_get(run.report, "run"), "resumed");
	assert_string_equal(json_string_value(json_object_get(resumed, "run")), "20250101-000000-0001");
	assert_int_equal(json_integer_value(json_object_get(resumed, "sessions")), 1);
	assert_float_equal(json_number_value(json_object_get(resumed, "seconds")), 104, 1e-9);
	json_decref(run.report);
}

/* Each that makes two runs differ, by record, object, key and the words that tell it. */
static void nothing_is_taken_over_from_what_differs(void **state)
{
	static const char *const spoiled[][4] = {
		{ "run", "image", "digest", "another version of the program" },
		{ "run", "kernel", "release", "another kernel" },
		{ "run", "kernel", "build_id", "another build of the kernel" },
		{ "run", "config", "rounds", "rounds was set to something else" },
		{ "workload", NULL, "digest", "another workload" },
		{ "machine", "cpu", "model", "another machine" },
		{ "machine", NULL, "memory_bytes", "another amount of memory" },
		{ "target", NULL, "partuuid", "another target" },
		{ "target", "disk", "serial", "another disk" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(spoiled) * 2; i++) {
		const char *const *which = spoiled[i / 2];
		json_t *line;
		size_t index;

		end(state);
		begin(state);
		json_array_foreach(run.unfinished.lines, index, line)
		{
			json_t *object = which[1] ? json_object_get(line, which[1]) : line;

			if (strcmp(json_string_value(json_object_get(line, "record")), which[0]))
				continue;
			/* What is not known is not the same either. */
			json_object_set_new(object, which[2], i % 2 ? json_string("other") : json_null());
		}
		assert_int_equal(run_resume(&run), 0);
		assert_int_equal(lines_of("resume") + lines_of("trial") + lines_of("session"), 0);
		assert_false(resume_has(&run, 1, 0));
		const json_t *last = json_array_get(journal_lines(run.journal),
						    json_array_size(journal_lines(run.journal)) - 1);
		assert_non_null(strstr(json_string_value(json_object_get(last, "text")), which[3]));
	}
}

/* What the kernel keeps for itself is not the same in each boot. */
static void memory_need_not_be_the_same_to_the_byte(void **state)
{
	(void)state;
	for (int i = 0; i < 4; i++) {
		const json_int_t bytes[] = { 4096000 - 36000, 4096000 + 36000, 4096000 - 50000, 4096000 + 50000 };
		json_t *line;
		size_t index;

		end(state);
		begin(state);
		json_array_foreach(run.unfinished.lines, index, line)
		{
			if (json_object_get(line, "memory_bytes"))
				json_object_set_new(line, "memory_bytes", json_integer(bytes[i]));
		}
		assert_int_equal(run_resume(&run), 0);
		assert_int_equal(lines_of("resume"), i < 2);
	}
}

static void that_there_is_nothing_to_go_on_with_is_noted(void **state)
{
	(void)state;
	json_array_clear(run.unfinished.lines);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(run_resume(&run), 0);
		assert_int_equal(lines_of("resume") + lines_of("trial") + lines_of("session"), 0);
		assert_int_equal(lines_of("note"), 1 + i);
		assert_null(run.unfinished.lines);
	}
}

static void who_does_not_ask_begins_anew(void **state)
{
	(void)state;
	run.plan.resume = false;
	assert_int_equal(run_resume(&run), 0);
	assert_int_equal(lines_of("resume") + lines_of("trial") + lines_of("note"), 0);
	run.plan.resume = run.plan.dry_run = true;
	assert_int_equal(run_resume(&run), 0);
	assert_int_equal(lines_of("resume") + lines_of("trial") + lines_of("note"), 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(finished_sessions_are_taken_over_and_others_made_again),
		test(only_what_is_missing_is_made),
		test(the_report_tells_whose_sessions_they_are),
		test(nothing_is_taken_over_from_what_differs),
		test(memory_need_not_be_the_same_to_the_byte),
		test(that_there_is_nothing_to_go_on_with_is_noted),
		test(who_does_not_ask_begins_anew),
	};
	return cmocka_run_group_tests_name("resume", tests, NULL, NULL);
}
