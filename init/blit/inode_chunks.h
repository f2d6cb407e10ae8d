/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xfs allocates inodes in chunks of 64 and reads 32 of them at a time. XFS_IOC_BULKSTAT
 * (ioctl_xfs_bulkstat(2)) reads ahead both halves of a chunk under one plug before it looks at an
 * inode (fs/xfs/xfs_iwalk.c, xfs_iwalk_ichunk_ra), so that the disk is asked once. Asked for one
 * inode, it does that and hardly anything else.
 */
#ifndef BLITBENCH_BLIT_INODE_CHUNKS_H
#define BLITBENCH_BLIT_INODE_CHUNKS_H

#include <stdint.h>

/* Inodes of one chunk have numbers that are alike but for so many bits. */
enum { INODE_CHUNK_BITS = 6 };

/* Brings in the chunk of an inode, on the xfs of fd. 0, or -1 with errno; EPERM without
 * CAP_SYS_ADMIN. */
int inode_chunks_read(int fd, uint64_t inode);

#endif
