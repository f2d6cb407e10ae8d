/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files over a serial console: sent, disturbed in all the ways of consoles, and taken out again. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/report.h"
#include "lib/base64.h"
#include "lib/error.h"
#include "report/ranges.h"
#include "report/wire.h"
#include "report_fixture.h"

#include <errno.h>

/* --- what it is made of --------------------------------------------------------------------- */

static void base64_of_rfc_4648(void **state)
{
	static const char *const pairs[][2] = {
		{ "", "" }, { "f", "Zg" }, { "fo", "Zm8" }, { "foo", "Zm9v" },
		{ "foob", "Zm9vYg" }, { "fooba", "Zm9vYmE" }, { "foobar", "Zm9vYmFy" },
		{ "\xff\xff\xfe", "///+" },
	};
	uint8_t bytes[16];
	char letters[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(pairs); i++) {
		size_t length = strlen(pairs[i][0]);

		base64_encode(letters, (const uint8_t *)pairs[i][0], length);
		assert_string_equal(letters, pairs[i][1]);
		assert_int_equal(strlen(letters), BASE64_LETTERS(length));
		assert_int_equal(base64_decode(bytes, letters, strlen(letters)), length);
		assert_memory_equal(bytes, pairs[i][0], length);
	}
	assert_int_equal(base64_decode(bytes, "Zg=", 3), -EINVAL);
	assert_int_equal(base64_decode(bytes, "Zh", 2), -EINVAL); /* bits that nobody wrote */
	assert_int_equal(base64_decode(bytes, "Z", 1), -EINVAL);
	assert_int_equal(base64_decode(bytes, "Z\0", 2), -EINVAL);
}

static void ranges_are_words(void **state)
{
	struct ranges ranges = ranges_start();

	(void)state;
	assert_string_equal(ranges_words(&ranges), "");
	ranges = ranges_start();
	for (size_t i = 1; i < 12; i++)
		if (i != 2 && i != 8)
			ranges_add(&ranges, i);
	assert_string_equal(ranges_words(&ranges), "1, 3-7, 9-11");
	ranges = ranges_start();
	for (size_t i = 1; i <= 2000; i += 2)
		ranges_add(&ranges, i);
	const char *more = strstr(ranges_words(&ranges), " and ");
	assert_non_null(more);
	/* None is lost from the count. */
	size_t told = 1;
	for (const char *at = ranges.words; at < more; at++)
		told += *at == ',';
	assert_int_equal(told + strtoul(more + 5, NULL, 10), 1000);
}

/* --- sending -------------------------------------------------------------------------------- */

enum { LINES_MAX = 1024 };

/* All lines, as they were sent, or as something has changed them since. */
struct console {
	char *lines[LINES_MAX];
	size_t count;
};

static void keep(void *context, const char *line)
{
	struct console *console = context;

	assert_true(console->count < LINES_MAX);
	assert_true(strlen(line) < WIRE_LINE_BYTES);
	console->lines[console->count++] = strdup(line);
}

/* Text that compression leaves some kilobytes of. */
static void make_noise(char *text, size_t size)
{
	uint32_t state = 7;

	for (size_t i = 0; i + 1 < size; i++) {
		state = state * 1664525 + 1013904223;
		text[i] = (char)(' ' + (state >> 24) % 90);
	}
	text[size - 1] = '\0';
}

static char report_bytes[3000], journal_bytes[1500];

static struct console sent(void)
{
	const struct wire_file files[] = {
		{ "report.json", report_bytes, sizeof(report_bytes) - 1 },
		{ "journal.jsonl", journal_bytes, sizeof(journal_bytes) - 1 },
	};
	struct console console = { .count = 0 };

	make_noise(report_bytes, sizeof(report_bytes));
	make_noise(journal_bytes, sizeof(journal_bytes));
	assert_int_equal(wire_send(files, 2, keep, &console), 0);
	return console;
}

static void change(struct console *console, size_t index, char *line)
{
	free(console->lines[index]);
	console->lines[index] = line;
}

