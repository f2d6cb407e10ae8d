/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/plan.h"

#include "cli/command.h"
#include "run/plan.h"

#include <string.h>

static int help(void)
{
	puts("Usage: blitbench plan --print-conf | --print-keys\n\n"
	     "  --print-conf  the commented blitbench.conf that lies on BLITRESULTS\n"
	     "  --print-keys  the table of all keys, as in docs/config.md");
	return 0;
}

int command_plan(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help"))
			return help();
	if (argc == 2 && !strcmp(argv[1], "--print-conf")) {
		config_print_conf(stdout, plan_names);
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--print-keys")) {
		config_print_markdown(stdout, plan_names);
		return 0;
	}
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "--print-conf") && strcmp(argv[i], "--print-keys"))
			return command_usage("plan", "'%s' is no option of plan", argv[i]);
	return command_usage("plan", "one of --print-conf and --print-keys is needed");
}
