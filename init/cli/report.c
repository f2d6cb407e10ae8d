/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/report.h"

#include "cli/command.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/journal.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"Usage: blitbench report [--table | --json | --html] [-o DIR] JOURNAL|DIR\n"
	"\n"
	"Renders the journal of a run (or DIR/journal.jsonl, or \"-\", the standard input)\n"
	"and prints the text report.\n"
	"A journal that was cut short gives a report as well, marked partial.\n"
	"\n"
	"      --table       print the table of results only\n"
	"      --json        print report.json\n"
	"      --html        print report.html\n"
	"  -o, --output DIR  also write report.json, report.txt and report.html into DIR, which is\n"
	"                    made where it is missing; other files are never replaced\n"
	"      --help        print this\n";

/* More than a journal may have (journal.c). */
enum { INPUT_LIMIT_BYTES = 512 << 20 };

struct request {
	char *(*render)(const json_t *report);
	const char *output, *journal;
};

/* 0, or the exit status of a wrong use. */
static int set_render(struct request *request, const char *option,
		      char *(*render)(const json_t *report))
{
	if (request->render && request->render != render)
		return command_usage("report",
				     "--table, --json and --html exclude each other: '%s' is "
				     "one too many",
				     option);
	request->render = render;
	return 0;
}

static int set_output(struct request *request, int argc, char **argv, int *at)
{
	if (request->output)
		return command_usage("report", "%s is given twice", argv[*at]);
	if (*at + 1 >= argc)
		return command_usage("report", "%s needs a folder", argv[*at]);
	request->output = argv[++*at];
	return 0;
}

static int parse(int argc, char **argv, struct request *request)
{
	*request = (struct request){ 0 };
	for (int i = 1; i < argc; i++) {
		int status = 0;

		if (!strcmp(argv[i], "--table"))
			status = set_render(request, argv[i], report_table);
		else if (!strcmp(argv[i], "--json"))
			status = set_render(request, argv[i], report_json);
		else if (!strcmp(argv[i], "--html"))
			status = set_render(request, argv[i], report_html);
		else if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--output"))
			status = set_output(request, argc, argv, &i);
		else if (argv[i][0] == '-' && argv[i][1])
			status = command_usage("report", "'%s' is no option of report", argv[i]);
		else if (request->journal)
			status = command_usage("report",
					       "report takes one journal, and '%s' is a second",
					       argv[i]);
		else
			request->journal = argv[i];
		if (status)
			return status;
	}
	if (!request->render)
		request->render = report_text;
	return request->journal ? 0
				: command_usage("report", "report needs a journal, or the folder "
							  "of a run");
}

/* What is too large to be a journal is cut off at a size that still is. */
static int copy_input(int to)
{
	static char block[64 << 10];
	ssize_t bytes = 0;

	for (int64_t all = 0; all <= INPUT_LIMIT_BYTES; all += bytes) {
		bytes = read(STDIN_FILENO, block, sizeof(block));
		if (bytes <= 0)
			break;
		for (ssize_t done = 0, written; done < bytes; done += written) {
			written = write(to, block + done, (size_t)(bytes - done));
			if (written < 0)
				return -errno;
		}
	}
	return bytes < 0 ? -errno : 0;
}

/* A journal is read from a file, whose size is known: what comes from a pipe becomes one. */
static int load_input(json_t **lines, unsigned *damaged)
{
	_cleanup_close_ int fd = memfd_create("journal", MFD_CLOEXEC);
	char path[32];
	int error = fd < 0 ? -errno : copy_input(fd);

	if (error)
		return error_set(error, "the standard input cannot be read: %s", strerror(-error));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = journal_read(path, lines, damaged);
	return error ? error_prefix(error, "the standard input") : 0;
}

static int load(const char *given, json_t **lines)
{
	_cleanup_free_ char *inside = NULL;
	struct stat status;
	unsigned damaged;
	char note[160];
	int error;

	if (strcmp(given, "-") && !stat(given, &status) && S_ISDIR(status.st_mode) &&
	    asprintf(&inside, "%s/journal.jsonl", given) < 0)
		return error_set(-ENOMEM, "out of memory");
	error = strcmp(given, "-") ? journal_read(inside ? inside : given, lines, &damaged)
				   : load_input(lines, &damaged);
	if (error || !damaged)
		return error;
	snprintf(note, sizeof(note), "%u line%s of the journal could not be read and %s left out.",
		 damaged, damaged == 1 ? "" : "s", damaged == 1 ? "is" : "are");
	json_array_append_new(*lines, json_pack("{s:s, s:s}", "record", "note", "text", note));
	return 0;
}

static int write_files(const json_t *report, const char *path)
{
	_cleanup_close_ int fd = -1;
	int error;

	if (mkdir(path, 0755) && errno != EEXIST)
		return error_set(-errno, "%s: cannot make the folder: %s", path, strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_set(-errno, "%s: cannot open the folder: %s", path, strerror(errno));
	error = report_write(report, fd);
	return error ? error_prefix(error, "%s", path) : 0;
}

static int print(const json_t *report, char *(*render)(const json_t *report))
{
	_cleanup_free_ char *text = render(report);

	if (!text)
		return error_set(-ENOMEM, "out of memory");
	fputs(text, stdout);
	return 0;
}

int command_report(int argc, char **argv)
{
	json_t *lines = NULL, *report = NULL;
	struct request request;
	int status, error;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			return 0;
		}
	status = parse(argc, argv, &request);
	if (status)
		return status;
	error = load(request.journal, &lines);
	if (!error) {
		report = report_build(lines);
		error = report ? 0 : -EINVAL;
	}
	if (!error && request.output)
		error = write_files(report, request.output);
	if (!error)
		error = print(report, request.render);
	json_decref(report);
	json_decref(lines);
	return error ? command_failed() : 0;
}
