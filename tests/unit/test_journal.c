/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records and the journal: round trips, failing writes, damaged and cut files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "journal_fixture.h"
#include "lib/error.h"
#include "report/journal.h"
#include "report/json.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

static void assert_same_trial(const struct trial_record *a, const struct trial_record *b)
{
	json_t *left = trial_to_json(a), *right = trial_to_json(b);

	assert_non_null(left);
	assert_true(json_equal(left, right));
	json_decref(left);
	json_decref(right);
}

static void trial_survives_the_journal(void **state)
{
	struct trial_record trial = example_trial(), back;
	json_t *json;
	char *text;

	(void)state;
	trial_flag(&trial, "not-hot", FLAG_INVALID, "%d reads", 12);
	trial_flag(&trial, "other-io", FLAG_NOTE, "somebody read");
	trial.details = json_pack("{s:i}", "cached_inodes", 5);
	trial.io.discards = COUNT_UNKNOWN;
	strcpy(trial.cell.governor, "performance");
	trial.at_seconds = 30.5;
	json = trial_to_json(&trial);
	text = json_dumps(json, JSON_LINE_FLAGS);
	json_decref(json);
	json = json_loads(text, 0, NULL);
	free(text);
	assert_int_equal(trial_from_json(&back, json), 0);
	json_decref(json);
	assert_same_trial(&trial, &back);
	assert_int_equal(back.number, 2);
	assert_int_equal(back.cell.threads, 1);
	assert_string_equal(back.cell.filesystem, "ext4");
	assert_string_equal(back.cell.strategy, "");
	assert_string_equal(back.cell.governor, "performance");
	assert_true(back.at_seconds == 30.5);
	assert_true(back.seconds == 0.5 && back.quiesced_seconds == 1.5);
	assert_true(isnan(back.prune_seconds));
	assert_true(back.io.write_bytes == 28672 && back.io.discards == COUNT_UNKNOWN);
	assert_int_equal(back.flag_count, 2);
	assert_string_equal(back.flags[0].detail, "12 reads");
	assert_int_equal(back.flags[0].level, FLAG_INVALID);
	assert_int_equal(back.flags[1].level, FLAG_NOTE);
	assert_int_equal(json_integer_value(json_object_get(back.details, "cached_inodes")), 5);
	trial_record_free(&trial);
	trial_record_free(&back);
}

static void what_is_not_measured_is_null(void **state)
{
	struct trial_record trial = example_trial();
	json_t *json;

	(void)state;
	trial.seconds = NAN;
	trial.durable_seconds = INFINITY;
	trial.quiesced_seconds = -INFINITY;
	trial.io.reads = COUNT_UNKNOWN;
	json = trial_to_json(&trial);
	assert_true(json_is_null(json_object_get(json, "seconds")));
	assert_true(json_is_null(json_object_get(json, "entries_per_second")));
	assert_true(json_is_null(json_object_get(json, "durable_seconds")));
	assert_true(json_is_null(json_object_get(json, "quiesced_seconds")));
	assert_true(json_is_null(json_object_get(json_object_get(json, "io"), "reads")));
	assert_true(json_is_null(json_object_get(json, "strategy")));
	json_decref(json);
	/* A time of zero has no rate. */
	trial.seconds = 0;
	json = trial_to_json(&trial);
	assert_true(json_is_null(json_object_get(json, "entries_per_second")));
	json_decref(json);
}

static void hostile_bytes_become_legal_json(void **state)
{
	struct trial_record trial = example_trial(), back;
	json_t *json, *parsed;
	char *text;

	(void)state;
	strcpy(trial.cell.variant, "<b>\"\xff\xc3\x1b[2J\\'");
	trial_flag(&trial, "x\xe2\x82", FLAG_NOTE, "%s", "\xf0\x9f\x98");
	json = trial_to_json(&trial);
	text = json_dumps(json, JSON_LINE_FLAGS);
	assert_non_null(text);
	assert_null(strchr(text, '\x1b'));
	parsed = json_loads(text, 0, NULL);
	assert_true(json_equal(json, parsed));
	assert_int_equal(trial_from_json(&back, parsed), 0);
	assert_string_equal(back.cell.variant, "<b>\"\xef\xbf\xbd\xef\xbf\xbd\x1b[2J\\'");
	trial_record_free(&back);
	json_decref(parsed);
	json_decref(json);
	free(text);
}

