/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/bar.h"
#include "cli/command.h"
#include "cli/workload_actions.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/values.h"
#include "workload/examine.h"
#include "workload/figures.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* --- for people --- */

static void print_distribution(const char *title, const struct distribution *distribution)
{
	printf("  %-22s %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %12" PRIu64 "\n",
	       title, distribution->minimum, distribution->median, distribution->percentile_90,
	       distribution->percentile_99, distribution->maximum);
}

static void print_histogram(uint64_t value, uint64_t total, const char *label)
{
	enum { BAR_CELLS = 40 };
	int cells = total ? (int)((double)value / (double)total * BAR_CELLS + 0.5) : 0;

	printf("  %10s %10" PRIu64 "  %.*s\n", label, value, cells,
	       "########################################");
}

static const char *size_label(char label[16], unsigned power)
{
	static const char units[] = { 'B', 'K', 'M', 'G', 'T' };

	snprintf(label, 16, "%u %c%s", 1u << power % 10, units[power / 10], power < 10 ? "" : "iB");
	return label;
}

static void print_sizes(const struct layout_figures *figures)
{
	char label[16];
	unsigned last = SIZE_CLASSES;

	while (last && !figures->by_size[last - 1])
		last--;
	if (!last)
		return;
	puts("\nfiles by size, from");
	if (figures->empty_files)
		print_histogram(figures->empty_files, figures->files, "empty");
	for (unsigned i = 0; i < last; i++)
		print_histogram(figures->by_size[i], figures->files, size_label(label, i));
}

static void print_depths(const struct layout_figures *figures)
{
	char label[16];

	puts("\nentries by names in their path");
	for (uint32_t i = 1; i <= figures->deepest; i++) {
		snprintf(label, sizeof(label), "%" PRIu32, i);
		print_histogram(figures->by_depth[i], figures->entries, label);
	}
}

static void print_contents(const struct layout_figures *figures)
{
	printf("  assets                 %10" PRIu32 ", of %" PRIu64
	       " bytes, the largest of %" PRIu64 "\n",
	       figures->assets, figures->asset_bytes, figures->largest_asset_bytes);
	printf("  duplicates             %10" PRIu32 " files share %" PRIu32
	       " contents, which saves %" PRIu64 " bytes\n",
	       figures->shared_files, figures->shared_contents,
	       figures->bytes - figures->asset_bytes);
	printf("  modes that collide     %10" PRIu32 " files of %" PRIu32
	       " contents want different modes\n",
	       figures->colliding_files, figures->colliding_contents);
}

static void print_text(const struct examined *examined, const struct layout_figures *figures)
{
	printf("%s, digest %s\n\n", examined->kind, examined->workload.digest);
	printf("  entries                %10" PRIu32 "\n", figures->entries);
	printf("  files                  %10" PRIu32 ", of %" PRIu64 " bytes; %" PRIu32
	       " of them empty\n",
	       figures->files, figures->bytes, figures->empty_files);
	printf("  symlinks               %10" PRIu32 "\n", figures->symlinks);
	printf("  directories            %10" PRIu32 "; %" PRIu32 " of them empty\n",
	       figures->directories, figures->empty_directories);
	print_contents(figures);
	printf("  setuid, setgid, sticky %10" PRIu32 " entries\n", figures->special_modes);
	printf("  not root's             %10" PRIu32 " entries\n\n", figures->other_owners);
	printf("  %-22s %10s %10s %10s %10s %12s\n", "", "least", "median", "90 %", "99 %", "most");
	print_distribution("bytes of a name", &figures->name_bytes);
	print_distribution("bytes of a link text", &figures->link_text_bytes);
	print_distribution("entries of a directory", &figures->children);
	print_distribution("bytes of a file", &figures->file_bytes);
	print_depths(figures);
	print_sizes(figures);
	if (examined->archive.outside || examined->archive.special)
		printf("\nleft out: %" PRIu64 " entries outside usr/, %" PRIu64
		       " devices and the like\n",
		       examined->archive.outside, examined->archive.special);
	workload_print_tree(stdout, &examined->tree);
}

/* --- for programs --- */

