/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/plan.h"

#include "cli/bar.h"
#include "cli/command.h"
#include "cli/shipped.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "run/preview.h"

#include <errno.h>
#include <string.h>

static const char usage[] =
	"Usage: blitbench plan PROFILE [OPTION...] [KEY=VALUE...]\n"
	"       blitbench plan --print-conf | --print-keys\n"
	"\n"
	"Prints what the image would do with a profile, and with the keys that win over it: the\n"
	"sessions in their order, engines, trials, how large a partition and how much memory that\n"
	"needs, how much it writes and about how long it takes. Nothing is done.\n"
	"\n"
	"      --json              all of it for programs, in seconds and bytes\n"
	"      --conf FILE         a blitbench.conf, which wins over the profile; it may name one\n"
	"                          instead of PROFILE. Paths of workloads are then those of the\n"
	"                          volume that it lies on, the folder above that of --workloads\n"
	"      --command-line TEXT a kernel command line, whose blitbench.KEY=VALUE win over that\n"
	"      --workloads FOLDER  where workloads and profiles/ are; by default ../workloads or\n"
	"                          ../share/blitbench/workloads from where this program is\n"
	"      --print-conf        the commented blitbench.conf that lies on BLITRESULTS\n"
	"      --print-keys        the table of all keys, as in docs/config.md\n"
	"      --help              print this\n"
	"\n"
	"Exit status: 0; 1 it failed; 2 wrong usage, or mistakes in the keys, all of them told.\n";

struct request {
	const char *workloads, *conf, *command_line;
	bool json, named;
};

/* Takes what is no option: PROFILE, once and before KEY=VALUE could say otherwise, or a key. */
static int take_word(struct config *config, const char *word, struct request *request)
{
	char argument[CONFIG_VALUE_BYTES + 32];

	if (strchr(word, '=')) {
		config_read_argument(config, word);
		return 0;
	}
	if (request->named)
		return command_usage("plan", "plan takes one profile, and '%s' is a second", word);
	request->named = true;
	snprintf(argument, sizeof(argument), "profile=%.200s", word);
	config_read_argument(config, argument);
	return 0;
}

static int parse(int argc, char **argv, struct config *config, struct request *request)
{
	for (int i = 1; i < argc; i++) {
		int status = 0;

		if (!strcmp(argv[i], "--workloads"))
			status = command_option("plan", &request->workloads, "a folder", argc, argv,
						&i);
		else if (!strcmp(argv[i], "--conf"))
			status = command_option("plan", &request->conf, "a file", argc, argv, &i);
		else if (!strcmp(argv[i], "--command-line"))
			status = command_option("plan", &request->command_line, "a text", argc,
						argv, &i);
		else if (!strcmp(argv[i], "--json"))
			request->json = true;
		else if (argv[i][0] == '-')
			status = command_usage("plan", "'%s' is no option of plan", argv[i]);
		else
			status = take_word(config, argv[i], request);
		if (status)
			return status;
	}
	if (!request->named && !request->conf && !config_is_on_command_line(config, KEY_PROFILE))
		return command_usage(
			"plan", "plan needs a profile, or one of --print-conf and --print-keys");
	return 0;
}

static int print_json(const struct plan *plan, const struct workload *workload,
		      const struct needs *needs)
{
	json_t *json = preview_json(plan, workload, needs);
	int failed = !json || json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));

	json_decref(json);
	putchar('\n');
	return failed ? error_set(-ENOMEM, "out of memory for the plan") : 0;
}

/* Names of contents would only sharpen what is needed, and take a while. */
static int preview(const struct plan *plan, const struct request *request)
{
	struct workload workload = { 0 };
	struct needs needs;
	int result = workload_read(&workload, plan->workload, plan->base_path,
				   *plan->delta_path ? plan->delta_path : NULL, bar_start());

	if (!result && plan->cap_bytes)
		result = workload_cap(&workload, plan->cap_bytes);
	if (!result)
		result = needs_make(&needs, plan, &workload);
	bar_end();
	if (!result && request->json)
		result = print_json(plan, &workload, &needs);
	else if (!result)
		preview_print(stdout, plan, &workload, &needs);
	workload_free(&workload);
	return result ? command_failed() : 0;
}

static int plan_of(int argc, char **argv, struct config *config)
{
	struct request request = { 0 };
	char folder[PATH_MAX];
	struct plan plan;
	int status = parse(argc, argv, config, &request);

	if (status)
		return status;
	if (request.conf && config_read_conf(config, request.conf))
		return command_failed();
	if (request.command_line)
		config_read_command_line(config, request.command_line);
	const char *workloads = request.workloads ? request.workloads : shipped_workloads(folder);
	shipped_read_profile(config, workloads);
	if (!plan_make_ahead(&plan, config, workloads, !request.conf))
		return preview(&plan, &request);
	fprintf(stderr, "blitbench: %s", config_mistakes(config));
	return 2;
}

int command_plan(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help")) {
			fputs(usage, stdout);
			return 0;
		}
	if (argc == 2 && !strcmp(argv[1], "--print-conf")) {
		config_print_conf(stdout, plan_names);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--print-keys")) {
		config_print_markdown(stdout, plan_names);
		return 0;
	}
	struct config *config = config_new(plan_names);
	if (!config) {
		error_set(-ENOMEM, "out of memory for the configuration");
		return command_failed();
	}
	int status = plan_of(argc, argv, config);
	config_free(config);
	return status;
}