static void no_flag_goes_unseen(void **state)
{
	struct trial_record trial = example_trial();
	char long_detail[300];

	(void)state;
	memset(long_detail, 'x', sizeof(long_detail));
	long_detail[sizeof(long_detail) - 1] = '\0';
	for (int i = 0; i < TRIAL_FLAGS_MAX; i++)
		trial_flag(&trial, "stolen-time", FLAG_NOTE, "%s", long_detail);
	assert_true(trial_valid(&trial));
	trial_flag(&trial, "kernel-error", FLAG_INVALID, "%s", long_detail);
	trial_flag(&trial, "throttled", FLAG_NOTE, "hot");
	assert_int_equal(trial.flag_count, TRIAL_FLAGS_MAX);
	assert_non_null(strstr(trial.flags[TRIAL_FLAGS_MAX - 1].detail, "throttled"));
	assert_int_equal(trial.flags[TRIAL_FLAGS_MAX - 1].level, FLAG_INVALID);
	assert_false(trial_valid(&trial));

	trial = example_trial();
	for (int i = 0; i < TRIAL_FLAGS_MAX + 2; i++)
		trial_flag(&trial, i < TRIAL_FLAGS_MAX ? "other-io" : "kernel-error", FLAG_NOTE,
			   "d%d", i);
	assert_string_equal(trial.flags[TRIAL_FLAGS_MAX - 1].detail,
			    "d7; kernel-error d8; kernel-error d9");
}

static void valid_means_verified_and_no_invalid_flag(void **state)
{
	struct trial_record trial = example_trial();

	(void)state;
	assert_true(trial_valid(&trial));
	trial_flag(&trial, "not-quiet", FLAG_NOTE, "busy");
	assert_true(trial_valid(&trial));
	trial.verified = false;
	assert_false(trial_valid(&trial));
	trial.verified = true;
	trial_flag(&trial, "not-hot", FLAG_INVALID, "read");
	assert_false(trial_valid(&trial));
}

/* Each replaced value makes the shape wrong, and the sentence names its key. */
static void wrong_shapes_are_refused(void **state)
{
	static const struct {
		const char *key, *value;
	} wrong[] = {
		{ "round", "\"1\"" },
		{ "round", "-1" },
		{ "round", "4294967296" },
		{ "threads", "null" },
		{ "filesystem", "5" },
		{ "filesystem", "\"a-name-too-long-for-a-field\"" },
		{ "entries", "null" },
		{ "entries", "-3" },
		{ "entries", "1.5" },
		{ "seconds", "\"fast\"" },
		{ "verified", "1" },
		{ "verified", "null" },
		{ "flags", "{}" },
		{ "flags", "[1]" },
		{ "flags", "[{\"name\":\"x\",\"level\":\"bad\"}]" },
	};
	const struct trial_record trial = example_trial();
	struct trial_record back;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(wrong); i++) {
		json_t *json = trial_to_json(&trial);

		json_object_set_new(json, wrong[i].key,
				    json_loads(wrong[i].value, JSON_DECODE_ANY, NULL));
		assert_int_equal(trial_from_json(&back, json), -EINVAL);
		assert_non_null(strstr(error_text(), wrong[i].key));
		json_decref(json);
	}
	assert_int_equal(trial_from_json(&back, NULL), -EINVAL);
}

static void status_names(void **state)
{
	(void)state;
	assert_string_equal(run_status_name(RUN_INCOMPLETE), "incomplete");
	assert_string_equal(run_status_name(RUN_ABORTED), "aborted");
}

/* --- the file ------------------------------------------------------------------------------- */

static json_t *note_line(int number)
{
	return json_pack("{s:i}", "text", number);
}

/* The file has just these notes behind line 1, all whole; where damaged lines are allowed, so many.
 */
