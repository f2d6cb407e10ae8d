/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/examine.h"

#include "lib/error.h"
#include "workload/capture.h"
#include "workload/gather.h"
#include "workload/source.h"
#include "workload/trim.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static int add(void *context, const struct listed_entry *entry)
{
	return layout_build_add(context, entry);
}

static int build_archive(struct layout_build *build, const struct source *source,
			 struct archive_counts *counts)
{
	struct trim trim = { .build = build, .room = NO_LIMIT };
	struct gather gather = { 0 };
	uint64_t merged;
	int error;

	gather_begin(&gather);
	error = archive_read_source(source, gather_item, &gather, counts);
	if (!error)
		error = gather_number(&gather);
	if (!error)
		error = trim_merge(&trim, &gather, &merged);
	gather_free(&gather);
	return error;
}

static int build_source(struct layout_build *build, struct examined *examined,
			const struct source *source)
{
	bool manifest = source->kind == SOURCE_MANIFEST || source->kind == SOURCE_EMPTY;
	int error = layout_build_start(build, manifest ? MERGE_STRICT : MERGE_PACKAGES);

	examined->kind = manifest ? "manifest" : source->kind == SOURCE_STONE ? "stone" : "archive";
	if (!error)
		error = manifest ? mtree_read_source(source, add, build, &examined->archive.special)
				 : build_archive(build, source, &examined->archive);
	return error;
}

static int build_file(struct layout_build *build, struct examined *examined, const char *file,
		      const struct progress *progress)
{
	char shown[SENTENCE_NAME_BYTES];
	struct source source;
	int error = source_open(&source, file, "read", progress);

	if (!error) {
		error = build_source(build, examined, &source);
		source_close(&source);
	}
	return error ? error_prefix(error, "%s", escape_for_sentence(shown, file)) : 0;
}

int examine(struct examined *examined, const char *file, const struct progress *progress)
{
	struct layout_build build = { 0 };
	struct stat status;
	int error;

	*examined = (struct examined){ .kind = "directory" };
	if (strcmp(file, "-") && !stat(file, &status) && S_ISDIR(status.st_mode))
		error = capture_build(&build, file, &examined->tree, progress);
	else
		error = build_file(&build, examined, file, progress);
	if (!error)
		error = workload_of_build(&examined->workload, "", &build);
	layout_build_free(&build);
	return error;
}
