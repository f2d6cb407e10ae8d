/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What libblkid reads from a disk or partition by a read-only descriptor; of a file as well. */
#ifndef BLITBENCH_DISK_SIGNATURE_H
#define BLITBENCH_DISK_SIGNATURE_H

#include <stddef.h>
#include <stdint.h>

struct table_entry {
	unsigned number;
	uint64_t start_bytes, size_bytes;
	char label[128]; /* UTF-8 */
	char uuid[40];   /* lower case */
};

struct partition_table {
	char type[8]; /* "" = none, or it could not be read; "PMBR" where a GPT should be */
	struct table_entry *entries;
	size_t count;
};

/* The partition table of a whole disk. -ENOMEM is the only error: a damaged table is no table. */
int table_read(struct partition_table *table, int fd);
void table_free(struct partition_table *table);

/* NULL where there is no such partition. */
const struct table_entry *table_find(const struct partition_table *table, unsigned number);

struct signature {
	char type[32], label[128]; /* as in struct block_device */
};

/*
 * The filesystem or other superblock that begins the device, bad checksums included: a damaged
 * filesystem is somebody's filesystem still. With inside_partition, a partition table in there
 * counts as well, on its own as a signature of its type, together with a superblock as
 * "ambivalent".
 */
void signature_read(struct signature *signature, int fd, int inside_partition);

#endif