static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static json_t *distribution_json(const struct distribution *distribution)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o}", "count", number(distribution->count), "minimum",
		number(distribution->minimum), "median", number(distribution->median),
		"percentile_90", number(distribution->percentile_90), "percentile_99",
		number(distribution->percentile_99), "maximum", number(distribution->maximum));
}

/* Element i counts what has the value first + i. */
static json_t *counts_json(const uint32_t *counts, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, number(counts[i]));
	return array;
}

static json_t *left_out_json(const struct examined *examined)
{
	const struct tree_counts *tree = &examined->tree;

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "outside_usr",
			 number(examined->archive.outside), "special",
			 number(examined->archive.special + tree->special), "unreadable_files",
			 number(tree->unreadable_files), "unreadable_directories",
			 number(tree->closed_directories), "mounts", number(tree->mounts),
			 "vanished", number(tree->vanished));
}

static json_t *figures_json(const struct examined *examined, const struct layout_figures *figures)
{
	const struct {
		const char *key;
		json_t *value;
	} members[] = {
		{ "schema", json_string("blitbench-workload/1") },
		{ "kind", json_string(examined->kind) },
		{ "digest", json_string(examined->workload.digest) },
		{ "entries", number(figures->entries) },
		{ "files", number(figures->files) },
		{ "empty_files", number(figures->empty_files) },
		{ "symlinks", number(figures->symlinks) },
		{ "directories", number(figures->directories) },
		{ "empty_directories", number(figures->empty_directories) },
		{ "bytes", number(figures->bytes) },
		{ "assets", number(figures->assets) },
		{ "asset_bytes", number(figures->asset_bytes) },
		{ "largest_asset_bytes", number(figures->largest_asset_bytes) },
		{ "shared_contents", number(figures->shared_contents) },
		{ "shared_files", number(figures->shared_files) },
		{ "duplicate_bytes", number(figures->bytes - figures->asset_bytes) },
		{ "colliding_contents", number(figures->colliding_contents) },
		{ "colliding_files", number(figures->colliding_files) },
		{ "special_modes", number(figures->special_modes) },
		{ "other_owners", number(figures->other_owners) },
		{ "deepest", number(figures->deepest) },
		{ "entries_by_depth", counts_json(figures->by_depth + 1, figures->deepest) },
		{ "files_by_size_power", counts_json(figures->by_size, SIZE_CLASSES) },
		{ "name_bytes", distribution_json(&figures->name_bytes) },
		{ "link_text_bytes", distribution_json(&figures->link_text_bytes) },
		{ "directory_entries", distribution_json(&figures->children) },
		{ "file_bytes", distribution_json(&figures->file_bytes) },
		{ "left_out", left_out_json(examined) },
	};
	json_t *object = json_object();

	for (size_t i = 0; i < ARRAY_LENGTH(members); i++)
		json_object_set_new(object, members[i].key, members[i].value);
	return object;
}

static int print_json(const struct examined *examined, const struct layout_figures *figures)
{
	json_t *object = figures_json(examined, figures);
	_cleanup_free_ char *text = json_dumps(object, JSON_INDENT(2));

	json_decref(object);
	if (!text)
		return error_set(-ENOMEM, "out of memory for the statistics");
	puts(text);
	return 0;
}

/* --- inspect --- */

static int inspect(const char *file, bool json)
{
	struct layout_figures figures;
	struct examined examined;
	int error = examine(&examined, file, bar_start());

	bar_end();
	if (error)
		return error;
	error = layout_figures(&figures, &examined.workload.remove, &examined.workload.contents);
	if (!error && json)
		error = print_json(&examined, &figures);
	else if (!error)
		print_text(&examined, &figures);
	workload_free(&examined.workload);
	return error;
}

int workload_inspect(int argc, char **argv)
{
	const char *file = NULL;
	bool json = false;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			json = true;
		else if (argv[i][0] == '-' && argv[i][1])
			return command_usage("workload", "'%s' is no option of inspect", argv[i]);
		else if (file)
			return command_usage("workload",
					     "inspect takes one source, and '%s' is a second",
					     argv[i]);
		else
			file = argv[i];
	}
	if (!file)
		return command_usage("workload",
				     "inspect needs a manifest, an archive or a directory");
	return inspect(file, json) ? command_failed() : 0;
}
