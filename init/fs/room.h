/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much room files and directories take on a filesystem, how large a partition that makes, and
 * whether a mounted filesystem has it. Sums are on the safe side, by a few percent for the contents
 * and by up to double for large directories, whose blocks are half full at worst.
 */
#ifndef BLITBENCH_FS_ROOM_H
#define BLITBENCH_FS_ROOM_H

#include "fs/filesystem.h"

/* What lies on one filesystem at the same time; starts as zeros. */
/* Of all filesystems here: they are made with blocks of this size. */
enum { ROOM_BLOCK_BYTES = 4096 };

struct room {
	uint64_t inodes;
	uint64_t bytes; /* data, directories, and inodes where they are made of free space */
	uint64_t links; /* the most that one inode has */
};

void room_add_file(struct room *room, const struct filesystem *fs, uint64_t size);
void room_add_symlink(struct room *room, const struct filesystem *fs, uint64_t text_bytes);

/* Of so many names, whose bytes are added up. */
void room_add_directory(struct room *room, const struct filesystem *fs, uint64_t names,
			uint64_t name_bytes);

/* Adds more that often; links are not added up. */
void room_add(struct room *room, const struct room *more, uint64_t times);

/* A partition of so many bytes has the room once it is formatted, and some to work in. */
uint64_t room_partition_bytes(const struct room *room, const struct filesystem *fs);

/* -EMLINK with a sentence where one content would have more links than the filesystem allows. */
int room_check_links(const struct room *room, const struct filesystem *fs);

/* -ENOSPC with what is needed, what there is and what to do; another errno where the mounted
 * filesystem cannot be asked. */
int room_check(const struct room *room, const struct filesystem *fs, const char *mountpoint);

#endif