static void assert_notes(const struct folder *folder, int count)
{
	json_t *lines;
	unsigned damaged;

	assert_int_equal(journal_read(folder->journal, &lines, &damaged), 0);
	assert_int_equal(damaged, 0);
	assert_int_equal(json_array_size(lines), count + 1);
	for (int i = 0; i < count; i++) {
		const json_t *line = json_array_get(lines, (size_t)i + 1);

		assert_int_equal(json_integer_value(json_object_get(line, "text")), i);
	}
	json_decref(lines);
}

static void begins_incomplete_and_ends_with_a_verdict(void **state)
{
	const struct folder *folder = *state;
	struct journal *journal;
	json_t *lines;
	unsigned damaged;
	const json_t *first, *last;

	assert_int_equal(journal_create(&journal, folder->fd), 0);
	assert_int_equal(journal_append(journal, "note", note_line(0)), 0);
	assert_int_equal(journal_verdict(journal, RUN_REFUSED, "no-match", "no such \xff label"),
			 0);
	assert_false(journal_unsaved(journal));
	assert_int_equal(journal_read(folder->journal, &lines, &damaged), 0);
	assert_int_equal(damaged, 0);
	assert_true(json_equal(lines, journal_lines(journal)));
	assert_int_equal(json_array_size(lines), 3);
	first = json_array_get(lines, 0);
	last = json_array_get(lines, 2);
	assert_string_equal(json_string_value(json_object_get(first, "record")), "verdict");
	assert_string_equal(json_string_value(json_object_get(first, "status")), "incomplete");
	assert_true(json_is_null(json_object_get(first, "reason")));
	assert_int_equal(strlen(json_string_value(json_object_get(first, "time"))), 20);
	assert_string_equal(json_string_value(json_object_get(last, "status")), "refused");
	assert_string_equal(json_string_value(json_object_get(last, "rule")), "no-match");
	assert_true(json_real_value(json_object_get(last, "uptime_seconds")) >=
		    json_real_value(json_object_get(first, "uptime_seconds")));
	json_decref(lines);
	journal_close(journal);
}

static void lines_reach_the_file_before_append_returns(void **state)
{
	const struct folder *folder = *state;
	struct journal *journal;

	assert_int_equal(journal_create(&journal, folder->fd), 0);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(journal_append(journal, "note", note_line(i)), 0);
		assert_notes(folder, i + 1);
	}
	journal_close(journal);
}

static void never_replaces_a_journal(void **state)
{
	const struct folder *folder = *state;
	struct journal *journal;

	assert_int_equal(journal_create(&journal, folder->fd), 0);
	journal_close(journal);
	assert_int_equal(journal_create(&journal, folder->fd), -EEXIST);
	assert_null(journal);
	assert_non_null(strstr(error_text(), "journal.jsonl"));
	assert_notes(folder, 0);
}

static void keeps_lines_in_memory_without_a_volume(void **state)
{
	struct journal *journal;

	(void)state;
	assert_int_equal(journal_create(&journal, -1), 0);
	assert_int_equal(journal_append(journal, "note", note_line(0)), 0);
	assert_true(journal_unsaved(journal));
	assert_int_equal(json_array_size(journal_lines(journal)), 2);
	journal_close(journal);
}

static void an_object_that_could_not_be_made_is_an_error(void **state)
{
	const struct folder *folder = *state;
	struct journal *journal;

	assert_int_equal(journal_create(&journal, folder->fd), 0);
	assert_false(journal_unsaved(journal));
	assert_int_not_equal(journal_append(journal, "note", NULL), 0);
	assert_int_not_equal(journal_append(journal, "note", json_null()), 0);
	assert_int_equal(json_array_size(journal_lines(journal)), 1);
	/* nor is it forgotten when later ones can be written */
	assert_int_equal(journal_append(journal, "note", note_line(0)), 0);
	assert_true(journal_unsaved(journal));
	journal_close(journal);
}

