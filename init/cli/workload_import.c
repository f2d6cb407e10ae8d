/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/bar.h"
#include "cli/command.h"
#include "cli/workload_actions.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/import.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static const char *base_name(char shown[SENTENCE_NAME_BYTES], const char *file)
{
	const char *slash = strrchr(file, '/');

	return escape_for_sentence(shown, slash ? slash + 1 : file);
}

static void print_trimmed(FILE *out, const char *option, const struct import_part *part,
			  const struct import_trimmed *trimmed)
{
	char shown[SENTENCE_NAME_BYTES];

	if (!part->entries)
		return;
	fprintf(out, "%s %" PRIu64 ": ", option, part->entries);
	if (trimmed->archive)
		fprintf(out, "%s gave the first %" PRIu64 " of its %" PRIu64 " entries, ",
			base_name(shown, trimmed->archive), trimmed->merged, trimmed->listed);
	fprintf(out, "%zu package%s after it left out\n", trimmed->unread,
		trimmed->unread == 1 ? "" : "s");
}

static void print_counts(const struct import_job *job, const struct import_counts *counts)
{
	FILE *out = workload_notes(job->base.output, job->delta.output);

	fprintf(out,
		"%zu package%s and %zu of the delta; left out: %" PRIu64
		" entries outside usr/, %" PRIu64 " devices and the like\n",
		job->base.archive_count, job->base.archive_count == 1 ? "" : "s",
		job->delta.archive_count, counts->archives.outside, counts->archives.special);
	if (counts->replaced_parents || counts->kept_directories)
		fprintf(out,
			"packages that disagree: %" PRIu64
			" times a directory replaced something else, %" PRIu64
			" times something else gave way to a directory\n",
			counts->replaced_parents, counts->kept_directories);
	print_trimmed(out, "--entries", &job->base, &counts->base);
	print_trimmed(out, "--delta-entries", &job->delta, &counts->delta);
}

/* Archives before --delta go to the front of names, those after it follow. Returns 0 or an exit
 * status. */
static int parse(struct import_job *job, char **names, int argc, char **argv)
{
	struct import_part *base = &job->base, *delta = &job->delta, *part = base;

	base->archives = names;
	for (int i = 1; i < argc; i++) {
		int status = 0;

		if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--output"))
			status = command_option("workload", &base->output, "the name of a file", argc, argv,
						 &i);
		else if (!strcmp(argv[i], "--delta-output"))
			status = command_option("workload", &delta->output, "the name of a file", argc, argv,
						 &i);
		else if (!strcmp(argv[i], "--entries"))
			status = workload_option_entries(&base->entries, argc, argv, &i);
		else if (!strcmp(argv[i], "--delta-entries"))
			status = workload_option_entries(&delta->entries, argc, argv, &i);
		else if (!strcmp(argv[i], "--delta"))
			part = delta;
		else if (!strcmp(argv[i], "--anonymise"))
			job->anonymise = true;
		else if (argv[i][0] == '-' && argv[i][1])
			status = command_usage("workload", "'%s' is no option of import", argv[i]);
		else {
			names[base->archive_count + delta->archive_count] = argv[i];
			part->archive_count++;
		}
		if (status)
			return status;
	}
	delta->archives = names + base->archive_count;
	if (!base->archive_count)
		return command_usage("workload",
				     "import needs at least one archive before --delta");
	if (!base->output)
		return command_usage("workload", "import needs -o FILE for the manifest");
	if (!delta->archive_count != !delta->output)
		return command_usage("workload",
				     "--delta ARCHIVE... and --delta-output FILE go together");
	if (delta->output && !strcmp(base->output, delta->output))
		return command_usage("workload", "-o and --delta-output name the same file");
	if (delta->entries && !delta->output)
		return command_usage("workload", "--delta-entries needs --delta ARCHIVE...");
	return 0;
}

int workload_import(int argc, char **argv)
{
	_cleanup_free_ char **names = calloc((size_t)argc, sizeof(*names));
	struct import_job job = { 0 };
	struct import_counts counts;
	int status, error;

	if (!names) {
		error_set(-ENOMEM, "out of memory");
		return command_failed();
	}
	status = parse(&job, names, argc, argv);
	if (status)
		return status;
	job.progress = bar_start();
	error = import_packages(&job, &counts);
	bar_end();
	if (error)
		return command_failed();
	print_counts(&job, &counts);
	return workload_print_written(job.base.output, job.delta.output) ? command_failed() : 0;
}
