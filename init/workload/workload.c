/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/workload.h"

#include "lib/error.h"
#include "workload/digest.h"
#include "workload/escape.h"
#include "workload/layout_build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int take(void *context, const struct listed_entry *entry)
{
	return layout_build_add(context, entry);
}

static int read_layout(struct layout_build *build, const char *path, struct layout *layout,
		       uint64_t *special, const struct progress *progress)
{
	char shown[SENTENCE_NAME_BYTES];
	int error = mtree_read(path, take, build, special, progress);

	if (!error && !build->listed)
		return error_set(
			-EINVAL,
			"%s: only the root is listed; give a manifest with paths as ./usr/...",
			escape_for_sentence(shown, path));
	return error ? error : layout_build_finish(build, layout);
}

static int read_layouts(struct workload *workload, struct layout_build *build,
			const char *base_path, const char *delta_path,
			const struct progress *progress)
{
	struct layout *const layouts[] = { &workload->remove, &workload->install };
	int error = layout_build_start(build, MERGE_STRICT);

	if (!error)
		error = read_layout(build, base_path, &workload->remove, &workload->special,
				    progress);
	if (!error && delta_path) {
		layout_build_next_source(build);
		error = read_layout(build, delta_path, &workload->install, &workload->special,
				    progress);
	}
	if (!error)
		error = layout_build_settle(build, layouts, delta_path ? 2 : 1,
					    &workload->contents);
	if (!error && !delta_path)
		workload->install = workload->remove;
	return error;
}

/* --- digest --- */

struct digesting {
	XXH3_state_t *state;
	const struct contents *contents;
};

/*
 * In moss's order, and with each directory's number of entries, names alone say where everything
 * lies. Paths are not hashed, so that how they were spelled does not count.
 */
static int digest_entry(void *context, const struct layout *layout, uint32_t index)
{
	const struct digesting *digesting = context;
	const struct entry *entry = &layout->entries[index];
	unsigned char fixed[31] = { entry->type };

	put_little_endian(fixed + 1, entry->mode, 2);
	put_little_endian(fixed + 3, entry->uid, 4);
	put_little_endian(fixed + 7, entry->gid, 4);
	put_little_endian(fixed + 11, entry->child_count, 4);
	if (entry->type == ENTRY_FILE && entry->asset != NO_ASSET) {
		put_little_endian(fixed + 15, digesting->contents->list[entry->asset].number, 8);
		put_little_endian(fixed + 23, digesting->contents->list[entry->asset].size, 8);
	}
	XXH3_128bits_update(digesting->state, fixed, sizeof(fixed));
	XXH3_128bits_update(digesting->state, entry_name(layout, entry), entry->name_length + 1u);
	if (entry->type == ENTRY_SYMLINK) {
		const char *text = entry_link_text(layout, entry);

		XXH3_128bits_update(digesting->state, text, strlen(text) + 1);
	}
	return 0;
}

static int make_digest(struct workload *workload)
{
	struct digesting digesting = { .state = XXH3_createState(),
				       .contents = &workload->contents };

	if (!digesting.state)
		return error_set(-ENOMEM, "out of memory for the workload's digest");
	XXH3_128bits_reset(digesting.state);
	layout_walk(&workload->remove, digest_entry, &digesting);
	layout_walk(&workload->install, digest_entry, &digesting);
	digest_print(workload->digest, XXH3_128bits_digest(digesting.state));
	XXH3_freeState(digesting.state);
	return 0;
}

/* --- loading --- */

static void begin(struct workload *workload, const char *name)
{
	*workload = (struct workload){ 0 };
	snprintf(workload->name, sizeof(workload->name), "%s", name);
}

static int finish(struct workload *workload, int error)
{
	if (!error)
		error = make_digest(workload);
	if (error)
		workload_free(workload);
	return error;
}

int workload_of_build(struct workload *workload, const char *name, struct layout_build *build)
{
	struct layout *const layouts[] = { &workload->remove };
	int error;

	begin(workload, name);
	error = layout_build_finish(build, &workload->remove);
	if (!error)
		error = layout_build_settle(build, layouts, 1, &workload->contents);
	workload->install = workload->remove;
	return finish(workload, error);
}

int workload_read(struct workload *workload, const char *name, const char *base_path,
		  const char *delta_path, const struct progress *progress)
{
	struct layout_build build = { 0 };
	int error;

	begin(workload, name);
	error = read_layouts(workload, &build, base_path, delta_path, progress);
	layout_build_free(&build);
	return finish(workload, error);
}

static uint64_t layout_bytes(const struct layout *layout, const struct contents *contents)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < layout->entry_count; i++) {
		const struct entry *entry = &layout->entries[i];

		if (entry->type == ENTRY_FILE && entry->asset != NO_ASSET)
			bytes += contents->list[entry->asset].size;
	}
	return bytes;
}

int workload_cap(struct workload *workload, uint64_t cap_bytes)
{
	struct contents *contents = &workload->contents;

	contents->bytes = 0;
	for (uint32_t i = 0; i < contents->count; i++) {
		struct content *content = &contents->list[i];

		content->size = content->size < cap_bytes ? content->size : cap_bytes;
		content->digest[0] = '\0';
		contents->bytes += content->size;
	}
	workload->remove.bytes = layout_bytes(&workload->remove, contents);
	workload->install.bytes = layout_bytes(&workload->install, contents);
	return make_digest(workload);
}

void workload_free(struct workload *workload)
{
	/* The layouts share one arena of names, and without a delta they are one. */
	if (workload->install.entries != workload->remove.entries) {
		workload->install.names = NULL;
		layout_free(&workload->install);
	}
	layout_free(&workload->remove);
	contents_free(&workload->contents);
	*workload = (struct workload){ 0 };
}
