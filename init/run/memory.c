/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/memory.h"

#include "run/facts.h"
#include "run/needs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How many of so many equally likely places are taken after so many choices. */
static double taken(double places, double choices)
{
	return places * -expm1(choices * log1p(-1 / places));
}

/* As they come out on average: of so many names of that length each. */
static void add_directories(struct room *room, const struct filesystem *fs, double directories,
			    double names, unsigned name_bytes)
{
	struct room one = { 0 };

	room_add_directory(&one, fs, (uint64_t)ceil(names), (uint64_t)ceil(names * name_bytes));
	room->inodes += (uint64_t)round(directories);
	room->bytes += (uint64_t)(directories * (double)one.bytes);
}

/* What the digests of so many assets make; their first digit is never 0. */
static void add_store_directories(struct room *room, const struct filesystem *fs,
				  const struct fanout *fanout, double assets)
{
	double places = 15 * 16, directories = 1;

	for (unsigned level = 0; level < fanout->levels; level++, places *= 256) {
		double below = taken(places, assets);

		add_directories(room, fs, directories, below / directories, 2);
		directories = below;
	}
	add_directories(room, fs, directories, assets / directories, DIGEST_TEXT_BYTES - 1);
}

/* Only blocks count here, not what lies in inodes or in leaves beside them. */
static struct filesystem without_inodes(const struct filesystem *fs)
{
	struct filesystem bare = *fs;

	bare.inode_bytes = 0;
	if (fs->name_copies)
		bare.inline_names_bytes = UINT64_MAX;
	bare.name_copies = 0;
	return bare;
}

void memory_need(struct memory_need *need, const struct plan *plan, const struct workload *workload,
		 const struct filesystem *fs, const struct fanout *fanout)
{
	const struct filesystem bare = without_inodes(fs);
	const struct facts *facts = facts_of(fs);
	const struct layout *layout = &workload->install;
	double assets = workload->contents.count;
	struct room store = { 0 }, tree = { 0 };

	add_store_directories(&store, &bare, fanout, assets);
	needs_add_tree(&tree, &bare, plan, layout);
	*need = (struct memory_need){
		.store_directories = store.inodes,
		.tree_inodes = tree.inodes,
		.inodes = workload->contents.count + store.inodes + 2 * tree.inodes,
		.dentries =
			workload->contents.count + store.inodes + 2 * (uint64_t)layout->entry_count,
	};
	double blocks = (double)(store.bytes + 2 * tree.bytes) / ROOM_BLOCK_BYTES;
	need->object_bytes = (uint64_t)((double)need->inodes * facts->inode_bytes +
					(double)need->dentries * facts_dentry_bytes +
					blocks * facts->block_head_bytes);
	need->cached_bytes =
		(uint64_t)((double)need->inodes * facts->cached_inode_bytes + blocks * ROOM_BLOCK_BYTES);
	need->bytes = need->object_bytes + need->cached_bytes + (uint64_t)facts_system_bytes +
		      (uint64_t)(facts_entry_bytes * layout->entry_count);
}

uint64_t memory_most(const struct plan *plan, const struct workload *workload,
		     const struct filesystem *fs)
{
	struct memory_need need;
	uint64_t most = 0;

	for (unsigned place = 0; place < plan_sessions(plan); place++) {
		struct plan_session session = plan_session(plan, 1, place);

		if (fs && fs != plan->filesystems[session.filesystem])
			continue;
		memory_need(&need, plan, workload, plan->filesystems[session.filesystem],
			    plan->stores[session.store]);
		most = need.bytes > most ? need.bytes : most;
	}
	return most;
}

const char *memory_warning(const struct plan *plan, const struct workload *workload,
			   uint64_t machine_bytes, char *buffer, size_t size)
{
	const double gibibyte = 1 << 30;
	size_t used = 0;

	buffer[0] = '\0';
	if (!plan_has_cache(plan, CACHE_HOT) || !machine_bytes)
		return buffer;
	for (unsigned i = 0; i < plan->filesystem_count && used < size; i++) {
		uint64_t bytes = memory_most(plan, workload, plan->filesystems[i]);

		if (bytes <= machine_bytes)
			continue;
		used += (size_t)snprintf(buffer + used, size - used, "%s%.1f GiB on %s",
					 used ? ", " : "a hot cache needs some ",
					 (double)bytes / gibibyte, plan->filesystems[i]->name);
	}
	if (used && used < size)
		snprintf(
			buffer + used, size - used,
			", and this machine has %.1f GiB of memory: hot trials may have to read from "
			"the disk, and are not-hot then",
			(double)machine_bytes / gibibyte);
	return buffer;
}
