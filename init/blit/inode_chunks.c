/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/inode_chunks.h"

#include <sys/ioctl.h>

/* As in xfs_fs.h of the kernel, which it does not export: what is asked for, and room for one answer,
 * which nobody reads. */
struct bulk_request {
	uint64_t inode; /* this one, or the next one that is in use */
	uint32_t flags, wanted, got, group;
	uint64_t reserved[5];
};

struct bulk_answer {
	uint64_t words[24];
};

#define BULKSTAT _IOR('X', 127, struct bulk_request)

int inode_chunks_read(int fd, uint64_t inode)
{
	struct {
		struct bulk_request request;
		struct bulk_answer answer;
	} bulk = { .request = { .inode = inode, .wanted = 1 } };

	return ioctl(fd, BULKSTAT, &bulk);
}
