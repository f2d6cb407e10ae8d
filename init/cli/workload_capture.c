/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/bar.h"
#include "cli/command.h"
#include "cli/workload_actions.h"
#include "workload/capture.h"

int workload_capture(int argc, char **argv)
{
	struct workload_arguments arguments;
	struct tree_counts counts;
	int status = workload_parse(&arguments, false, argc, argv), error;

	if (status)
		return status;
	error = capture_directory(arguments.source, arguments.output, arguments.anonymise, &counts,
				  bar_start());
	bar_end();
	if (error)
		return command_failed();
	workload_print_tree(workload_notes(arguments.output, NULL), &counts);
	return workload_print_written(arguments.output, NULL) ? command_failed() : 0;
}
