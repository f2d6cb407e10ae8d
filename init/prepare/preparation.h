/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A labelled partition in the free space of a GPT disk, or of a disk's image: first the plan, for
 * which nothing is opened for writing, and then, when somebody has agreed to it, the writing of it.
 * Nothing that is there is shrunk, moved or deleted. Not for PID 1: only cli/prepare uses this
 * folder.
 */
#ifndef BLITBENCH_PREPARE_PREPARATION_H
#define BLITBENCH_PREPARE_PREPARATION_H

#include "disk/device.h"
#include "prepare/addition.h"

#include <sys/types.h>

/* Of partitions' places, and at both ends of the new one what is cleared of old signatures. */
enum { PREPARE_GRAIN_BYTES = 1 << 20 };

struct preparation {
	/* A disk, chosen before, and the top of the tree that describes it ("" on a real machine)
	 * ... */
	struct block_device disk;
	const char *root;
	uint64_t disk_sequence; /* the kernel's count of disks (disk/target.h) */
	/* ... or a file. */
	const char *image;
	dev_t image_device;
	ino_t image_inode;

	uint64_t size_bytes;
	struct gpt before, after;
	unsigned number; /* of the new partition */
	struct addition addition;
};

/*
 * Plans for the disk of that index. size_bytes 0: all of the largest free space. -ENOSPC where
 * there is no room, and what choose_check and gpt_read refuse; the sentence begins with the disk's
 * name. To be freed in any case.
 */
int preparation_of_disk(struct preparation *plan, const struct device_list *list, size_t disk,
			const char *root, const char *label, uint64_t size_bytes);

/* The same for an image file, which nobody else has locked. */
int preparation_of_image(struct preparation *plan, const char *path, const char *label,
			 uint64_t size_bytes);

/*
 * Looks at the disk once more, by a descriptor that nobody else can have beside it: it is the same,
 * its table is byte for byte as planned with, and nobody uses it. Then clears the first and last
 * PREPARE_GRAIN_BYTES of the new place, writes the table, and tells the kernel of the new partition
 * and of no other. told: the kernel knows it; else the machine has to be restarted.
 */
int preparation_write(const struct preparation *plan, bool *told);

void preparation_free(struct preparation *plan);

#endif