static char *said(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *said(const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	assert_true(vasprintf(&text, format, arguments) >= 0);
	va_end(arguments);
	return text;
}

/* What a logger would have of it; frees the lines. NULL lines were lost with their ends. */
static struct wire_log received(struct console *console, const char *end)
{
	_cleanup_free_ char *log = NULL;
	struct wire_log found;
	size_t size;
	FILE *out = open_memstream(&log, &size);

	for (size_t i = 0; i < console->count; i++) {
		if (console->lines[i])
			fprintf(out, "%s%s", console->lines[i], end);
		free(console->lines[i]);
	}
	fclose(out);
	assert_int_equal(wire_receive(&found, log, size), 0);
	return found;
}

/* Both files are whole; so many lines were damaged. */
static void assert_whole(struct wire_log *found, unsigned damaged)
{
	static const char *const bytes[] = { report_bytes, journal_bytes };
	static const char *const names[] = { "report.json", "journal.jsonl" };

	assert_int_equal(found->count, 2);
	for (size_t i = 0; i < 2; i++) {
		if (*found->files[i].problem)
			fail_msg("%s: %s", names[i], found->files[i].problem);
		assert_string_equal(found->files[i].name, names[i]);
		assert_int_equal(found->files[i].size, strlen(bytes[i]));
		assert_string_equal(found->files[i].bytes, bytes[i]);
	}
	assert_int_equal(found->damaged_lines, damaged);
	wire_log_free(found);
}

static void what_is_sent_arrives(void **state)
{
	static const char *const ends[] = { "\n", "\r\n", "\r\r\n", "\n\r", "\033[0m\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(ends); i++) {
		struct console console = sent();
		struct wire_log found;

		/* Each file in each copy: header, lines, end. */
		assert_true(console.count > 150);
		assert_int_equal(strncmp(console.lines[0], "blit:", 5), 0);
		found = received(&console, ends[i]);
		assert_whole(&found, 0);
	}
}

static void sizes_around_a_line_s_end(void **state)
{
	(void)state;
	for (size_t size = 0; size < 200; size++) {
		char text[256] = "";
		struct console console = { .count = 0 };
		struct wire_log found;

		make_noise(text, size + 1);
		assert_int_equal(wire_send(&(struct wire_file){ "x", text, size }, 1, keep, &console), 0);
		found = received(&console, "\n");
		assert_int_equal(found.count, 1);
		assert_int_equal(found.files[0].size, size);
		assert_string_equal(found.files[0].bytes, text);
		wire_log_free(&found);
	}
}

/* --- disturbed ------------------------------------------------------------------------------ */

static void something_in_front_and_behind_is_passed_over(void **state)
{
	struct console console = sent();
	struct wire_log found;

	(void)state;
	for (size_t i = 0; i < console.count; i++) {
		const char *line = console.lines[i];
		char *forms[] = {
			said("[2026-11-30 12:00:01.%03zu] %s", i, line),
			said("\033[1;32m%s\033[0m", line),
			said("2026-11-30T12:00:01 target: blit:%s", line),
			said("%.9s\033[K%s", line, line + 9),
			said("%s[   12.345678] usb 1-1: new device", line),
			said("\033]0;title\007\033(B%s\t \b", line),
			said("blit:abcdef: %s", line), /* a start of one that broke off */
		};
		size_t form = i % ARRAY_LENGTH(forms);

		for (size_t j = 0; j < ARRAY_LENGTH(forms); j++)
			if (j == form)
				change(&console, i, forms[j]);
			else
				free(forms[j]);
	}
	size_t broken = console.count / 7; /* those of the last form */
	found = received(&console, "\r\n");
	assert_in_range(found.damaged_lines, broken - 1, broken + 1);
	assert_whole(&found, found.damaged_lines);
}

static void messages_between_lines_are_passed_over(void **state)
{
	struct console console = sent(), busy = { .count = 0 };
	struct wire_log found;

	(void)state;
	for (size_t i = 0; i < console.count && busy.count + 2 < LINES_MAX; i++) {
		if (i % 3 == 0)
			busy.lines[busy.count++] = said("[    %zu.000000] EXT4-fs (sda1): mounted", i);
		busy.lines[busy.count++] = console.lines[i];
	}
	assert_true(busy.count > console.count);
	found = received(&busy, "\n");
	assert_whole(&found, 0);
}

/* Every line is broken in one of the copies: by turns torn by a message, one letter wrong, and lost. */
static void each_copy_makes_good_for_the_other(void **state)
{
	struct console console = sent();
	size_t half = console.count / 2;
	struct wire_log found;

	(void)state;
	for (size_t i = 0; i < half; i++) {
		size_t index = i % 2 ? i : i + half;
		char *line = console.lines[index];

		if (i % 6 < 2)
			change(&console, index, said("%.40s[  1.0] message\r\n%s", line, line + 40));
		else if (i % 6 < 4)
			line[20] ^= 1;
		else
			change(&console, index, NULL);
	}
	found = received(&console, "\n");
	assert_true(found.damaged_lines > half / 3);
	assert_whole(&found, found.damaged_lines);
}

static void missing_lines_are_named(void **state)
{
	struct console console = sent();
	size_t half = console.count / 2;
	struct wire_log found;

	(void)state;
	/* Line 0 is the header, so a line's number is its place. */
	for (size_t copy = 0; copy < 2; copy++) {
		change(&console, copy * half + 3, NULL);
		console.lines[copy * half + 5][30] ^= 2;
		change(&console, copy * half + 6, said("%.25s", console.lines[copy * half + 6]));
	}
	found = received(&console, "\n");
	assert_int_equal(found.count, 2);
	assert_null(found.files[0].bytes);
	assert_string_equal(found.files[0].name, "report.json");
	assert_non_null(strstr(found.files[0].problem, "3 of its "));
	assert_non_null(strstr(found.files[0].problem, "lines are missing in every copy: 3, 5-6"));
	assert_null(strstr(found.files[0].problem, "ends before"));
	/* The line numbers of the log. */
	assert_int_equal(found.damaged_lines, 4);
	assert_int_equal(strncmp(found.damaged, "5-6, ", 5), 0);
	assert_string_equal(found.files[1].bytes, journal_bytes);
	wire_log_free(&found);
}

static void a_lost_header_of_all_copies_is_told(void **state)
{
	struct console console = sent();
	struct wire_log found;

	(void)state;
	change(&console, 0, NULL);
	change(&console, console.count / 2, NULL);
	found = received(&console, "\n");
	assert_int_equal(found.count, 2);
	assert_string_equal(found.files[0].name, "");
	assert_non_null(strstr(found.files[0].problem, "the line that says what it is"));
	wire_log_free(&found);
}

/* Cut anywhere, it is whole or says what it lacks. */
static void a_log_cut_short_says_so(void **state)
{
	(void)state;
	for (size_t cut = 1; cut < 60; cut += 7) {
		struct console console = sent();
		struct wire_log found;

		for (size_t i = cut; i < console.count; i++)
			free(console.lines[i]);
		console.count = cut;
		found = received(&console, "\n");
		assert_int_equal(found.count, 1);
		assert_null(found.files[0].bytes);
		assert_non_null(strstr(found.files[0].problem, "the log ends before the sending did"));
		wire_log_free(&found);
	}
}

/* Lines that are whole in themselves, and name what is no plain file. */
static void names_that_lead_elsewhere_are_not_taken(void **state)
{
	static const char *const names[] = { "../etc/x", ".hidden", "a b", "UPPER", "name-of-17-bytes" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		struct console console = { .count = 0 };
		struct wire_log found;

		wire_send(&(struct wire_file){ names[i], "y", 1 }, 1, keep, &console);
		found = received(&console, "\n");
		assert_int_equal(found.count, 1);
		assert_string_equal(found.files[0].name, "");
		assert_null(found.files[0].bytes);
		wire_log_free(&found);
	}
}

static void other_logs_have_nothing_in_them(void **state)
{
	static const char log[] = "blit: a word\nblit:abc:begin\nblit:abcdef\nblit:\n\0\0blit:\nblit";
	struct wire_log found;

	(void)state;
	assert_int_equal(wire_receive(&found, log, sizeof(log) - 1), 0);
	assert_int_equal(found.count, 0);
	assert_int_equal(found.damaged_lines, 0);
	assert_int_equal(wire_receive(&found, "", 0), 0);
	assert_int_equal(found.count, 0);
}

static void what_is_too_large_is_not_sent(void **state)
{
	struct console console = { .count = 0 };
	const struct wire_file file = { "x", "", (size_t)WIRE_FILE_BYTES_MAX + 1 };

	(void)state;
	assert_int_equal(wire_send(&file, 1, keep, &console), -EFBIG);
	assert_non_null(strstr(error_text(), "too large for a console"));
	assert_int_equal(console.count, 0);
}

/* --- the command ---------------------------------------------------------------------------- */

/* The golden run's report and journal on a console, into the folder's file "log". */
static void write_log(const struct folder *folder, bool report_is_whole, bool journal_is_whole)
{
	json_t *report = golden();
	_cleanup_free_ char *json = report_json(report), *journal = slurp(GOLDEN);
	const struct wire_file files[] = {
		{ "report.json", json, strlen(json) },
		{ "journal.jsonl", journal, strlen(journal) },
	};
	struct console console = { .count = 0 };
	char path[128], file = 'r';

	assert_int_equal(wire_send(files, 2, keep, &console), 0);
	snprintf(path, sizeof(path), "%s/log", folder->path);
	_cleanup_fclose_ FILE *log = fopen(path, "w");
	fputs("Linux version 6.12\r\n", log);
	for (size_t i = 0; i < console.count; i++) {
		char *line = console.lines[i];

		if (strstr(line, ":begin:"))
			file = strstr(line, "report.json") ? 'r' : 'j';
		if (!(strstr(line, ":00002:") && !(file == 'r' ? report_is_whole : journal_is_whole)))
			fprintf(log, "%s\r\n", line);
		free(line);
	}
	json_decref(report);
}

/* Runs it on the log, writing into the folder "new"; what it says goes to "out". */
static int take_out(const struct folder *folder)
{
	char log[128], to[128], out[128];
	char *argv[] = { "report", "--json", "-o", to, "--from-console", log, NULL };
	int kept = dup(2), kept_out = dup(1), fd, status;

	snprintf(log, sizeof(log), "%s/log", folder->path);
	snprintf(to, sizeof(to), "%s/new", folder->path);
	snprintf(out, sizeof(out), "%s/out", folder->path);
	fd = open(out, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	fflush(stdout);
	dup2(fd, 1);
	dup2(fd, 2);
	status = command_report(6, argv);
	fflush(stdout);
	dup2(kept_out, 1);
	dup2(kept, 2);
	close(kept);
	close(kept_out);
	close(fd);
	return status;
}

static char *file_in(const struct folder *folder, const char *name)
{
	char path[192];

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	return slurp(path);
}

static void the_command_takes_all_of_it_out(void **state)
{
	const struct folder *folder = *state;
	json_t *report = golden();
	_cleanup_free_ char *expected = report_json(report);

	write_log(folder, true, true);
	assert_int_equal(take_out(folder), 0);
	_cleanup_free_ char *printed = file_in(folder, "out"), *json = file_in(folder, "new/report.json");
	_cleanup_free_ char *journal = file_in(folder, "new/journal.jsonl"), *sent_journal = slurp(GOLDEN);
	_cleanup_free_ char *text = file_in(folder, "new/report.txt"), *sent_text = slurp(GOLDEN_TEXT);
	assert_string_equal(printed, expected);
	assert_string_equal(json, expected);
	assert_string_equal(journal, sent_journal);
	assert_string_equal(text, sent_text);
	json_decref(report);
}

/* Report and journal are the same run: one is enough for the report. */
static void the_command_makes_do_with_one_of_them(void **state)
{
	const struct folder *folder = *state;

	write_log(folder, false, true);
	assert_int_equal(take_out(folder), 0);
	_cleanup_free_ char *json = file_in(folder, "new/report.json"), *out = file_in(folder, "out");
	assert_non_null(strstr(out, "report.json: 1 of its "));
	assert_non_null(strstr(out, "missing in every copy: 2\n"));
	assert_non_null(strstr(json, "20010203-040506-beef"));
	write_log(folder, true, false);
	assert_int_equal(tree_remove(folder->fd, "new"), 0);
	assert_int_equal(take_out(folder), 0);
	_cleanup_free_ char *again = file_in(folder, "out");
	assert_non_null(strstr(again, "journal.jsonl: 1 of its "));
}

static void the_command_says_what_is_missing(void **state)
{
	const struct folder *folder = *state;
	char path[128];

	write_log(folder, false, false);
	assert_int_equal(take_out(folder), 1);
	_cleanup_free_ char *out = file_in(folder, "out");
	assert_non_null(strstr(out, "neither report nor journal is whole"));
	assert_non_null(strstr(out, "report.json: 1 of its "));
	snprintf(path, sizeof(path), "%s/log", folder->path);
	assert_int_equal(truncate(path, 20), 0);
	assert_int_equal(take_out(folder), 1);
	_cleanup_free_ char *nothing = file_in(folder, "out");
	assert_non_null(strstr(nothing, "no report is in it"));
}

/* One more, of two files each, than are kept. */
enum { RUNS = WIRE_FOUND_MAX / 2 + 1 };

/* A log of days holds many runs: the last one is wanted, and of the last one's files what is whole. */
static void the_last_run_of_a_log_is_taken(void **state)
{
	const struct folder *folder = *state;
	struct console console = { .count = 0 };
	char text[512], id[32], path[128];
	unsigned ends = 0;

	for (unsigned i = 1; i <= RUNS; i++) {
		_cleanup_free_ char *json = NULL;
		json_t *report;

		snprintf(id, sizeof(id), "run-%u", i);
		snprintf(text, sizeof(text), "{\"record\":\"run\",\"id\":\"%s\"}\n", id);
		report = report_of_journal("a journal", text, strlen(text));
		assert_non_null(report);
		json = report_json(report);
		const struct wire_file files[] = {
			{ "report.json", json, strlen(json) },
			{ "journal.jsonl", text, strlen(text) },
		};
		assert_int_equal(wire_send(files, 2, keep, &console), 0);
		json_decref(report);
	}
	snprintf(path, sizeof(path), "%s/log", folder->path);
	/* The last journal is lost in each copy, then nothing is. */
	for (unsigned lost = 0; lost < 2; lost++) {
		_cleanup_fclose_ FILE *log = fopen(path, "w");

		ends = 0;
		for (size_t i = 0; i < console.count; i++) {
			bool last_journal = ends == 4 * RUNS - 3 || ends == 4 * RUNS - 1;

			ends += !!strstr(console.lines[i], ":end:");
			if (!lost || !last_journal || !strstr(console.lines[i], ":begin:"))
				fprintf(log, "%s\r\n", console.lines[i]);
		}
		fclose(take_pointer(log));
		tree_remove(folder->fd, "new");
		assert_int_equal(take_out(folder), 0);
		_cleanup_free_ char *json = file_in(folder, "new/report.json");
		assert_non_null(strstr(json, id));
		assert_int_equal(!!faccessat(folder->fd, "new/journal.jsonl", F_OK, 0), lost);
	}
	for (size_t i = 0; i < console.count; i++)
		free(console.lines[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(base64_of_rfc_4648),
		cmocka_unit_test(ranges_are_words),
		cmocka_unit_test(what_is_sent_arrives),
		cmocka_unit_test(sizes_around_a_line_s_end),
		cmocka_unit_test(something_in_front_and_behind_is_passed_over),
		cmocka_unit_test(messages_between_lines_are_passed_over),
		cmocka_unit_test(each_copy_makes_good_for_the_other),
		cmocka_unit_test(missing_lines_are_named),
		cmocka_unit_test(a_lost_header_of_all_copies_is_told),
		cmocka_unit_test(a_log_cut_short_says_so),
		cmocka_unit_test(names_that_lead_elsewhere_are_not_taken),
		cmocka_unit_test(other_logs_have_nothing_in_them),
		cmocka_unit_test(what_is_too_large_is_not_sent),
		in_folder(the_command_takes_all_of_it_out),
		in_folder(the_command_makes_do_with_one_of_them),
		in_folder(the_command_says_what_is_missing),
		in_folder(the_last_run_of_a_log_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
