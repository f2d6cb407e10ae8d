/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fs/room.h"

#include "lib/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

static uint64_t whole_blocks(uint64_t bytes)
{
	return (bytes + ROOM_BLOCK_BYTES - 1) / ROOM_BLOCK_BYTES * ROOM_BLOCK_BYTES;
}

static void add_inode(struct room *room, const struct filesystem *fs, uint64_t data_bytes)
{
	room->inodes++;
	room->bytes += fs->inode_bytes + data_bytes;
}

void room_add_file(struct room *room, const struct filesystem *fs, uint64_t size)
{
	/* f2fs needs a block of addresses for about a thousand blocks, the others less. */
	const uint64_t blocks_per_node = 1000 * ROOM_BLOCK_BYTES;
	uint64_t data_bytes = size <= fs->inline_file_bytes ? 0 : whole_blocks(size);

	add_inode(room, fs, data_bytes + data_bytes / blocks_per_node * ROOM_BLOCK_BYTES);
}

void room_add_symlink(struct room *room, const struct filesystem *fs, uint64_t text_bytes)
{
	add_inode(room, fs, text_bytes <= fs->inline_link_bytes ? 0 : whole_blocks(text_bytes + 1));
}

/*
 * An entry has 8 bytes besides its name on ext4, 12 on xfs with its place in the index another 8,
 * and 11 on f2fs, which rounds names up to 8 bytes. What does not fit into one block is spread over
 * some that may be half empty.
 */
void room_add_directory(struct room *room, const struct filesystem *fs, uint64_t names,
			uint64_t name_bytes)
{
	const uint64_t inline_entry_bytes = 12, entry_bytes = 24;
	uint64_t bytes = name_bytes + names * entry_bytes;

	if (fs->name_copies)
		add_inode(room, fs, names * fs->name_bytes + name_bytes * fs->name_copies);
	else if (fs->inline_names_bytes &&
	    name_bytes + names * inline_entry_bytes <= fs->inline_names_bytes)
		add_inode(room, fs, 0);
	else if (bytes <= ROOM_BLOCK_BYTES)
		add_inode(room, fs, ROOM_BLOCK_BYTES);
	else
		add_inode(room, fs, ROOM_BLOCK_BYTES + whole_blocks(2 * bytes));
}

void room_add(struct room *room, const struct room *more, uint64_t times)
{
	room->inodes += more->inodes * times;
	room->bytes += more->bytes * times;
}

/*
 * Of a fresh filesystem's partition, what statvfs(2) does not offer to everybody was, from 1 GiB to
 * 1 TiB: 7.4 to 11.5 % on ext4 (tables, log, what is kept for root), 0.8 to 10.1 % on xfs, 0.6 to
 * 15.2 % on f2fs (reserved segments), with the shares falling as sizes grow.
 */
uint64_t room_partition_bytes(const struct room *room, const struct filesystem *fs)
{
	const uint64_t own_bytes = 64 << 20, spare_inodes = 64;
	/* An eighth more to work in: copies that a log keeps, segments to be cleaned. */
	uint64_t bytes = (room->bytes + room->bytes / 8 + own_bytes) / 7 * 8;
	uint64_t for_inodes = (room->inodes + spare_inodes) * fs->bytes_per_inode;

	bytes = bytes > for_inodes ? bytes : for_inodes;
	return bytes > fs->minimum_bytes ? bytes : fs->minimum_bytes;
}

int room_check_links(const struct room *room, const struct filesystem *fs)
{
	if (room->links <= fs->links_max)
		return 0;
	return error_set(-EMLINK,
			 "one content would have %" PRIu64 " links, and %s allows %" PRIu64
			 " to a file; lower keep_states, or leave this filesystem out",
			 room->links, fs->name, fs->links_max);
}

int room_check(const struct room *room, const struct filesystem *fs, const char *mountpoint)
{
	const double gibibyte = 1 << 30;
	struct statvfs now;

	if (statvfs(mountpoint, &now))
		return error_set(-errno, "cannot ask %s on %s for its free space: %s", fs->name,
				 mountpoint, strerror(errno));
	/* ramfs counts nothing, and btrfs no inodes. */
	uint64_t bytes = now.f_blocks ? (uint64_t)now.f_bavail * now.f_frsize : UINT64_MAX;
	uint64_t inodes = now.f_files ? now.f_favail : UINT64_MAX;
	if (room->bytes <= bytes && room->inodes <= inodes)
		return 0;
	char larger[64], free_inodes[32] = "any number of";
	if (now.f_files)
		snprintf(free_inodes, sizeof(free_inodes), "%" PRIu64, inodes);
	if (room->bytes > bytes || fs->bytes_per_inode)
		snprintf(larger, sizeof(larger), "one of %.1f GiB or more",
			 (double)room_partition_bytes(room, fs) / gibibyte);
	else
		snprintf(larger, sizeof(larger), "one with more inodes");
	return error_set(-ENOSPC,
			 "the filesystem has %.2f GiB and %s inodes free, and store and trees need "
			 "%.2f GiB and %" PRIu64 "; use %s, a smaller workload, a lower keep_states or age%s",
			 (double)bytes / gibibyte, free_inodes, (double)room->bytes / gibibyte,
			 room->inodes, larger,
			 room->bytes > bytes ? ", or content=capped:4096" : "");
}
