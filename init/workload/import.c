/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/import.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/grow.h"
#include "workload/layout_build.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { RANK_BITS = 20 };

/* One distinct content of all packages read so far. */
struct known_content {
	XXH128_hash_t hash;
	uint64_t size, number;
	uint64_t
		ranked_in; /* the last package that gave it a rank; 0: none so far, and no number */
};

/* One entry of the package that is being read; texts are offsets into its arena. */
struct package_item {
	struct listed_entry entry; /* its texts and its number are filled in at the end */
	size_t path, link_text;
	uint32_t content; /* of a file */
};

struct package {
	struct package_item *items;
	size_t count, capacity;
	struct hash_index by_path;
	char *texts;
	size_t texts_bytes, texts_capacity;
};

struct import {
	struct package package;
	uint64_t packages_read;
	struct known_content *contents;
	size_t content_count, content_capacity;
	struct hash_index by_hash;
	struct layout_build base, delta;
};

/* --- contents --- */

struct content_key {
	const struct import *import;
	XXH128_hash_t hash;
	uint64_t size;
};

static bool same_content(const void *context, uint32_t element)
{
	const struct content_key *key = context;
	const struct known_content *content = &key->import->contents[element];

	return content->size == key->size && XXH128_isEqual(content->hash, key->hash);
}

static int find_content(struct import *import, const struct archive_item *item, uint32_t *place)
{
	struct content_key key = { import, item->hash, item->entry.size };
	int error;

	*place = hash_index_find(&import->by_hash, (uint32_t)item->hash.low64, same_content, &key);
	if (*place != NOT_FOUND)
		return 0;
	*place = (uint32_t)import->content_count;
	error = GROW(import->contents, import->content_capacity, import->content_count + 1);
	if (!error)
		error = hash_index_add(&import->by_hash, (uint32_t)item->hash.low64, *place);
	if (error)
		return error;
	import->contents[import->content_count++] =
		(struct known_content){ item->hash, item->entry.size, 0, 0 };
	return 0;
}

/* --- one package --- */

struct path_key {
	const struct package *package;
	const char *path;
};

static bool same_path(const void *context, uint32_t element)
{
	const struct path_key *key = context;

	return !strcmp(key->package->texts + key->package->items[element].path, key->path);
}

static uint32_t find_path(const struct package *package, const char *path)
{
	struct path_key key = { package, path };

	return hash_index_find(&package->by_path, (uint32_t)XXH3_64bits(path, strlen(path)),
			       same_path, &key);
}

static int keep_text(struct package *package, const char *text, size_t *offset)
{
	size_t bytes = strlen(text) + 1;
	int error = GROW(package->texts, package->texts_capacity, package->texts_bytes + bytes);

	if (error)
		return error;
	memcpy(package->texts + package->texts_bytes, text, bytes);
	*offset = package->texts_bytes;
	package->texts_bytes += bytes;
	return 0;
}

/* Where a package lists a path twice, as usr/bin/x and bin/x, its later entry wins. */
static int place_item(struct package *package, const char *path, struct package_item **item)
{
	uint32_t at = find_path(package, path);
	struct package_item fresh = { 0 };
	int error;

	if (at != NOT_FOUND) {
		*item = &package->items[at];
		return 0;
	}
	error = GROW(package->items, package->capacity, package->count + 1);
	if (!error)
		error = keep_text(package, path, &fresh.path);
	if (!error)
		error = hash_index_add(&package->by_path, (uint32_t)XXH3_64bits(path, strlen(path)),
				       (uint32_t)package->count);
	if (error)
		return error;
	*item = &package->items[package->count++];
	**item = fresh;
	return 0;
}

static int follow_hard_link(struct import *import, const char *target, uint32_t *content)
{
	uint32_t at = find_path(&import->package, target);
	char shown[SENTENCE_NAME_BYTES];

	if (at == NOT_FOUND || import->package.items[at].entry.type != ENTRY_FILE)
		return error_set(
			-EINVAL,
			"it is a hard link to \"%s\", and there is no such file before it; fetch "
			"the archive again",
			escape_for_sentence(shown, target));
	*content = import->package.items[at].content;
	return 0;
}

static int take_package_item(void *context, const struct archive_item *archive_item)
{
	struct import *import = context;
	const struct listed_entry *entry = &archive_item->entry;
	struct package_item *item;
	uint32_t content = 0;
	size_t link_text = 0;
	int error = 0;

	if (archive_item->hard_link)
		error = follow_hard_link(import, archive_item->hard_link, &content);
	else if (entry->type == ENTRY_FILE)
		error = find_content(import, archive_item, &content);
	else if (entry->type == ENTRY_SYMLINK)
		error = keep_text(&import->package, entry->link_text ? entry->link_text : "",
				  &link_text);
	if (!error)
		error = place_item(&import->package, entry->path, &item);
	if (error)
		return error;
	item->entry = *entry;
	item->link_text = link_text;
	item->content = content;
	return 0;
}

