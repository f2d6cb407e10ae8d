/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the boot sector of a FAT tells, and what its copy is for. Layout: Microsoft's "FAT: General
 * Overview of On-Disk Format", 1.03. */
#ifndef BLITBENCH_DISK_FAT_H
#define BLITBENCH_DISK_FAT_H

#include <stdint.h>

struct fat {
	uint32_t serial; /* the volume's serial number, which mkfs makes up */
	char label[12];  /* as in the boot sector, without the spaces behind it */
};

/* -EUCLEAN with a sentence where there is none, or one that is larger than the device. */
int fat_read(int fd, uint64_t device_bytes, struct fat *fat);

/* The same of the copy that a FAT32 keeps in its sector 6. */
int fat_read_copy(int fd, uint64_t device_bytes, struct fat *fat);

/* Puts that copy in the boot sector's place, flushed; fd is open for writing. */
int fat_restore(int fd, uint64_t device_bytes);

#endif
