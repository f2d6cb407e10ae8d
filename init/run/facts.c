/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/facts.h"

#include "lib/cleanup.h"
#include "report/published.h"

#include <string.h>

/*
 * Memory: sizes of the kernel's objects on x86-64 Linux 6.12 (/proc/slabinfo): the inode itself, an
 * LSM's part of it, and what a changed inode has beside it (xfs_ili, btrfs_delayed_node). ext4
 * keeps the inode's 256 bytes in a block of its table, xfs 512 in a buffer of 32 inodes, f2fs a
 * node of 4 KiB, btrfs what lies in its leaves and their recent copies. A cached block has a
 * buffer_head and a journal_head on ext4, an xfs_buf and its log item on xfs.
 *
 * Time and bytes: from journals of runs of this program in QEMU 7.2 without KVM, two processors,
 * the host's page cache behind the disk, with 10,422 to 231,613 entries: from those of a quiet host
 * to those of one with other work, the busiest left out. xfs-parent and btrfs with 10,422 entries
 * only. What mkfs, filling and pruning write was counted at a loop device (ext4, xfs, btrfs).
 */
static const struct facts table[] = {
	{
		.filesystem = "ext4",
		.inode_bytes = 1250,
		.cached_inode_bytes = 256,
		.block_head_bytes = 224,
		.hot = { 98, 330 },
		.cold = { 560, 2600 },
		.cold_fewer = { 0.15, 0.6 },
		.settle = { 100, 420 },
		.fill = { 290, 1100 },
		.check = { 70, 240 },
		.write = { 2200, 4600 },
		.make_bytes = 160 << 20,
		.make_share = 1.0 / 64,
	},
	{
		.filesystem = "xfs",
		.inode_bytes = 1400,
		.cached_inode_bytes = 540,
		.block_head_bytes = 600,
		.hot = { 105, 200 },
		.cold = { 220, 800 },
		.cold_fewer = { 0.8, 1 },
		.settle = { 120, 350 },
		.fill = { 180, 600 },
		.check = { 140, 290 },
		.write = { 1500, 2900 },
		.make_bytes = 128 << 20,
	},
	{
		.filesystem = "xfs-parent",
		.inode_bytes = 1400,
		.cached_inode_bytes = 1080,
		.block_head_bytes = 600,
		.hot = { 170, 330 },
		.cold = { 300, 950 },
		.cold_fewer = { 0.8, 1 },
		.settle = { 200, 750 },
		.fill = { 500, 900 },
		.check = { 600, 1100 },
		.write = { 1700, 3500 },
		.make_bytes = 128 << 20,
	},
	{
		.filesystem = "f2fs",
		.inode_bytes = 1350,
		.cached_inode_bytes = 4096 + 64,
		.hot = { 59, 290 },
		.cold = { 650, 3900 },
		.cold_fewer = { 0.4, 0.9 },
		.settle = { 120, 250 },
		.fill = { 95, 350 },
		.check = { 650, 2500 },
		.write = { 3800, 4500 },
		.make_bytes = 16 << 20,
		.make_share = 0.003,
	},
	{
		.filesystem = "btrfs",
		.inode_bytes = 1500,
		.cached_inode_bytes = 3200,
		.hot = { 250, 650 },
		.cold = { 800, 1400 },
		.cold_fewer = { 0.5, 1 },
		.settle = { 350, 900 },
		.fill = { 1000, 1500 },
		.check = { 90, 200 },
		.write = { 3400, 6000 },
		.make_bytes = 16 << 20,
	},
};

static const struct facts unknown = {
	.filesystem = "",
	.inode_bytes = 1500,
	.cached_inode_bytes = 4096 + 64,
	.block_head_bytes = 600,
	.hot = { 59, 650 },
	.cold = { 220, 3900 },
	.cold_fewer = { 0.15, 1 },
	.settle = { 100, 900 },
	.fill = { 95, 1500 },
	.check = { 70, 2500 },
	.write = { 1500, 6000 },
};

/* Engines go one of these ways, compared with moss-2025, which is the first. */
enum way { WAY_BY_PATH, WAY_BY_THREADS, WAY_PRIMED, WAY_BY_HANDLE, WAY_CLONES, WAYS };

