/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/needs.h"

#include "lib/error.h"
#include "run/age.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct sum {
	struct room *room;
	const struct filesystem *fs;
};

static void add_directory(void *context, uint64_t names, uint64_t name_bytes)
{
	const struct sum *sum = context;

	room_add_directory(sum->room, sum->fs, names, name_bytes);
}

/* Names are the same for all or for none. */
static bool named(const struct contents *contents)
{
	return contents->count && *contents->list[0].digest;
}

static int add_store(struct room *room, const struct filesystem *fs, const struct plan *plan,
		     const struct fanout *fanout, const struct contents *contents)
{
	struct room directories = { 0 };
	struct sum sum = { &directories, fs };
	int error = named(contents) ? store_each_directory(fanout, contents, add_directory, &sum) : 0;

	if (error)
		return error;
	room_add(room, &directories, 1);
	for (uint32_t i = 0; i < contents->count; i++)
		room_add_file(room, fs, contents->list[i].size);
	return ageing_add_room(room, fs, contents, &directories, plan->age, plan->keep_states,
			       CONTENT_SEED);
}

static void add_layout_directory(struct room *room, const struct filesystem *fs,
				 const struct layout *layout, const struct entry *entry)
{
	uint64_t name_bytes = 0;

	for (uint32_t i = 0; i < entry->child_count; i++)
		name_bytes += layout->entries[entry->first_child + i].name_length;
	room_add_directory(room, fs, entry->child_count, name_bytes);
}

/* Files that are links to their assets take no more than their names; the others have inodes. */
static void add_tree(struct room *room, const struct filesystem *fs, const struct layout *layout,
		     bool files_are_links)
{
	for (uint32_t i = 0; i < layout->entry_count; i++) {
		const struct entry *entry = &layout->entries[i];

		switch ((enum entry_type)entry->type) {
		case ENTRY_DIRECTORY:
			add_layout_directory(room, fs, layout, entry);
			break;
		case ENTRY_SYMLINK:
			room_add_symlink(room, fs, strlen(entry_link_text(layout, entry)));
			break;
		case ENTRY_FILE:
			if (entry->asset == NO_ASSET || !files_are_links)
				room_add_file(room, fs, 0);
			break;
		}
	}
}

/* How often the content that a tree has most often stands in it. */
static int most_links(uint64_t *most, const struct layout *layout, uint32_t asset_count)
{
	uint32_t *links = calloc((size_t)asset_count + 1, sizeof(*links));

	if (!links)
		return error_set(-ENOMEM, "out of memory for the links of %u assets", asset_count);
	*most = 0;
	for (uint32_t i = 0; i < layout->entry_count; i++) {
		const struct entry *entry = &layout->entries[i];

		if (entry->type != ENTRY_FILE || entry->asset == NO_ASSET)
			continue;
		links[entry->asset]++;
		*most = links[entry->asset] > *most ? links[entry->asset] : *most;
	}
	free(links);
	return 0;
}

/* An engine that has a choice may make files that are no links, where there are others and unless
 * it is told. */
static bool all_link(const struct plan *plan, const struct filesystem *fs)
{
	bool chooses = false, told = true;

	for (unsigned i = 0; i < plan->engine_count; i++)
		chooses = chooses || engine_chooses(plan->engines[i]);
	for (unsigned i = 0; i < plan->strategy_count; i++)
		told = told && plan->strategies[i] == STRATEGY_HARDLINK;
	return !fs->reflinks || !chooses || told;
}

void needs_add_tree(struct room *room, const struct filesystem *fs, const struct plan *plan,
		    const struct layout *layout)
{
	add_tree(room, fs, layout, all_link(plan, fs));
}

/* The live tree, the one that is staged, and the archived ones. Once the two are exchanged, one
 * more is archived and none is staged. */
static uint64_t trees_at_once(const struct plan *plan)
{
	return 2 + (uint64_t)plan->keep_states;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int add_session(struct room *room, const struct filesystem *fs, const struct plan *plan,
		       const struct fanout *fanout, const struct workload *workload)
{
	struct room remove = { 0 }, install = { 0 };
	uint64_t remove_links, install_links, trees = trees_at_once(plan);

	int error = add_store(room, fs, plan, fanout, &workload->contents);
	if (!error)
		error = most_links(&remove_links, &workload->remove, workload->contents.count);
	if (!error)
		error = most_links(&install_links, &workload->install, workload->contents.count);
	if (error)
		return error;
	needs_add_tree(&remove, fs, plan, &workload->remove);
	needs_add_tree(&install, fs, plan, &workload->install);
	remove.inodes = larger(remove.inodes, install.inodes);
	remove.bytes = larger(remove.bytes, install.bytes);
	room_add(room, &remove, trees);
	room->links = 1 + trees * larger(remove_links, install_links);
	/* .moss and what lies in it beside store and trees: four directories, and one a tree. */
	for (uint64_t i = 0; i < 4 + trees; i++)
		room_add_directory(room, fs, 3, 16);
	return 0;
}

int needs_make(struct needs *needs, const struct plan *plan, const struct workload *workload)
{
	*needs = (struct needs){ .partition_bytes = 0 };
	for (unsigned place = 0; place < plan_sessions(plan); place++) {
		struct plan_session session = plan_session(plan, 1, place);
		const struct filesystem *fs = plan->filesystems[session.filesystem];
		struct room *room = &needs->rooms[session.filesystem][session.store];
		int error = add_session(room, fs, plan, plan->stores[session.store], workload);

		if (!error)
			error = room_check_links(room, fs);
		if (error)
			return error;
		needs->partition_bytes =
			larger(needs->partition_bytes, room_partition_bytes(room, fs));
	}
	return 0;
}