/* --- numbers --- */

struct ranked {
	const char *path;
	uint64_t size;
	uint32_t content;
};

static int by_size_and_path(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->size != right->size)
		return left->size > right->size ? -1 : 1;
	return strcmp(left->path, right->path);
}

/* Ranks go to the distinct contents of the package, whether or not an earlier package has numbered
 * them already. */
static int number_contents(struct import *import)
{
	struct package *package = &import->package;
	_cleanup_free_ struct ranked *list = calloc(package->count + 1, sizeof(*list));
	uint64_t rank = 0;
	size_t count = 0;

	if (!list)
		return error_set(-ENOMEM, "out of memory for a package of %zu entries",
				 package->count);
	for (size_t i = 0; i < package->count; i++) {
		const struct package_item *item = &package->items[i];

		if (item->entry.type == ENTRY_FILE && import->contents[item->content].size)
			list[count++] = (struct ranked){ package->texts + item->path,
							 import->contents[item->content].size,
							 item->content };
	}
	qsort(list, count, sizeof(*list), by_size_and_path);
	for (size_t i = 0; i < count; i++) {
		struct known_content *content = &import->contents[list[i].content];

		if (content->ranked_in == import->packages_read)
			continue;
		if (rank >> RANK_BITS)
			return error_set(
				-EINVAL,
				"it has over %d distinct contents, which numbers have no room for",
				1 << RANK_BITS);
		if (!content->ranked_in)
			content->number = import->packages_read << RANK_BITS | rank;
		content->ranked_in = import->packages_read;
		rank++;
	}
	return 0;
}

/* --- all packages --- */

static int merge_package(struct import *import, struct layout_build *build)
{
	struct package *package = &import->package;

	for (size_t i = 0; i < package->count; i++) {
		struct package_item *item = &package->items[i];
		char shown[SENTENCE_NAME_BYTES];
		int error;

		item->entry.path = package->texts + item->path;
		item->entry.link_text = package->texts + item->link_text;
		if (item->entry.type == ENTRY_FILE) {
			item->entry.size = import->contents[item->content].size;
			item->entry.number = import->contents[item->content].number;
			item->entry.numbered = import->contents[item->content].ranked_in;
		}
		error = layout_build_add(build, &item->entry);
		if (error)
			return error_prefix(error, "\"%s\"",
					    escape_for_sentence(shown, item->entry.path));
	}
	return 0;
}

static void package_clear(struct package *package)
{
	hash_index_free(&package->by_path);
	package->count = 0;
	package->texts_bytes = 0;
}

static void add_counts(struct archive_counts *sum, const struct archive_counts *counts)
{
	sum->taken += counts->taken;
	sum->outside += counts->outside;
	sum->special += counts->special;
}

static int import_archives(struct import *import, const struct import_job *job, char **archives,
			   size_t count, struct layout_build *build, struct import_counts *counts)
{
	for (size_t i = 0; i < count; i++) {
		struct archive_counts archive_counts = { 0 };
		char shown[SENTENCE_NAME_BYTES];
		int error =
			archive_read_items(archives[i], take_package_item, import, &archive_counts);

		if (error)
			return error;
		import->packages_read++;
		layout_build_next_source(build);
		error = number_contents(import);
		if (!error)
			error = merge_package(import, build);
		if (error)
			return error_prefix(error, "%s", escape_for_sentence(shown, archives[i]));
		package_clear(&import->package);
		add_counts(&counts->archives, &archive_counts);
		if (job->archive_done)
			job->archive_done(job->context, archives[i], &archive_counts);
	}
	return 0;
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

static void import_free(struct import *import)
{
	package_clear(&import->package);
	free(import->package.items);
	free(import->package.texts);
	free(import->contents);
	hash_index_free(&import->by_hash);
	layout_build_free(&import->base);
	layout_build_free(&import->delta);
}

int import_packages(const struct import_job *job, struct import_counts *counts)
{
	struct import import = { 0 };
	int error = layout_build_start(&import.base, MERGE_PACKAGES);

	*counts = (struct import_counts){ 0 };
	if (!error)
		error = layout_build_start(&import.delta, MERGE_PACKAGES);
	if (!error)
		error = import_archives(&import, job, job->archives, job->archive_count,
					&import.base, counts);
	if (!error)
		error = import_archives(&import, job, job->deltas, job->delta_count, &import.delta,
					counts);
	if (!error)
		error = write_manifest(&import.base, job->output);
	if (!error && job->delta_count)
		error = write_manifest(&import.delta, job->delta_output);
	counts->replaced_parents = import.base.replaced_parents + import.delta.replaced_parents;
	counts->kept_directories = import.base.kept_directories + import.delta.kept_directories;
	import_free(&import);
	return error;
}
