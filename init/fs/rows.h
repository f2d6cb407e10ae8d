/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of the table of filesystems, one file each, and what their descriptions share. */
#ifndef BLITBENCH_FS_ROWS_H
#define BLITBENCH_FS_ROWS_H

#include "fs/filesystem.h"

#include <stddef.h>

extern const struct filesystem filesystem_ext4, filesystem_xfs, filesystem_xfs_parent,
	filesystem_f2fs, filesystem_btrfs;

/* Reads size bytes at offset of the node; -EIO where it is shorter. */
int superblock_read(const char *node, uint64_t offset, void *buffer, size_t size);

/* Little-endian fields of an on-disk superblock. */
uint32_t le16_at(const unsigned char *bytes, size_t offset);
uint32_t le32_at(const unsigned char *bytes, size_t offset);

struct feature_name {
	uint32_t bit;
	const char *name;
};

/* Appends the names of the bits that are set; a bit without a name becomes "compat 0x80". The table
 * ends with a NULL name. */
void feature_names(json_t *list, uint32_t bits, const struct feature_name *names, const char *word);

#endif
