/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The filesystems, one table row each: how each is made, mounted, described and checked. */
#ifndef BLITBENCH_FS_FILESYSTEM_H
#define BLITBENCH_FS_FILESYSTEM_H

#include "lib/child.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Every filesystem of ours carries this label, so that the next run knows that it may be
 * overwritten. */
#define FILESYSTEM_LABEL "blitbench"

struct filesystem {
	const char *name;            /* as in the configuration: "xfs-parent" */
	const char *type;            /* the kernel's name for it, and the report's: "xfs" */
	const char *variant;         /* "parent"; "default" is as the tool makes it */
	const char *const *make; /* argv up to and without the node, NULL-terminated; lazy work off,
				    no discard */
	const char *const *check;    /* argv of a read-only check, without the node */
	const char *const *version;  /* argv that prints the tool's version */
	const char *mount_options; /* data of mount(2): no online discard, ACLs and xattrs alike */
	const char *inode_slab;      /* its inode cache in /proc/slabinfo */
	unsigned long mount_flags;
	uint64_t minimum_bytes;      /* below, its mkfs refuses or misbehaves */
	/* What things take of it (room.h), with where that comes from. */
	uint64_t inode_bytes; /* of the free space for each inode; 0 = mkfs has set them all aside */
	uint64_t inline_file_bytes, inline_link_bytes; /* kept in the inode up to so many bytes */
	uint64_t inline_names_bytes; /* a directory's names likewise, 12 bytes added to each */
	uint64_t name_bytes, name_copies; /* where names lie in no directory's blocks: for each so
					     many bytes, and its own so often; else 0 */
	uint64_t bytes_per_inode; /* mkfs provides one inode for so many bytes of the partition; 0 =
				     as many as fit */
	uint64_t links_max;       /* of one inode */
	bool cold_remounts;       /* drop_caches leaves its metadata in memory: cold needs more */
	bool reflinks;            /* FICLONE works as mkfs makes it */
	int (*check_status)(
		int exit_status); /* 0 clean, 1 errors found, -1 the check could not run */
	int (*describe)(json_t *features, const char *node,
			const char *mountpoint); /* adds what only this one tells */
};

const struct filesystem *filesystem_find(const char *name);

/* "ext4, xfs, xfs-parent, f2fs, btrfs", for messages. */
const char *filesystem_names(void);

/* mkfs on the private node. result->output is the tool's. seconds and argv go into the journal. */
int filesystem_make(const struct filesystem *fs, const char *node, struct child_result *result);

/* The argv that filesystem_make runs, and the tool's version: {argv [...], version}. Caller owns.
 */
json_t *filesystem_make_json(const struct filesystem *fs, const char *node);

int filesystem_mount(const struct filesystem *fs, const char *node, const char *mountpoint);

/* {options: as asked for, effective: those in force now, or null}. Caller owns. */
json_t *filesystem_mount_json(const struct filesystem *fs, const char *mountpoint);

/* Unmounts, waiting up to a minute while it is busy. */
int filesystem_unmount(const char *mountpoint);

/* What the superblock says (features, block and inode sizes, inode count, log, agcount, segments),
 * from the mounted filesystem where it tells and from the read-only node: a JSON object; caller
 * owns. */
json_t *filesystem_features(const struct filesystem *fs, const char *node, const char *mountpoint);

/*
 * Runs the read-only check: {status: "clean"|"errors"|"not-run", exit_status, seconds, output (only
 * where not clean)}. Caller owns. Returns 0, whatever it has found, or -EBUSY and a sentence where
 * the tool could not be ended and may go on: nothing may be written to node any more.
 */
int filesystem_check(const struct filesystem *fs, const char *node, json_t **check);

#endif
