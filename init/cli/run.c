/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/run.h"

#include "cli/bar.h"
#include "cli/command.h"
#include "cli/shipped.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/report.h"
#include "run/directory.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>

static const char usage[] =
	"Usage: blitbench run --directory DIR [OPTION...] [KEY=VALUE...]\n"
	"\n"
	"Blits a workload in DIR, an empty directory on any mounted filesystem, verifies every\n"
	"tree and prints a table. Nothing is formatted. All that is made is below DIR, and is\n"
	"removed at the end, also after a failure or Ctrl-C (which waits for the end of the\n"
	"transaction under way).\n"
	"\n"
	"      --directory DIR    where; it must be there and be empty\n"
	"  -o, --output FOLDER    also write the journal and its reports into FOLDER,\n"
	"                         which must not be there\n"
	"      --workloads FOLDER where workloads and profiles/ are found by name; by default\n"
	"                         ../workloads or ../share/blitbench/workloads from where this\n"
	"                         program is. A path to a manifest is a workload, too\n"
	"      --control-machine  as root: set what the keys governor, epp, boost and link_power say,\n"
	"                         put all back at every end, wait until the machine is cool, and\n"
	"                         make cold trials, which empty the caches of the whole machine\n"
	"      --help             print this\n"
	"\n"
	"The keys are those of docs/config.md ('blitbench plan --print-keys'), for instance\n"
	"workload=small engines='moss-2025 moss-2026' trials=5 caches=hot operations=remove\n"
	"content=capped:4096. Those that choose filesystems or a target, and what happens at\n"
	"the end of the image's run, are refused.\n"
	"\n"
	"No root is needed for hot trials of moss-2025, moss-2025-parallel and primed, nor for\n"
	"moss-2026 on Linux 6.10 or later. handle needs root (CAP_DAC_READ_SEARCH). What cannot\n"
	"be done here is told as unsupported, with the reason.\n";

struct request {
	const char *directory, *output, *workloads;
	bool control_machine, caches_given;
};

/* 0, or the exit status of a wrong use. */
static int parse(int argc, char **argv, struct request *request, struct config *config)
{
	for (int i = 1; i < argc; i++) {
		int status = 0;

		if (!strcmp(argv[i], "--directory"))
			status = command_option("run", &request->directory, "a directory", argc, argv, &i);
		else if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--output"))
			status = command_option("run", &request->output, "a folder", argc, argv, &i);
		else if (!strcmp(argv[i], "--workloads"))
			status = command_option("run", &request->workloads, "a folder", argc, argv, &i);
		else if (!strcmp(argv[i], "--control-machine"))
			request->control_machine = true;
		else if (argv[i][0] == '-')
			status = command_usage("run", "'%s' is no option of run", argv[i]);
		else if (!strchr(argv[i], '='))
			status = command_usage("run", "'%s' is neither an option nor KEY=VALUE",
					       argv[i]);
		else
			config_read_argument(config, argv[i]);
		if (status)
			return status;
	}
	if (!request->directory)
		return command_usage("run", "run needs --directory DIR, an empty directory on the "
					    "filesystem to be measured");
	if (request->control_machine && geteuid())
		return command_usage("run", "--control-machine needs root");
	return 0;
}

static int configure(struct run *run, const struct request *request)
{
	char folder[PATH_MAX];
	const char *workloads = request->workloads ? request->workloads : shipped_workloads(folder);

	if (config_is_on_command_line(run->config, KEY_PROFILE))
		shipped_read_profile(run->config, workloads);
	if (!plan_make_in_directory(&run->plan, run->config, workloads, request->control_machine))
		return 0;
	fprintf(stderr, "blitbench: %s", config_mistakes(run->config));
	return 2;
}

/* --- the run --- */

static void say(void *context, const char *line)
{
	(void)context;
	bar_end();
	puts(line);
	fflush(stdout);
}

static int make_run(struct run *run)
{
	static int (*const steps[])(struct run *run) = {
		directory_start,  run_load_workload,  run_name_contents,
		run_hold_machine, directory_sessions,
	};
	int result = 0;

	for (size_t i = 0; !result && i < ARRAY_LENGTH(steps); i++)
		result = steps[i](run);
	return result;
}

/* The table, and where the rest is; 0 where all is well. */
static int tell(struct run *run, const struct request *request)
{
	int result = run->journal ? run_report(run) : -EIO;
	_cleanup_free_ char *table = run->report ? report_table(run->report) : NULL;

	bar_end();
	if (table && run->status != RUN_REFUSED)
		printf("\n%s", table);
	if (!result && request->output)
		printf("\n%s: the journal and the reports of this run\n", request->output);
	if (result)
		return result;
	return run->status == RUN_COMPLETE ? 0 : error_set(-EIO, "%s", run->reason);
}

static int run_in(struct run *run, struct directory *directory, const struct request *request)
{
	int result = directory_open(directory, request->directory);

	run->directory = directory;
	if (!result && request->output) {
		int fd = directory_output(directory, request->output);

		result = fd < 0 ? fd : 0;
		run->results.run_fd = fd;
	}
	if (result)
		return result;
	if (!request->control_machine && !request->caches_given)
		say(NULL, "cold trials are left out: they empty the caches of the whole machine, "
			  "and need root and --control-machine");
	make_run(run);
	return tell(run, request);
}

int command_run(int argc, char **argv)
{
	struct request request = { 0 };
	struct directory directory = { .fd = -1 };
	struct progress progress;
	struct run run;

	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			return 0;
		}
	progress = *bar_start();
	progress.say = say;
	run_init(&run, &progress);
	run.config = config_new(plan_names);
	if (!run.config) {
		error_set(-ENOMEM, "out of memory for the configuration");
		return command_failed();
	}
	int status = parse(argc, argv, &request, run.config);
	request.caches_given = config_is_on_command_line(run.config, KEY_CACHES);
	if (!status)
		status = configure(&run, &request);
	if (!status) {
		/* Who reads the output may go, and files may have a limit (ulimit -f); what was made
		 * must not stay. */
		signal(SIGPIPE, SIG_IGN);
		signal(SIGXFSZ, SIG_IGN);
		status = run_in(&run, &directory, &request) ? command_failed() : 0;
	}
	if (run.results.run_fd >= 0)
		close(run.results.run_fd);
	directory_close(&directory);
	run_release(&run);
	json_decref(run.report);
	workload_free(&run.workload);
	config_free(run.config);
	return status;
}
