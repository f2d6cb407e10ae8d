/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/import.h"

#include "lib/error.h"
#include "workload/escape.h"
#include "workload/gather.h"
#include "workload/layout_build.h"
#include "workload/output.h"
#include "workload/trim.h"

#include <errno.h>
#include <inttypes.h>
#include <sys/stat.h>

struct import {
	const struct import_job *job;
	struct import_counts *counts;
	struct gather gather;
	struct layout_build base, delta;
	uint64_t total_bytes, bytes_before; /* of all archives, and of those that are read */
};

/* --- progress --- */

static uint64_t file_bytes(const char *file)
{
	struct stat status;

	return !stat(file, &status) && S_ISREG(status.st_mode) ? (uint64_t)status.st_size : 0;
}

static void add_sizes(struct import *import, const struct import_part *part)
{
	for (size_t i = 0; i < part->archive_count; i++)
		import->total_bytes += file_bytes(part->archives[i]);
}

/* What is done of one archive becomes what is done of all. */
static int tell(void *context, const char *phase, uint64_t done, uint64_t total)
{
	const struct import *import = context;

	(void)total;
	return progress_update(import->job->progress, phase, import->bytes_before + done,
			       import->total_bytes);
}

/* --- reading --- */

static void add_counts(struct archive_counts *sum, const struct archive_counts *counts)
{
	sum->taken += counts->taken;
	sum->outside += counts->outside;
	sum->special += counts->special;
}

static int import_archive(struct import *import, const char *file, struct trim *trim,
			  uint64_t *merged)
{
	const struct progress progress = { .update = tell, .context = import };
	struct archive_counts counts = { 0 };
	char shown[SENTENCE_NAME_BYTES];
	int error;

	gather_begin(&import->gather);
	error = archive_read_items(file, gather_item, &import->gather, &counts, &progress);
	if (error)
		return error;
	layout_build_next_source(trim->build);
	error = gather_number(&import->gather);
	if (!error)
		error = trim_merge(trim, &import->gather, merged);
	if (error)
		return error_prefix(error, "%s", escape_for_sentence(shown, file));
	add_counts(&import->counts->archives, &counts);
	import->bytes_before += file_bytes(file);
	return 0;
}

static int too_few(const char *option, const struct import_part *part, uint64_t missing)
{
	return error_set(-EINVAL,
			 "%s %" PRIu64 ": the archives have only %" PRIu64
			 " entries; give more archives, or a smaller number",
			 option, part->entries, part->entries - missing);
}

/* option: what asked for a number of entries. */
static int import_archives(struct import *import, const char *option,
			   const struct import_part *part, struct trim *trim,
			   struct import_trimmed *trimmed)
{
	for (size_t i = 0; i < part->archive_count; i++) {
		uint64_t merged;
		int error;

		if (!trim->room) {
			trimmed->unread = part->archive_count - i;
			return 0;
		}
		error = import_archive(import, part->archives[i], trim, &merged);
		if (error)
			return error;
		if (merged < import->gather.item_count)
			*trimmed = (struct import_trimmed){ .archive = part->archives[i],
							    .merged = merged,
							    .listed = import->gather.item_count };
	}
	return part->entries && trim->room ? too_few(option, part, trim->room) : 0;
}

static int import_base(struct import *import)
{
	const struct import_part *part = &import->job->base;
	/* usr is there from the start. */
	struct trim trim = { .build = &import->base,
			     .room = part->entries ? part->entries - 1 : NO_LIMIT };

	return import_archives(import, "--entries", part, &trim, &import->counts->base);
}

static int import_delta(struct import *import)
{
	const struct import_part *part = &import->job->delta;
	struct trim trim = { .build = &import->delta,
			     .below = &import->base,
			     .room = part->entries ? part->entries : NO_LIMIT };

	return import_archives(import, "--delta-entries", part, &trim, &import->counts->delta);
}

/* --- writing --- */

static int check_build(const struct layout_build *build, const char *file)
{
	char shown[SENTENCE_NAME_BYTES];

	if (build->source > 1 && build->node_count > 1)
		return 0;
	return error_set(
		-EINVAL,
		"%s: the archives have nothing below usr/, so there is no workload to write",
		escape_for_sentence(shown, file));
}

static int write_manifest(struct output *output, const struct layout_build *build, const char *file)
{
	int error = check_build(build, file);

	if (!error)
		error = output_begin(output, file);
	return error ? error : layout_build_each(build, output_put, output);
}

static int write_manifests(const struct import *import)
{
	const struct import_job *job = import->job;
	struct output output;
	int error = output_start(&output, job->anonymise, job->progress);

	if (!error)
		error = write_manifest(&output, &import->base, job->base.output);
	if (!error && job->delta.archive_count)
		error = write_manifest(&output, &import->delta, job->delta.output);
	if (!error)
		error = output_finish(&output);
	output_free(&output);
	return error;
}

static int import_all(struct import *import)
{
	int error = layout_build_start(&import->base, MERGE_PACKAGES);

	if (!error)
		error = layout_build_start(&import->delta, MERGE_PACKAGES);
	if (!error)
		error = import_base(import);
	if (!error)
		error = import_delta(import);
	return error;
}

static int check_output(const struct import_job *job, const char *file)
{
	int error = output_check_sources(file, job->base.archives, job->base.archive_count);

	if (!error)
		error = output_check_sources(file, job->delta.archives, job->delta.archive_count);
	return error ? error : output_check(file);
}

int import_packages(const struct import_job *job, struct import_counts *counts)
{
	struct import import = { .job = job, .counts = counts };
	int error;

	*counts = (struct import_counts){ 0 };
	error = check_output(job, job->base.output);
	if (!error && job->delta.archive_count)
		error = check_output(job, job->delta.output);
	if (error)
		return error;
	add_sizes(&import, &job->base);
	add_sizes(&import, &job->delta);
	error = import_all(&import);
	if (!error)
		error = write_manifests(&import);
	counts->replaced_parents = import.base.replaced_parents + import.delta.replaced_parents;
	counts->kept_directories = import.base.kept_directories + import.delta.kept_directories;
	gather_free(&import.gather);
	layout_build_free(&import.base);
	layout_build_free(&import.delta);
	return error;
}
