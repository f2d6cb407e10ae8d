/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/workload.h"

#include "cli/command.h"
#include "cli/workload_actions.h"
#include "lib/cleanup.h"
#include "workload/figures.h"
#include "workload/mtree.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static int help(void)
{
	puts("Usage: blitbench workload inspect FILE|DIRECTORY [--json]\n"
	     "       blitbench workload capture DIRECTORY -o FILE [--anonymise]\n"
	     "       blitbench workload import ARCHIVE... -o FILE [OPTION...]\n"
	     "                                 [--delta ARCHIVE... --delta-output FILE]\n"
	     "       blitbench workload subset FILE --entries N -o FILE [--anonymise]\n\n"
	     "A workload is a manifest in the format of mtree(5): the paths, types, modes, owners,\n"
	     "sizes and link texts of a /usr, but no contents. Files of equal content have the same\n"
	     "number (inode=), so that a store can hold each content once.\n\n"
	     "inspect  prints statistics of a manifest, an archive or a directory.\n"
	     "capture  writes the manifest of a directory, such as a live system's /usr, and calls\n"
	     "         it usr. Mounts in it are not crossed.\n"
	     "import   writes the manifest of packages and archives: .deb, .stone, .rpm, .zip and\n"
	     "         tarballs, .apk and .pkg.tar.zst too, compressed by zstd, xz, lzma, lzip, gzip\n"
	     "         or compress, but not by bzip2 or lz4. They are merged in the order given:\n"
	     "         where two have the same path, the later one wins. Only entries below usr/ are\n"
	     "         kept; bin, sbin, lib, lib32, lib64 and libx32 at the top count as usr/bin and\n"
	     "         so on, as usr-merge has them.\n"
	     "subset   writes a smaller manifest of the same shape: whole directories, and only the\n"
	     "         last of them trimmed.\n\n"
	     "  -o FILE              the manifest; compressed with zstd where FILE ends in .zst\n"
	     "  --json               statistics for programs\n"
	     "  --anonymise          names are replaced by others of the same length\n"
	     "  --entries N          make exactly N entries, usr and made parents counted. import\n"
	     "                       takes archives whole while there is room, the next one entry\n"
	     "                       by entry (depth-first, bytewise), and the rest not at all\n"
	     "  --delta ARCHIVE...   packages that the transaction \"install\" adds to the others\n"
	     "  --delta-output FILE  the manifest of those\n"
	     "  --delta-entries N    make exactly N entries that the others do not have, likewise\n"
	     "  --help               this text\n\n"
	     "A manifest that is there already is replaced, but no other file, and no source. \"-\"\n"
	     "stands for the standard input and output. The same sources give the same files, byte\n"
	     "for byte.");
	return 0;
}

/* --- arguments --- */

int workload_option_entries(uint64_t *entries, int argc, char **argv, int *at)
{
	const char *option = argv[*at], *text = NULL;
	uint64_t number = 0;
	int status;

	if (*entries)
		return command_usage("workload", "%s is given twice", option);
	status = command_option("workload", &text, "a number of entries", argc, argv, at);
	if (status)
		return status;
	if (strlen(text) == strspn(text, "0123456789") && strlen(text) <= 9)
		sscanf(text, "%" SCNu64, &number);
	if (!number)
		return command_usage("workload",
				     "%s %s is no number of entries from 1 to 999999999", option,
				     text);
	*entries = number;
	return 0;
}

static int check_arguments(const struct workload_arguments *arguments, bool with_entries,
			   const char *action)
{
	if (!arguments->source)
		return command_usage("workload", "%s needs %s", action,
				     with_entries ? "a manifest" : "a directory");
	if (!arguments->output)
		return command_usage("workload", "%s needs -o FILE for the manifest", action);
	if (with_entries && !arguments->entries)
		return command_usage("workload", "%s needs --entries N", action);
	return 0;
}

int workload_parse(struct workload_arguments *arguments, bool with_entries, int argc, char **argv)
{
	*arguments = (struct workload_arguments){ 0 };
	for (int i = 1; i < argc; i++) {
		int status = 0;

		if (!strcmp(argv[i], "-o") || !strcmp(argv[i], "--output"))
			status = command_option("workload", &arguments->output, "the name of a file", argc,
						 argv, &i);
		else if (with_entries && !strcmp(argv[i], "--entries"))
			status = workload_option_entries(&arguments->entries, argc, argv, &i);
		else if (!strcmp(argv[i], "--anonymise"))
			arguments->anonymise = true;
		else if (argv[i][0] == '-' && argv[i][1])
			status = command_usage("workload", "'%s' is no option of %s", argv[i],
					       argv[0]);
		else if (arguments->source)
			status = command_usage("workload",
					       "%s takes one source, and '%s' is a second", argv[0],
					       argv[i]);
		else
			arguments->source = argv[i];
		if (status)
			return status;
	}
	return check_arguments(arguments, with_entries, argv[0]);
}

/* --- results --- */

FILE *workload_notes(const char *base, const char *delta)
{
	return mtree_is_stdout(base) || (delta && mtree_is_stdout(delta)) ? stderr : stdout;
}

/* What a layout consists of, in short. */
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

static bool can_be_read_back(const char *file)
{
	struct stat status;

	return !mtree_is_stdout(file) && !stat(file, &status) && S_ISREG(status.st_mode);
}

int workload_print_written(const char *base, const char *delta)
{
	struct workload workload;
	int error;

	if (!can_be_read_back(base) || (delta && !can_be_read_back(delta)))
		return 0;
	error = workload_read(&workload, "", base, delta, NULL);
	if (error)
		return error;
	error = print_figures(delta ? "remove (the packages)" : "the workload", &workload.remove,
			      &workload.contents);
	if (!error && delta)
		error = print_figures("install (with the delta)", &workload.install,
				      &workload.contents);
	if (!error)
		printf("digest %s\n", workload.digest);
	workload_free(&workload);
	return error;
}

void workload_print_tree(FILE *out, const struct tree_counts *counts)
{
	if (counts->special)
		fprintf(out, "left out: %" PRIu64 " devices, pipes and sockets\n", counts->special);
	if (counts->mounts)
		fprintf(out, "not entered, and taken as empty: %" PRIu64 " mounts\n",
			counts->mounts);
	if (counts->vanished)
		fprintf(out, "gone before they could be read: %" PRIu64 " entries\n",
			counts->vanished);
	if (*counts->first_unreadable)
		fprintf(out,
			"could not be read: %" PRIu64 " files, each taken as a content of its own, "
			"and %" PRIu64 " directories, taken as empty; the first is %s\n",
			counts->unreadable_files, counts->closed_directories,
			counts->first_unreadable);
}

/* --- workload --- */

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} actions[] = {
	{ "inspect", workload_inspect },
	{ "capture", workload_capture },
	{ "import", workload_import },
	{ "subset", workload_subset },
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
