/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of file handles, .moss/handles beside the store: what name_to_handle_at(2) said of each
 * asset when it was stored, with its inode number, in the order of the assets. A package manager
 * would keep it beside the digests in its database.
 */
#ifndef BLITBENCH_BLIT_HANDLES_H
#define BLITBENCH_BLIT_HANDLES_H

#include "workload/store.h"

#include <stddef.h>

struct inode_order {
	uint64_t inode;
	uint32_t asset;
};

struct handles {
	uint32_t count;       /* of assets */
	unsigned char *table; /* as in the file */
	size_t table_bytes;
	struct inode_order *order; /* all assets, by inode number; within places */
	struct inode_order *places;
};

/* Takes and writes those of all assets. Negative errno with a sentence. */
int handles_save(int store_fd, const char (*asset_paths)[STORE_PATH_BYTES], uint32_t count);

/* Reads the table, which must be of so many assets; handles_free also after an error. -ENOENT,
 * -EINVAL, -ENOMEM with a sentence. */
int handles_load(struct handles *handles, int store_fd, uint32_t count);

/* Fills order. -ENOMEM with a sentence. */
int handles_sort(struct handles *handles);

/* open_by_handle_at(2) of an asset on the filesystem of mount_fd: a descriptor, or -1 with errno. */
int handles_open(const struct handles *handles, int mount_fd, uint32_t asset, int flags);

/* Takes a file's handle and opens it by that: a descriptor, or -1 with errno. */
int handles_reopen(int store_fd, const char *path);

void handles_free(struct handles *handles);

#endif
