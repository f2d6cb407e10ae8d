/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/command.h"
#include "cli/workload_actions.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *base_name(char shown[SENTENCE_NAME_BYTES], const char *file)
{
	const char *slash = strrchr(file, '/');

	return escape_for_sentence(shown, slash ? slash + 1 : file);
}

static void print_archive(void *context, const char *file, const struct archive_counts *counts)
{
	char shown[SENTENCE_NAME_BYTES];

	(void)context;
	fprintf(stderr, "%s: %" PRIu64 " entries\n", base_name(shown, file), counts->taken);
}

static void print_trimmed(const char *option, const struct import_part *part,
			  const struct import_trimmed *trimmed)
{
	char shown[SENTENCE_NAME_BYTES];

	if (!part->entries)
		return;
	printf("%s %" PRIu64 ": ", option, part->entries);
	if (trimmed->archive)
		printf("%s gave the first %" PRIu64 " of its %" PRIu64 " entries, ",
		       base_name(shown, trimmed->archive), trimmed->merged, trimmed->listed);
	printf("%zu packages after it were left out\n", trimmed->unread);
}

/* The figures are those of the files just written, so they also show that these can be read. */
static int print_result(const struct import_job *job, const struct import_counts *counts)
{
	struct workload workload;
	int error =
		workload_load(&workload, "import", job->base.output, job->delta.output, 0, NULL);

	if (error)
		return error;
	printf("%zu packages and %zu of the delta; left out: %" PRIu64
	       " entries outside usr/, %" PRIu64 " devices and the like\n",
	       job->base.archive_count, job->delta.archive_count, counts->archives.outside,
	       counts->archives.special);
	if (counts->replaced_parents || counts->kept_directories)
		printf("packages that disagree: %" PRIu64
		       " times a directory replaced something else, %" PRIu64
		       " times something else gave way to a directory\n",
		       counts->replaced_parents, counts->kept_directories);
	print_trimmed("--entries", &job->base, &counts->base);
	print_trimmed("--delta-entries", &job->delta, &counts->delta);
	error = workload_print_figures("remove (the packages)", &workload.remove,
				       &workload.contents);
	if (!error && job->delta.archive_count)
		error = workload_print_figures("install (with the delta)", &workload.install,
					       &workload.contents);
	if (!error)
		printf("digest %s\n", workload.digest);
	workload_free(&workload);
	return error;
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
			status = workload_option(&base->output, "the name of a file", argc, argv,
						 &i);
		else if (!strcmp(argv[i], "--delta-output"))
			status = workload_option(&delta->output, "the name of a file", argc, argv,
						 &i);
		else if (!strcmp(argv[i], "--entries"))
			status = workload_option_entries(&base->entries, argc, argv, &i);
		else if (!strcmp(argv[i], "--delta-entries"))
			status = workload_option_entries(&delta->entries, argc, argv, &i);
		else if (!strcmp(argv[i], "--delta"))
			part = delta;
		else if (argv[i][0] == '-')
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
	if (delta->entries && !delta->output)
		return command_usage("workload", "--delta-entries needs --delta ARCHIVE...");
	return 0;
}

int workload_import(int argc, char **argv)
{
	_cleanup_free_ char **names = calloc((size_t)argc, sizeof(*names));
	struct import_job job = { .archive_done = isatty(STDERR_FILENO) ? print_archive : NULL };
	struct import_counts counts;
	int status;

	if (!names) {
		error_set(-ENOMEM, "out of memory");
		return command_failed();
	}
	status = parse(&job, names, argc, argv);
	if (status)
		return status;
	if (import_packages(&job, &counts) || print_result(&job, &counts))
		return command_failed();
	return 0;
}
