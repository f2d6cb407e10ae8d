/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Directories that are there to be listed: .moss/inode-lists/0, 1, ... hold one more link of each
 * asset, 128 in each, in the order of inode numbers. f2fs keeps every inode in a 4 KiB block of its
 * own, and reads ahead the inodes of what readdir(3) tells (fs/f2fs/dir.c, readdir_ra), all of one
 * block of names under one plug: inodes whose blocks lie side by side come in by one request.
 * Nothing else in f2fs reads inodes ahead.
 */
#ifndef BLITBENCH_BLIT_INODE_LISTS_H
#define BLITBENCH_BLIT_INODE_LISTS_H

#include "blit/crew.h"
#include "blit/handles.h"

/* Makes them anew; handles are sorted. Negative errno with a sentence. */
int inode_lists_make(int store_fd, const char (*asset_paths)[STORE_PATH_BYTES],
		     const struct handles *handles);

/* Lists all of them, shared out over the crew, without waiting for what is read ahead. A list that
 * is not there only costs its assets the reading ahead. How many were listed. */
unsigned inode_lists_read(int store_fd, uint32_t assets, struct crew *crew);

#endif
