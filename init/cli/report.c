/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/report.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/journal.h"
#include "report/report.h"

enum { EXIT_USAGE = 2 };

static const char usage[] =
	"Usage: blitbench report [--table | --json] [-o DIR] JOURNAL|DIR\n"
	"\n"
	"Renders the journal of a run (or DIR/journal.jsonl) and prints the text report.\n"
	"A journal that was cut short gives a report as well, marked partial.\n"
	"\n"
	"      --table       print the table of results only\n"
	"      --json        print report.json\n"
	"  -o, --output DIR  also write report.json and report.txt into DIR, which is made\n"
	"                    where it is missing; other files are never replaced\n"
	"      --help        print this\n";

struct request {
	char *(*render)(const json_t *report);
	const char *output, *journal;
};

/* 0, or -1 after which the caller ends with the status in *status. */
static int parse(int argc, char **argv, struct request *request, int *status)
{
	static const struct option options[] = {
		{ "table", no_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	*status = EXIT_USAGE;
	*request = (struct request){ .render = report_text };
	optind = 1;
	while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
		switch (option) {
		case 't':
			request->render = report_table;
			break;
		case 'j':
			request->render = report_json;
			break;
		case 'o':
			request->output = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			*status = EXIT_SUCCESS;
			return -1;
		default:
			fputs(usage, stderr);
			return -1;
		}
	}
	if (argc - optind != 1) {
		fprintf(stderr,
			"blitbench report: give one journal, or the folder of one run.\n\n%s",
			usage);
		return -1;
	}
	request->journal = argv[optind];
	return 0;
}

static int load(const char *given, json_t **lines)
{
	_cleanup_free_ char *inside = NULL;
	struct stat status;
	unsigned damaged;
	char note[160];
	int error;

	if (!stat(given, &status) && S_ISDIR(status.st_mode) &&
	    asprintf(&inside, "%s/journal.jsonl", given) < 0)
		return error_set(-ENOMEM, "out of memory");
	error = journal_read(inside ? inside : given, lines, &damaged);
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
	if (fputs(text, stdout) < 0 || fflush(stdout))
		return error_set(-errno, "cannot print the report: %s", strerror(errno));
	return 0;
}

int command_report(int argc, char **argv)
{
	json_t *lines = NULL, *report = NULL;
	struct request request;
	int status, error;

	if (parse(argc, argv, &request, &status))
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
	if (error)
		fprintf(stderr, "blitbench report: %s\n", error_text());
	json_decref(report);
	json_decref(lines);
	return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
