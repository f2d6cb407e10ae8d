/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/workload.h"

#include "cli/command.h"
#include "cli/workload_actions.h"
#include "lib/cleanup.h"
#include "workload/figures.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int help(void)
{
	puts("Usage: blitbench workload import ARCHIVE... -o FILE [OPTION...]\n"
	     "                                 [--delta ARCHIVE... --delta-output FILE]\n\n"
	     "Makes a workload's manifest, in the format of mtree(5), of .deb packages and\n"
	     "tarballs. They are merged in the order given: where two have the same path, the later\n"
	     "one wins. Only entries below usr/ are kept; bin, sbin, lib, lib32, lib64 and libx32\n"
	     "at the top count as usr/bin and so on, as usr-merge has them. Files of equal content\n"
	     "get the same number (inode=), so that a store can hold each content once.\n\n"
	     "  -o FILE              the manifest; compressed with zstd where FILE ends in .zst\n"
	     "  --entries N          make exactly N entries, usr and made parents counted: archives\n"
	     "                       are taken whole while there is room, the next one entry by\n"
	     "                       entry (depth-first, bytewise), and the rest not at all\n"
	     "  --delta ARCHIVE...   packages that the transaction \"install\" adds to the others\n"
	     "  --delta-output FILE  the manifest of those\n"
	     "  --delta-entries N    make exactly N entries that the others do not have, likewise\n"
	     "  --help               this text\n\n"
	     "The same archives give the same files, byte for byte. The figures of the result are\n"
	     "printed.");
	return 0;
}

/* --- what the actions share --- */

int workload_option(const char **value, const char *needs, int argc, char **argv, int *at)
{
	const char *option = argv[*at];

	if (*value)
		return command_usage("workload", "%s is given twice", option);
	if (*at + 1 >= argc)
		return command_usage("workload", "%s needs %s", option, needs);
	*value = argv[++*at];
	return 0;
}

int workload_option_entries(uint64_t *entries, int argc, char **argv, int *at)
{
	const char *option = argv[*at], *text = NULL;
	uint64_t number = 0;
	int status;

	if (*entries)
		return command_usage("workload", "%s is given twice", option);
	status = workload_option(&text, "a number of entries", argc, argv, at);
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

int workload_print_figures(const char *title, const struct layout *layout,
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

/* --- workload --- */

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} actions[] = {
	{ "import", workload_import },
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
