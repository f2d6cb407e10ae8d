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
	"Usage: blitbench plan PROFILE [--workloads FOLDER] [KEY=VALUE...]\n"
	"       blitbench plan --print-conf | --print-keys\n"
	"\n"
	"Prints what the image would do with a profile, and with the keys that win over it:\n"
	"sessions, engines, trials, how large a partition it needs. Nothing is done.\n"
	"\n"
	"      --workloads FOLDER  where workloads and profiles/ are; by default ../workloads or\n"
	"                          ../share/blitbench/workloads from where this program is\n"
	"      --print-conf        the commented blitbench.conf that lies on BLITRESULTS\n"
	"      --print-keys        the table of all keys, as in docs/config.md\n"
	"      --help              print this\n";

/* Takes what is no option: PROFILE, once and before KEY=VALUE could say otherwise, or a key. */
static int take_word(struct config *config, const char *word, bool *named)
{
	char argument[CONFIG_VALUE_BYTES + 32];

	if (strchr(word, '=')) {
		config_read_argument(config, word);
		return 0;
	}
	if (*named)
		return command_usage("plan", "plan takes one profile, and '%s' is a second", word);
	*named = true;
	snprintf(argument, sizeof(argument), "profile=%.200s", word);
	config_read_argument(config, argument);
	return 0;
}

static int parse(int argc, char **argv, struct config *config, const char **workloads)
{
	bool named = false;

	for (int i = 1; i < argc; i++) {
		int status = 0;

		if (!strcmp(argv[i], "--workloads") && i + 1 < argc)
			*workloads = argv[++i];
		else if (!strcmp(argv[i], "--workloads"))
			status = command_usage("plan", "--workloads needs a folder");
		else if (argv[i][0] == '-')
			status = command_usage("plan", "'%s' is no option of plan", argv[i]);
		else
			status = take_word(config, argv[i], &named);
		if (status)
			return status;
	}
	if (!named && !config_is_on_command_line(config, KEY_PROFILE))
		return command_usage(
			"plan", "plan needs a profile, or one of --print-conf and --print-keys");
	return 0;
}

/* Names of contents would only sharpen what is needed, and take a while. */
static int preview(const struct plan *plan)
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
	if (!result)
		preview_print(stdout, plan, &workload, &needs);
	workload_free(&workload);
	return result ? command_failed() : 0;
}

static int plan_of(int argc, char **argv, struct config *config)
{
	char folder[PATH_MAX], above[PATH_MAX + 4];
	const char *workloads = NULL;
	struct plan plan;
	int status = parse(argc, argv, config, &workloads);

	if (status)
		return status;
	workloads = workloads ? workloads : shipped_workloads(folder);
	shipped_read_profile(config, workloads);
	/* The folder lies as it does on a results volume. */
	snprintf(above, sizeof(above), "%s/..", workloads ? workloads : "");
	if (!plan_make(&plan, config, workloads ? above : NULL, false))
		return preview(&plan);
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
