/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/workload.h"

#include "cli/command.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/figures.h"
#include "workload/import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int help(void)
{
	puts("Usage: blitbench workload import ARCHIVE... [--delta ARCHIVE...]\n"
	     "                                 -o FILE [--delta-output FILE]\n\n"
	     "Makes a workload's manifest, in the format of mtree(5), of .deb packages and "
	     "tarballs.\n"
	     "They are merged in the order given: where two have the same path, the later one "
	     "wins.\n"
	     "Only entries below usr/ are kept; bin, sbin, lib, lib32, lib64 and libx32 at the "
	     "top\n"
	     "count as usr/bin and so on, as usr-merge has them. Files of equal content get the "
	     "same\n"
	     "number (inode=), so that a store can hold each content once.\n\n"
	     "  -o FILE              the manifest; compressed with zstd where FILE ends in .zst\n"
	     "  --delta ARCHIVE...   packages that the transaction \"install\" adds to the others\n"
	     "  --delta-output FILE  the manifest of those\n"
	     "  --help               this text\n\n"
	     "The same archives give the same files, byte for byte. The figures of the result are\n"
	     "printed.");
	return 0;
}

/* --- import --- */

static void print_archive(void *context, const char *file, const struct archive_counts *counts)
{
	const char *slash = strrchr(file, '/');
	char shown[SENTENCE_NAME_BYTES];

	(void)context;
	fprintf(stderr, "%s: %" PRIu64 " entries\n",
		escape_for_sentence(shown, slash ? slash + 1 : file), counts->taken);
}

static int print_figures(const char *title, const struct layout *layout,
			 const struct contents *contents)
{
	struct layout_figures figures;
	int error = layout_figures(&figures, layout, contents);

	if (error)
		return error;
	printf("%s: %" PRIu32 " entries: %" PRIu32 " files (%" PRIu32 " of them empty), %" PRIu32
	       " symlinks, %" PRIu32 " directories\n",
	       title, figures.entries, figures.files, figures.empty_files, figures.symlinks,
	       figures.directories);
	printf("  %" PRIu32 " assets of %" PRIu64 " bytes, the largest %" PRIu64
	       "; all files: %" PRIu64 " bytes\n",
	       figures.assets, figures.asset_bytes, figures.largest_asset_bytes, figures.bytes);
	printf("  the deepest path has %" PRIu32 " names\n", figures.deepest);
	return 0;
}

/* The figures are those of the files just written, so they also show that these can be read. */
static int print_result(const struct import_job *job, const struct import_counts *counts)
{
	struct workload workload;
	int error = workload_load(&workload, "import", job->output, job->delta_output, 0, NULL);

	if (error)
		return error;
	printf("%zu packages and %zu of the delta; left out: %" PRIu64
	       " entries outside usr/, %" PRIu64 " devices and the like\n",
	       job->archive_count, job->delta_count, counts->archives.outside,
	       counts->archives.special);
	if (counts->replaced_parents || counts->kept_directories)
		printf("packages that disagree: %" PRIu64
		       " times a directory replaced something else, %" PRIu64
		       " times something else gave way to a directory\n",
		       counts->replaced_parents, counts->kept_directories);
	error = print_figures("remove (the packages)", &workload.remove, &workload.contents);
	if (!error && job->delta_count)
		error = print_figures("install (with the delta)", &workload.install,
				      &workload.contents);
	if (!error)
		printf("digest %s\n", workload.digest);
	workload_free(&workload);
	return error;
}

/* Takes the value of an option; 0, or the exit status of a wrong use. */
static int take_value(const char **value, int argc, char **argv, int *at)
{
	const char *option = argv[*at];

	if (*value)
		return command_usage("workload", "%s is given twice", option);
	if (*at + 1 >= argc)
		return command_usage("workload", "%s needs the name of a file", option);
	*value = argv[++*at];
	return 0;
}

/* Archives before --delta go to the front of names, those after it follow. Returns 0 or an exit
 * status. */
static int parse_import(struct import_job *job, char **names, int argc, char **argv)
{
	bool delta = false;

	job->archives = names;
	for (int i = 1; i < argc; i++) {
		int status = 0;

		if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--output"))
			status = take_value(&job->output, argc, argv, &i);
		else if (!strcmp(argv[i], "--delta-output"))
			status = take_value(&job->delta_output, argc, argv, &i);
		else if (!strcmp(argv[i], "--delta"))
			delta = true;
		else if (argv[i][0] == '-')
			status = command_usage("workload", "'%s' is no option of import", argv[i]);
		else if (delta)
			job->archives[job->archive_count + job->delta_count++] = argv[i];
		else
			job->archives[job->archive_count++] = argv[i];
		if (status)
			return status;
	}
	job->deltas = job->archives + job->archive_count;
	if (!job->archive_count)
		return command_usage("workload",
				     "import needs at least one archive before --delta");
	if (!job->output)
		return command_usage("workload", "import needs -o FILE for the manifest");
	if (!job->delta_count != !job->delta_output)
		return command_usage("workload",
				     "--delta ARCHIVE... and --delta-output FILE go together");
	return 0;
}

static int command_import(int argc, char **argv)
{
	_cleanup_free_ char **names = calloc((size_t)argc, sizeof(*names));
	struct import_job job = { .archive_done = isatty(STDERR_FILENO) ? print_archive : NULL };
	struct import_counts counts;
	int status;

	if (!names) {
		error_set(-ENOMEM, "out of memory");
		return command_failed();
	}
	status = parse_import(&job, names, argc, argv);
	if (status)
		return status;
	if (import_packages(&job, &counts) || print_result(&job, &counts))
		return command_failed();
	return 0;
}

/* --- workload --- */

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} actions[] = {
	{ "import", command_import },
};

int command_workload(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], "--help"))
			return help();
	if (argc < 2)
		return command_usage("workload", "no action given");
	for (size_t i = 0; i < ARRAY_LENGTH(actions); i++)
		if (!strcmp(argv[1], actions[i].name))
			return actions[i].run(argc - 1, argv + 1);
	return command_usage("workload", "'%s' is no action", argv[1]);
}
