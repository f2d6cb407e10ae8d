/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/command.h"

#include "cli/bar.h"
#include "cli/compare.h"
#include "cli/plan.h"
#include "cli/prepare.h"
#include "cli/report.h"
#include "cli/run.h"
#include "cli/workload.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/columns.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *summary;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "plan", "what a profile would do; the commented blitbench.conf; the table of all keys", command_plan },
	{ "run", "blit in a directory of a mounted filesystem, and print a table", command_run },
	{ "report", "render a run's journal", command_report },
	{ "compare", "reports against a baseline: what differs, ratios, what is significant", command_compare },
	{ "prepare", "make the partition that the image formats, in a disk's free space", command_prepare },
	{ "workload", "look at workloads, make them of packages or of a live system", command_workload },
};

int command_option(const char *command, const char **value, const char *needs, int argc,
		   char **argv, int *at)
{
	const char *option = argv[*at];

	if (*value)
		return command_usage(command, "%s is given twice", option);
	if (*at + 1 >= argc)
		return command_usage(command, "%s needs %s", option, needs);
	*value = argv[++*at];
	return 0;
}

/* Sentences hold words out of reports and packages that somebody else made: none steers the terminal. */
static void print_clean(const char *text)
{
	while (*text) {
		struct glyph glyph = glyph_at(text);

		if (*text == '\n' || *text == '\t')
			fputc(' ', stderr);
		else
			fwrite(glyph.bytes, 1, glyph.size, stderr);
		text += glyph.taken;
	}
}

int command_failed(void)
{
	fputs("blitbench: ", stderr);
	print_clean(bar_signal() ? "interrupted" : error_text());
	fputc('\n', stderr);
	return 1;
}

int command_usage(const char *command, const char *format, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	fputs("blitbench: ", stderr);
	print_clean(text ? text : "out of memory");
	fprintf(stderr, "; see 'blitbench %s%s--help'\n", command, *command ? " " : "");
	return 2;
}

static int help(void)
{
	puts("Usage: blitbench COMMAND [ARGUMENT...]\n\n"
	     "Measures how fast a content-addressed package store blits a whole /usr on a filesystem.\n"
	     "Started by a person it formats nothing and changes no setting of the machine; the disks\n"
	     "are measured by the bootable image, in which this program is PID 1. Only prepare writes to\n"
	     "a disk, and asks before.\n");
	for (size_t i = 0; i < ARRAY_LENGTH(commands); i++)
		printf("  %-10s %s\n", commands[i].name, commands[i].summary);
	puts("\n  --help     this text; 'blitbench COMMAND --help' tells more\n"
	     "  --version  the version");
	return 0;
}

static int run(int argc, char **argv)
{
	if (argc < 2)
		return command_usage("", "no command given");
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "help"))
		return help();
	if (!strcmp(argv[1], "--version")) {
		puts("blitbench " BLITBENCH_VERSION);
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	return command_usage("", "'%s' is no command", argv[1]);
}

static int finish(int status)
{
	bool lost;

	errno = 0;
	lost = fflush(stdout) || ferror(stdout);
	if (lost && !status) {
		error_set(-EIO, "the standard output cannot be written%s%s", errno ? ": " : "",
			  errno ? strerror(errno) : "");
		status = command_failed();
	}
	clearerr(stdout);
	return status;
}

/* A standard stream that is closed stays so, but no file that is opened later gets its number: what is
 * printed would end up in it. */
static void keep_standard_streams(void)
{
	int fd;

	do
		fd = open("/", O_PATH);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int command_main(int argc, char **argv)
{
	keep_standard_streams();
	int status = finish(run(argc, argv));

	if (bar_signal()) {
		signal(bar_signal(), SIG_DFL);
		raise(bar_signal());
	}
	return status;
}