/* Writes beyond this size fail, after a short write up to it, as on a volume that is full. */
static void limit_files(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static off_t size_of(const char *path)
{
	struct stat status;

	assert_int_equal(stat(path, &status), 0);
	return status.st_size;
}

/* The volume is full after any number of bytes of the next two lines, then there is room again. */
static void a_failed_write_leaves_no_torn_line(void **state)
{
	const struct folder *folder = *state;
	struct journal *journal;
	off_t size;

	signal(SIGXFSZ, SIG_IGN);
	for (rlim_t room = 0; room < 60; room++) {
		unlink(folder->journal);
		assert_int_equal(journal_create(&journal, folder->fd), 0);
		size = size_of(folder->journal);
		limit_files((rlim_t)size + room);
		for (int i = 0; i < 4; i++)
			journal_append(journal, "note", note_line(i));
		assert_true(journal_unsaved(journal));
		assert_int_equal(json_array_size(journal_lines(journal)), 5);
		/* What is on the medium by now is whole as well. */
		assert_true(size_of(folder->journal) <= size + (off_t)room);
		assert_notes(folder, (int)(size_of(folder->journal) - size) / 27);
		limit_files(RLIM_INFINITY);
		assert_int_equal(journal_append(journal, "note", note_line(4)), 0);
		assert_false(journal_unsaved(journal));
		assert_notes(folder, 5);
		journal_close(journal);
	}
}

static void a_failed_write_is_told(void **state)
{
	const struct folder *folder = *state;
	struct journal *journal;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(journal_create(&journal, folder->fd), 0);
	limit_files((rlim_t)size_of(folder->journal) + 3);
	assert_int_equal(journal_append(journal, "note", note_line(0)), -EFBIG);
	assert_non_null(strstr(error_text(), "journal.jsonl"));
	assert_int_equal(journal_verdict(journal, RUN_COMPLETE, NULL, NULL), -EFBIG);
	assert_true(journal_unsaved(journal));
	limit_files(RLIM_INFINITY);
	journal_close(journal);
	assert_notes(folder, 0);
}

static char told[4][256];
static unsigned told_count;

static void remember(void *context, const char *line)
{
	(void)context;
	assert_true(told_count < ARRAY_LENGTH(told));
	snprintf(told[told_count++], sizeof(told[0]), "%s", line);
}

/* Once when it begins, and once when it is over; the journal itself says so too. */
static void who_watches_is_told_once(void **state)
{
	static const struct progress progress = { .say = remember };
	const struct folder *folder = *state;
	struct journal *journal;
	const char *note;

	signal(SIGXFSZ, SIG_IGN);
	told_count = 0;
	assert_int_equal(journal_create(&journal, folder->fd), 0);
	journal_watch(journal, &progress);
	limit_files((rlim_t)size_of(folder->journal) + 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(journal_append(journal, "note", note_line(i)), -EFBIG);
	assert_int_equal(told_count, 1);
	assert_non_null(strstr(told[0], "RESULTS CANNOT BE SAVED NOW: journal.jsonl: "));
	assert_non_null(strstr(told[0], "measuring goes on"));
	limit_files(RLIM_INFINITY);
	for (int i = 3; i < 5; i++)
		assert_int_equal(journal_append(journal, "note", note_line(i)), 0);
	assert_int_equal(told_count, 2);
	assert_non_null(strstr(told[1], "works again"));
	assert_false(journal_unsaved(journal));
	assert_int_equal(json_array_size(journal_lines(journal)), 7);
	note = json_string_value(json_object_get(json_array_get(journal_lines(journal), 2), "text"));
	assert_non_null(strstr(note, "the results volume failed during the run"));
	assert_non_null(strstr(note, "File too large"));
	journal_close(journal);
}

/* All of it is in the file: line 1 and these notes. */
static void assert_saved(const struct folder *folder, struct journal *journal, int count)
{
	assert_int_equal(journal_save(journal, folder->fd), 0);
	assert_false(journal_unsaved(journal));
	assert_notes(folder, count);
	/* and a second time there is nothing left to do */
	assert_int_equal(journal_save(journal, folder->fd), 0);
	assert_notes(folder, count);
}

static void a_volume_that_came_back_gets_the_rest(void **state)
{
	const struct folder *folder = *state;
	struct journal *journal;
	off_t whole;

	assert_int_equal(journal_create(&journal, folder->fd), 0);
	assert_int_equal(journal_append(journal, "note", note_line(0)), 0);
	journal_detach(journal);
	assert_false(journal_unsaved(journal));
	assert_int_equal(journal_append(journal, "note", note_line(1)), 0);
	assert_true(journal_unsaved(journal));
	whole = size_of(folder->journal);
	assert_saved(folder, journal, 2);

	/* cut off anywhere, in the middle of a line, or gone */
	for (off_t length = 0; length < whole; length += 7) {
		assert_int_equal(truncate(folder->journal, length), 0);
		assert_saved(folder, journal, 2);
	}
	assert_int_equal(unlink(folder->journal), 0);
	assert_saved(folder, journal, 2);
	journal_close(journal);
}

static void what_is_not_this_journal_stays_as_it_is(void **state)
{
	const struct folder *folder = *state;
	struct journal *journal;
	off_t length;

	assert_int_equal(journal_create(&journal, folder->fd), 0);
	journal_detach(journal);
	length = size_of(folder->journal);
	/* longer than ours; as long, but another; something that is no file */
	assert_int_equal(truncate(folder->journal, length + 1), 0);
	assert_int_equal(journal_save(journal, folder->fd), -EEXIST);
	assert_int_equal(size_of(folder->journal), length + 1);
	assert_int_equal(truncate(folder->journal, length - 5), 0);
	assert_int_equal(truncate(folder->journal, length), 0);
	assert_int_equal(journal_save(journal, folder->fd), -EEXIST);
	assert_int_equal(size_of(folder->journal), length);
	assert_int_equal(unlink(folder->journal), 0);
	assert_int_equal(symlink("elsewhere", folder->journal), 0);
	assert_true(journal_save(journal, folder->fd) < 0);
	assert_int_equal(faccessat(folder->fd, "elsewhere", F_OK, 0), -1);
	journal_close(journal);
}

static void no_room_for_line_1_is_an_error_at_once(void **state)
{
	const struct folder *folder = *state;
	struct journal *journal;

	signal(SIGXFSZ, SIG_IGN);
	limit_files(20);
	assert_int_equal(journal_create(&journal, folder->fd), -EFBIG);
	limit_files(RLIM_INFINITY);
	assert_null(journal);
	assert_int_equal(access(folder->journal, F_OK), -1);
}

static void put(const struct folder *folder, const void *bytes, size_t length)
{
	_cleanup_fclose_ FILE *file = fopen(folder->journal, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
}

static void damaged_lines_are_skipped_and_counted(void **state)
{
	static const char text[] =
		"{\"record\":\"note\",\"text\":0}\n"
		"{\"record\":\"note\",\"te\n"
		"\0\0\0\0\0\0\n"
		"[1]\n"
		"{\"text\":\"of nobody\"}\n"
		"{\"record\":7}\n"
		"{\"record\":\"note\",\"text\":\"\xff\"}\n"
		"\n"
		"{\"record\":\"note\",\"text\":1}\n"
		"{\"record\":\"note\",\"text\":1e999}\n"
		"{\"record\":\"note\",\"tex";
	const struct folder *folder = *state;
	json_t *lines;
	unsigned damaged;

	put(folder, text, sizeof(text) - 1);
	assert_int_equal(journal_read(folder->journal, &lines, &damaged), 0);
	assert_int_equal(json_array_size(lines), 11);
	assert_int_equal(damaged, 9);
	/* Each line is in its place, so that a line's number can be told. */
	for (size_t i = 0; i < 11; i++)
		assert_int_equal(json_is_null(json_array_get(lines, i)), i != 0 && i != 8);
	json_decref(lines);
}

/* What jansson itself would still take, and what it would write of it and then refuse to read. */
static void what_could_not_be_read_again_is_damaged(void **state)
{
	const struct folder *folder = *state;
	_cleanup_free_ char *text = NULL;
	unsigned damaged;
	json_t *lines;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (int depth = JOURNAL_DEPTH_MAX - 1; depth <= JOURNAL_DEPTH_MAX; depth++) {
		fputs("{\"record\":\"note\",\"text\":", out);
		for (int i = 1; i < depth; i++)
			fputc('[', out);
		fputc('1', out);
		for (int i = 1; i < depth; i++)
			fputc(']', out);
		fputs("}\n", out);
	}
	fputs("{\"record\":\"note\",\"text\":1e300}\n"
	      "{\"record\":\"note\",\"text\":[-1.7976931348623157e308]}\n"
	      "{\"record\":\"note\",\"text\":NaN}\n"
	      "{\"record\":\"note\",\"text\":-Infinity}\n"
	      "{\"record\":\"note\",\"text\":9223372036854775808}\n",
	      out);
	fclose(out);
	put(folder, text, size);
	assert_int_equal(journal_read(folder->journal, &lines, &damaged), 0);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(json_is_null(json_array_get(lines, i)), i != 0 && i != 2);
	assert_int_equal(damaged, 5);
	json_decref(lines);
}

static void the_text_of_a_journal_is_its_file(void **state)
{
	const struct folder *folder = *state;
	_cleanup_free_ char *text = NULL, *file = NULL;
	struct trial_record trial = example_trial();
	struct journal *journal;

	assert_int_equal(journal_create(&journal, folder->fd), 0);
	assert_int_equal(journal_append(journal, "trial", trial_to_json(&trial)), 0);
	assert_int_equal(journal_append(journal, "note", note_line(0)), 0);
	text = journal_text(journal_lines(journal));
	file = sysfs_slurp("", "%s", folder->journal);
	assert_string_equal(text, file);
	journal_close(journal);
}

static void other_files_are_no_journals(void **state)
{
	static const char text[] = "some text\nof another kind\n";
	const struct folder *folder = *state;
	json_t *lines;
	unsigned damaged;

	assert_int_equal(journal_read("/nonexistent/journal.jsonl", &lines, &damaged), -ENOENT);
	assert_non_null(strstr(error_text(), "/nonexistent/journal.jsonl"));
	assert_int_equal(journal_read(folder->path, &lines, &damaged), -EINVAL);
	assert_int_equal(journal_read("/dev/zero", &lines, &damaged), -EINVAL);
	put(folder, text, sizeof(text) - 1);
	assert_int_equal(journal_read(folder->journal, &lines, &damaged), -EINVAL);
	assert_non_null(strstr(error_text(), "2 lines"));
}

static void an_empty_file_is_a_journal_without_lines(void **state)
{
	const struct folder *folder = *state;
	json_t *lines;
	unsigned damaged;

	put(folder, "", 0);
	assert_int_equal(journal_read(folder->journal, &lines, &damaged), 0);
	assert_int_equal(json_array_size(lines), 0);
	assert_int_equal(damaged, 0);
	json_decref(lines);
	/* The power went in the middle of line 1. */
	put(folder, "{\"rec", 5);
	assert_int_equal(journal_read(folder->journal, &lines, &damaged), 0);
	assert_int_equal(damaged, 1);
	json_decref(lines);
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(trial_survives_the_journal),
		cmocka_unit_test(what_is_not_measured_is_null),
		cmocka_unit_test(hostile_bytes_become_legal_json),
		cmocka_unit_test(no_flag_goes_unseen),
		cmocka_unit_test(valid_means_verified_and_no_invalid_flag),
		cmocka_unit_test(wrong_shapes_are_refused),
		cmocka_unit_test(status_names),
		in_folder(begins_incomplete_and_ends_with_a_verdict),
		in_folder(lines_reach_the_file_before_append_returns),
		in_folder(never_replaces_a_journal),
		cmocka_unit_test(keeps_lines_in_memory_without_a_volume),
		in_folder(an_object_that_could_not_be_made_is_an_error),
		in_folder(a_failed_write_leaves_no_torn_line),
		in_folder(a_failed_write_is_told),
		in_folder(who_watches_is_told_once),
		in_folder(a_volume_that_came_back_gets_the_rest),
		in_folder(what_is_not_this_journal_stays_as_it_is),
		in_folder(no_room_for_line_1_is_an_error_at_once),
		in_folder(damaged_lines_are_skipped_and_counted),
		in_folder(what_could_not_be_read_again_is_damaged),
		in_folder(the_text_of_a_journal_is_its_file),
		in_folder(other_files_are_no_journals),
		in_folder(an_empty_file_is_a_journal_without_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
