/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of filesystems and engines before anything has run: how much memory and time things
 * take, and how much they write. Facts from elsewhere, in one table with where they come from, for
 * estimates only: nothing that is measured depends on them.
 */
#ifndef BLITBENCH_RUN_FACTS_H
#define BLITBENCH_RUN_FACTS_H

#include "run/plan.h"

struct range {
	double low, high;
};

static inline struct range range_times(struct range range, double factor)
{
	return (struct range){ range.low * factor, range.high * factor };
}

static inline struct range range_product(struct range a, struct range b)
{
	return (struct range){ a.low * b.low, a.high * b.high };
}

static inline void range_add(struct range *sum, struct range more)
{
	sum->low += more.low;
	sum->high += more.high;
}

/* Where a run takes place: a PC with a SATA SSD, or QEMU that emulates the processor. */
enum where { WHERE_METAL, WHERE_EMULATED, WHERES };

struct facts {
	const char *filesystem; /* the name of its row */
	/* Memory that a hot blit needs, bytes. */
	double inode_bytes;        /* kernel objects for each inode, without its dentry */
	double cached_inode_bytes; /* of its blocks or nodes, kept for each inode */
	double block_head_bytes;   /* that the kernel adds to each cached block of a directory */
	/* Emulated, microseconds; a blit is one by moss-2025 from a store 3x2. */
	struct range hot, cold;  /* for each entry */
	struct range cold_fewer; /* times cold, from a store with fewer levels */
	struct range settle;     /* for each entry: made durable, frozen; pruned */
	struct range fill;       /* for each asset and directory of a store */
	struct range check;      /* for each inode */
	/* Bytes written to the disk. */
	struct range write;            /* for each entry, by a blit until it is quiesced */
	double make_bytes, make_share; /* by mkfs: always, and of the partition */
};

/* Of any filesystem: where there is no row of its own the widest ranges of all. */
const struct facts *facts_of(const struct filesystem *fs);

/* Seconds of a blit for each entry. */
struct range facts_blit(const struct facts *facts, enum where where,
			const struct blit_method *method, const struct fanout *fanout,
			enum cache_state cache, enum operation operation);

/* Bytes that a blit writes for each entry until it is quiesced. */
struct range facts_write(const struct facts *facts, const struct blit_method *method);

/* Seconds there of what was emulated in so many microseconds. */
struct range facts_seconds(enum where where, struct range microseconds);

/* Emulated, microseconds, on any filesystem. */
extern const struct range facts_verify; /* for each entry of a tree that is looked at */
extern const struct range facts_drop;   /* for each inode that is taken out of the caches */
extern const struct range facts_name;   /* for each MB of contents that are made and hashed */

/* Seconds for each MB of contents that are written. */
extern const struct range facts_write_seconds[WHERES];

/* Seconds of what each session begins with: discard, mkfs, mount. */
extern const struct range facts_begin_seconds[WHERES];

/* Written by filling a store, compared with what is stored then: contents, directories, inodes. */
extern const struct range facts_fill_share;

/* The part of a blit's bytes that pruning writes again. */
extern const struct range facts_prune_share;

/* The kernel's own, the program's, and what of the latter grows with each entry; bytes. */
extern const double facts_dentry_bytes, facts_system_bytes, facts_entry_bytes;

/* Where all this comes from, for a person: lines, NULL at the end. */
extern const char *const facts_basis[];

#endif
