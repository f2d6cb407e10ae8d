/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report's files, and the command that renders it. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/report.h"
#include "report_fixture.h"

#include <errno.h>
#include <sys/stat.h>

static void writes_new_files_and_never_replaces_others(void **state)
{
	const struct folder *folder = *state;
	json_t *report = golden();
	char path[128];
	_cleanup_free_ char *text = NULL, *html = NULL, *expected = slurp(GOLDEN_TEXT);
	_cleanup_free_ char *page = report_html(report);
	json_t *back;

	assert_int_equal(report_write(report, folder->fd), 0);
	snprintf(path, sizeof(path), "%s/report.html", folder->path);
	html = slurp(path);
	assert_string_equal(html, page);
	snprintf(path, sizeof(path), "%s/report.txt", folder->path);
	text = slurp(path);
	assert_string_equal(text, expected);
	snprintf(path, sizeof(path), "%s/report.json", folder->path);
	back = json_load_file(path, 0, NULL);
	assert_same_json(back, report);
	json_decref(back);
	/* Once more: the same is there already. */
	assert_int_equal(report_write(report, folder->fd), 0);
	json_object_set_new((json_t *)field(report, "run"), "id", json_string("another"));
	assert_int_equal(report_write(report, folder->fd), -EEXIST);
	json_decref(report);
}

/* Runs the command with its output in the folder's file "out"; returns its exit status. */
static int command(const struct folder *folder, char *const *arguments)
{
	char *argv[8] = { "report" };
	int argc = 1, status, saved_out = dup(1), saved_error = dup(2);
	int out = openat(folder->fd, "out", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	for (; arguments[argc - 1]; argc++)
		argv[argc] = arguments[argc - 1];
	fflush(stdout);
	dup2(out, 1);
	dup2(out, 2);
	status = command_report(argc, argv);
	fflush(stdout);
	dup2(saved_out, 1);
	dup2(saved_error, 2);
	close(saved_out);
	close(saved_error);
	close(out);
	return status;
}

static char *printed(const struct folder *folder)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/out", folder->path);
	return slurp(path);
}

static void command_prints_and_writes(void **state)
{
	const struct folder *folder = *state;
	_cleanup_free_ char *expected = slurp(GOLDEN_TEXT), *text = NULL, *json = NULL;
	char out[128];
	json_t *parsed;

	snprintf(out, sizeof(out), "%s/new", folder->path);
	assert_int_equal(command(folder, (char *[]){ "-o", out, GOLDEN, NULL }), 0);
	text = printed(folder);
	assert_string_equal(text, expected);
	snprintf(out, sizeof(out), "%s/new/report.json", folder->path);
	assert_int_equal(access(out, R_OK), 0);
	assert_int_equal(command(folder, (char *[]){ "--json", GOLDEN, NULL }), 0);
	json = printed(folder);
	parsed = json_loads(json, 0, NULL);
	assert_string_equal(field_text(parsed, "schema", ""), "blitbench-report/1");
	json_decref(parsed);
}

static void command_takes_a_folder_and_notes_damage(void **state)
{
	const struct folder *folder = *state;
	_cleanup_free_ char *text = NULL;

	write_short_journal(folder);
	assert_int_equal(truncate(folder->journal, 300), 0);
	assert_int_equal(command(folder, (char *[]){ (char *)folder->path, NULL }), 0);
	text = printed(folder);
	assert_non_null(strstr(text, "could not be read and is left out."));
	assert_non_null(strstr(text, "PARTIAL"));
}

static void assert_says(const struct folder *folder, int status, const char *sentence,
			char *const *arguments)
{
	_cleanup_free_ char *text = NULL;

	assert_int_equal(command(folder, arguments), status);
	text = printed(folder);
	assert_string_equal(text, sentence);
}

static void command_says_what_is_wrong(void **state)
{
	static const char see[] = "; see 'blitbench report --help'\n";
	static const struct {
		const char *sentence, *arguments[4];
	} wrong_uses[] = {
		{ "report needs a journal, or the folder of a run", { NULL } },
		{ "report takes one journal, and 'b' is a second", { "a", "b" } },
		{ "'--unknown' is no option of report", { "--unknown", "a" } },
		{ "--table and --json exclude each other", { "--table", "--json", "a" } },
		{ "--csv and --lava exclude each other", { "--csv", "--csv", "--lava", "a" } },
		{ "-o needs a folder", { "a", "-o" } },
		{ "--from-console needs the log of a console", { "--from-console" } },
		{ "report takes a journal or --from-console, and 'a' is one too many",
		  { "--from-console", "l", "a" } },
	};
	const struct folder *folder = *state;
	char pipe_path[128], sentence[320];
	_cleanup_free_ char *help = NULL;

	for (size_t i = 0; i < ARRAY_LENGTH(wrong_uses); i++) {
		char *arguments[5] = { 0 };

		memcpy(arguments, wrong_uses[i].arguments, sizeof(wrong_uses[i].arguments));
		snprintf(sentence, sizeof(sentence), "blitbench: %s%s", wrong_uses[i].sentence, see);
		assert_says(folder, 2, sentence, arguments);
	}
	assert_says(folder, 1,
		    "blitbench: /nonexistent: cannot open the journal: No such file or directory\n",
		    (char *[]){ "/nonexistent", NULL });
	/* Where it would wait for ever, or find no end. */
	snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", folder->path);
	snprintf(sentence, sizeof(sentence),
		 "blitbench: %s: not a file; what comes from a pipe is read with -\n", pipe_path);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	assert_says(folder, 1, sentence, (char *[]){ "--from-console", pipe_path, NULL });
	snprintf(sentence, sizeof(sentence),
		 "blitbench: %s: not a file; give a journal or the folder of a run\n", pipe_path);
	assert_says(folder, 1, sentence, (char *[]){ pipe_path, NULL });
	assert_says(folder, 1, "blitbench: /: not a file; what comes from a pipe is read with -\n",
		    (char *[]){ "--from-console", "/", NULL });
	assert_int_equal(command(folder, (char *[]){ "--help", NULL }), 0);
	help = printed(folder);
	assert_non_null(strstr(help, "Usage: blitbench report"));
}

/* By a pipe, which has no size. */
static void command_reads_the_standard_input(void **state)
{
	_cleanup_free_ char *expected = slurp(GOLDEN_TEXT), *text = NULL;
	const struct folder *folder = *state;
	int kept = dup(STDIN_FILENO);
	FILE *golden_journal = popen("cat " GOLDEN, "re");

	assert_non_null(golden_journal);
	dup2(fileno(golden_journal), STDIN_FILENO);
	assert_int_equal(command(folder, (char *[]){ "-", NULL }), 0);
	dup2(kept, STDIN_FILENO);
	close(kept);
	pclose(golden_journal);
	text = printed(folder);
	assert_string_equal(text, expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_folder(writes_new_files_and_never_replaces_others),
		in_folder(command_prints_and_writes),
		in_folder(command_takes_a_folder_and_notes_damage),
		in_folder(command_says_what_is_wrong),
		in_folder(command_reads_the_standard_input),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
