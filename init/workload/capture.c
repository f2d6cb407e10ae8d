/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/capture.h"

#include "workload/gather.h"
#include "workload/output.h"
#include "workload/trim.h"

int capture_build(struct layout_build *build, const char *directory, struct tree_counts *counts,
		  const struct progress *progress)
{
	struct trim trim = { .build = build, .room = NO_LIMIT };
	struct gather gather = { 0 };
	uint64_t merged;
	int error = layout_build_start(build, MERGE_PACKAGES);

	gather_begin(&gather);
	if (!error)
		error = tree_read_items(directory, gather_item, &gather, counts, progress);
	if (!error)
		error = gather_number(&gather);
	if (!error)
		error = trim_merge(&trim, &gather, &merged);
	gather_free(&gather);
	return error;
}

int capture_directory(const char *directory, const char *output, bool anonymise,
		      struct tree_counts *counts, const struct progress *progress)
{
	struct layout_build build = { 0 };
	struct output manifest;
	int error = output_check(output);

	if (error)
		return error;
	error = output_start(&manifest, anonymise, progress);
	if (!error)
		error = capture_build(&build, directory, counts, progress);
	if (!error)
		error = output_begin(&manifest, output);
	if (!error)
		error = layout_build_each(&build, output_put, &manifest);
	if (!error)
		error = output_finish(&manifest);
	output_free(&manifest);
	layout_build_free(&build);
	return error;
}