/*
 * From the same journals, and from a prototype's runs on an NVMe disk (150,000 assets; 2 and 8
 * threads). What is primed counts with its priming.
 */
static const struct {
	struct range hot, cold, write;
} ways[WAYS] = {
	[WAY_BY_PATH] = { { 1, 1 }, { 1, 1 }, { 1, 1 } },
	[WAY_BY_THREADS] = { { 0.5, 1.2 }, { 0.3, 1 }, { 1, 1.7 } },
	[WAY_PRIMED] = { { 0.8, 1.3 }, { 0.3, 1 }, { 1, 1 } },
	[WAY_BY_HANDLE] = { { 0.8, 1.5 }, { 0.08, 1 }, { 1, 1 } },
	[WAY_CLONES] = { { 0.6, 4.5 }, { 0.6, 2.5 }, { 0.6, 4 } },
};

/*
 * What the published table says of a disk is half to one and a half times as long on another one.
 * For the rest a PC is three to ten times as fast as an emulated one (the same blits, hot, on
 * both).
 */
static const struct range of_published = { 0.5, 1.5 };
static const struct range of_emulated = { 0.1, 1.0 / 3 };

const struct range facts_verify = { 30, 110 };
const struct range facts_drop = { 3, 15 };
const struct range facts_name = { 7000, 30000 };
const struct range facts_write_seconds[WHERES] = {
	[WHERE_METAL] = { 1.0 / 450, 1.0 / 100 },
	[WHERE_EMULATED] = { 1.0 / 400, 1.0 / 100 },
};
const struct range facts_begin_seconds[WHERES] = {
	[WHERE_METAL] = { 3, 10 },
	[WHERE_EMULATED] = { 3, 8 },
};
const struct range facts_fill_share = { 0.55, 1.5 };
const struct range facts_prune_share = { 0.3, 1 };
const double facts_dentry_bytes = 200, facts_system_bytes = 160 << 20, facts_entry_bytes = 500;

const char *const facts_basis[] = {
	"blits on a PC: the published table's, times 0.5 to 1.5;",
	"all else there: a tenth to a third of what it takes emulated;",
	"emulated: measured, from a quiet host to one with other work", NULL
};

const struct facts *facts_of(const struct filesystem *fs)
{
	for (size_t i = 0; i < ARRAY_LENGTH(table); i++)
		if (!strcmp(table[i].filesystem, fs->name))
			return &table[i];
	return &unknown;
}

static enum way way_of(const struct blit_method *method)
{
	const struct engine *engine = method->engine;

	if (method->strategy == STRATEGY_REFLINK || method->strategy == STRATEGY_COPY)
		return WAY_CLONES;
	if (engine->prepare)
		return WAY_BY_HANDLE;
	if (engine->prime)
		return WAY_PRIMED;
	return engine->parallel ? WAY_BY_THREADS : WAY_BY_PATH;
}

struct range facts_seconds(enum where where, struct range microseconds)
{
	struct range seconds = range_times(microseconds, 1e-6);

	return where == WHERE_METAL ? range_product(seconds, of_emulated) : seconds;
}

/* By moss-2025 from a store 3x2. */
static struct range blit_by_path(const struct facts *facts, enum where where,
				 enum cache_state cache, enum operation operation)
{
	const struct published_cell *cell = published_find(
		facts->filesystem, cache_state_name(cache), operation_name(operation));

	if (where == WHERE_METAL && cell)
		return range_times(of_published, cell->seconds / (double)cell->entries);
	return facts_seconds(where, cache == CACHE_HOT ? facts->hot : facts->cold);
}

struct range facts_blit(const struct facts *facts, enum where where,
			const struct blit_method *method, const struct fanout *fanout,
			enum cache_state cache, enum operation operation)
{
	enum way way = way_of(method);
	struct range seconds = range_product(blit_by_path(facts, where, cache, operation),
					     cache == CACHE_HOT ? ways[way].hot : ways[way].cold);

	/* Who goes by handle does not look at the store's directories. */
	if (cache == CACHE_COLD && fanout->levels < STORE_LEVELS_MAX && way != WAY_BY_HANDLE)
		seconds = range_product(seconds, facts->cold_fewer);
	return seconds;
}

struct range facts_write(const struct facts *facts, const struct blit_method *method)
{
	return range_product(facts->write, ways[way_of(method)].write);
}
