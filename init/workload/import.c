/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/import.h"

#include "lib/error.h"
#include "workload/escape.h"
#include "workload/gather.h"
#include "workload/layout_build.h"
#include "workload/trim.h"

#include <errno.h>
#include <inttypes.h>

struct import {
	const struct import_job *job;
	struct import_counts *counts;
	struct gather gather;
	struct layout_build base, delta;
};

static void add_counts(struct archive_counts *sum, const struct archive_counts *counts)
{
	sum->taken += counts->taken;
	sum->outside += counts->outside;
	sum->special += counts->special;
}

static int import_archive(struct import *import, const char *file, struct trim *trim,
			  uint64_t *merged)
{
	const struct import_job *job = import->job;
	struct archive_counts counts = { 0 };
	char shown[SENTENCE_NAME_BYTES];
	int error;

	gather_begin(&import->gather);
	error = archive_read_items(file, gather_item, &import->gather, &counts, job->progress);
	if (error)
		return error;
	layout_build_next_source(trim->build);
	error = gather_number(&import->gather);
	if (!error)
		error = trim_merge(trim, &import->gather, merged);
	if (error)
		return error_prefix(error, "%s", escape_for_sentence(shown, file));
	add_counts(&import->counts->archives, &counts);
	if (job->archive_done)
		job->archive_done(job->context, file, &counts);
	return 0;
}

static int too_few(const struct import_part *part, uint64_t missing)
{
	return error_set(-EINVAL,
			 "%s: the archives have %" PRIu64 " of the %" PRIu64
			 " entries that were asked for; give more archives",
			 part->output, part->entries - missing, part->entries);
}

static int import_archives(struct import *import, const struct import_part *part, struct trim *trim,
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
	return part->entries && trim->room ? too_few(part, trim->room) : 0;
}

static int import_base(struct import *import)
{
	const struct import_part *part = &import->job->base;
	/* usr is there from the start. */
	struct trim trim = { .build = &import->base,
			     .room = part->entries ? part->entries - 1 : NO_LIMIT };

	return import_archives(import, part, &trim, &import->counts->base);
}

static int import_delta(struct import *import)
{
	const struct import_part *part = &import->job->delta;
	struct trim trim = { .build = &import->delta,
			     .below = &import->base,
			     .room = part->entries ? part->entries : NO_LIMIT };

	return import_archives(import, part, &trim, &import->counts->delta);
}

static int put_entry(void *context, const struct listed_entry *entry)
{
	return mtree_writer_put(context, entry);
}

static int write_manifest(const struct layout_build *build, const char *file)
{
	struct mtree_writer *writer;
	int error;

	if (build->source == 1 || build->node_count == 1)
		return error_set(
			-EINVAL,
			"%s: the archives have nothing below usr/, so there is no workload to "
			"write",
			file);
	writer = mtree_writer_open(file);
	if (!writer)
		return -EIO;
	error = layout_build_each(build, put_entry, writer);
	if (!error)
		error = mtree_writer_finish(writer);
	mtree_writer_free(writer);
	return error;
}

static int import_and_write(struct import *import)
{
	const struct import_job *job = import->job;
	int error = layout_build_start(&import->base, MERGE_PACKAGES);

	if (!error)
		error = layout_build_start(&import->delta, MERGE_PACKAGES);
	if (!error)
		error = import_base(import);
	if (!error)
		error = import_delta(import);
	if (!error)
		error = write_manifest(&import->base, job->base.output);
	if (!error && job->delta.archive_count)
		error = write_manifest(&import->delta, job->delta.output);
	return error;
}

int import_packages(const struct import_job *job, struct import_counts *counts)
{
	struct import import = { .job = job, .counts = counts };
	int error;

	*counts = (struct import_counts){ 0 };
	error = import_and_write(&import);
	counts->replaced_parents = import.base.replaced_parents + import.delta.replaced_parents;
	counts->kept_directories = import.base.kept_directories + import.delta.kept_directories;
	gather_free(&import.gather);
	layout_build_free(&import.base);
	layout_build_free(&import.delta);
	return error;
}
