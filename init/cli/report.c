/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/report.h"

#include "cli/command.h"
#include "cli/console.h"
#include "cli/input.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
	"Usage: blitbench report [--table | --json | --html | --csv | --lava] [-o DIR] JOURNAL|DIR\n"
	"       blitbench report [...] [-o DIR] --from-console LOG\n"
	"\n"
	"Renders the journal of a run (or DIR/journal.jsonl, or \"-\", the standard input)\n"
	"and prints the text report.\n"
	"A journal that was cut short gives a report as well, marked partial.\n"
	"\n"
	"      --table       print the table of results only\n"
	"      --json        print report.json\n"
	"      --html        print report.html\n"
	"      --csv         print report.csv: a row for each trial\n"
	"      --lava        print the signals by which a LAVA lab takes results\n"
	"  -o, --output DIR  also write the reports into DIR, which is made where it is\n"
	"                    missing; other files are never replaced\n"
	"      --from-console LOG\n"
	"                    take the report, and with -o the journal, out of what a serial\n"
	"                    console printed with report=serial; what is missing is told\n"
	"      --help        print this\n";

/* More than a journal may have (journal.c). */
enum { INPUT_LIMIT_BYTES = 512 << 20 };

struct format {
	const char *option;
	char *(*render)(const json_t *report);
};

static const struct format formats[] = {
	{ "--table", report_table },
	{ "--json", report_json },
	{ "--html", report_html },
	{ "--csv", report_csv },
	{ "--lava", report_lava },
};

static const struct format in_full = { "", report_text };

struct request {
	const struct format *format;
	const char *output, *journal, *console;
};

/* NULL where the option names none. */
static const struct format *find_format(const char *option)
{
	for (size_t i = 0; i < ARRAY_LENGTH(formats); i++)
		if (!strcmp(formats[i].option, option))
			return &formats[i];
	return NULL;
}

/* 0, or the exit status of a wrong use. */
static int set_format(struct request *request, const struct format *format)
{
	if (request->format && request->format != format)
		return command_usage("report", "%s and %s exclude each other",
				     request->format->option, format->option);
	request->format = format;
	return 0;
}

static int parse(int argc, char **argv, struct request *request)
{
	*request = (struct request){ 0 };
	for (int i = 1; i < argc; i++) {
		const struct format *format = find_format(argv[i]);
		int status = 0;

		if (format)
			status = set_format(request, format);
		else if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--output"))
			status = command_option("report", &request->output, "a folder", argc, argv, &i);
		else if (!strcmp(argv[i], "--from-console"))
			status = command_option("report", &request->console, "the log of a console",
						argc, argv, &i);
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
	if (!request->format)
		request->format = &in_full;
	if (request->journal && request->console)
		return command_usage("report", "report takes a journal or --from-console, and '%s' is "
					       "one too many",
				     request->journal);
	if (request->journal || request->console)
		return 0;
	return command_usage("report", "report needs a journal, or the folder of a run");
}

static json_t *load_input(void)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	if (input_read("-", "a journal", INPUT_LIMIT_BYTES, &text, &size))
		return NULL;
	return report_of_journal("the standard input", text, size);
}

static int load(const char *given, json_t **report)
{
	_cleanup_free_ char *inside = NULL;
	struct stat status;

	if (strcmp(given, "-") && !stat(given, &status) && S_ISDIR(status.st_mode) &&
	    asprintf(&inside, "%s/journal.jsonl", given) < 0)
		return error_set(-ENOMEM, "out of memory");
	*report = strcmp(given, "-") ? report_read_journal(inside ? inside : given) : load_input();
	return *report ? 0 : -EINVAL;
}

static int write_files(const json_t *report, const char *journal, const char *path)
{
	_cleanup_close_ int fd = -1;
	int error;

	if (mkdir(path, 0755) && errno != EEXIST)
		return error_set(-errno, "%s: cannot make the folder: %s", path, strerror(errno));
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_set(-errno, "%s: cannot open the folder: %s", path, strerror(errno));
	error = report_write(report, fd);
	if (!error && journal)
		error = report_save(fd, "journal.jsonl", journal);
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
	_cleanup_free_ char *journal = NULL;
	json_t *report = NULL;
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
	error = request.console ? console_load(request.console, &report, &journal)
				: load(request.journal, &report);
	if (!error && request.output)
		error = write_files(report, journal, request.output);
	if (!error)
		error = print(report, request.format->render);
	json_decref(report);
	return error ? command_failed() : 0;
}
