/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/bar.h"
#include "cli/command.h"
#include "cli/workload_actions.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/output.h"
#include "workload/subset.h"

#include <inttypes.h>

static int write_subset(const struct workload_arguments *arguments, const struct workload *workload,
			const struct progress *progress)
{
	char shown[SENTENCE_NAME_BYTES];
	struct output output;
	int error = output_start(&output, arguments->anonymise, progress);

	if (!error)
		error = output_begin(&output, arguments->output);
	if (!error) {
		error = subset_each(&workload->remove, &workload->contents, arguments->entries,
				    output_put, &output);
		if (error)
			error_prefix(error, "%s", escape_for_sentence(shown, arguments->source));
	}
	if (!error)
		error = output_finish(&output);
	output_free(&output);
	return error;
}

int workload_subset(int argc, char **argv)
{
	struct workload_arguments arguments;
	const struct progress *progress;
	struct workload workload;
	uint64_t special = 0;
	int status = workload_parse(&arguments, true, argc, argv), error;

	if (status)
		return status;
	if (output_check_sources(arguments.output, (char *[]){ (char *)arguments.source }, 1) ||
	    output_check(arguments.output))
		return command_failed();
	progress = bar_start();
	error = workload_read(&workload, "", arguments.source, NULL, progress);
	if (!error) {
		special = workload.special;
		error = write_subset(&arguments, &workload, progress);
		workload_free(&workload);
	}
	bar_end();
	if (!error && special)
		fprintf(workload_notes(arguments.output, NULL),
			"left out: %" PRIu64 " devices, pipes and sockets\n", special);
	if (error || workload_print_written(arguments.output, NULL))
		return command_failed();
	return 0;
}
