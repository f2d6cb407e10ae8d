/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chosen target, held by a read-only descriptor for the whole session and reached only through
 * a private device node that is made from its dev_t, never through a name that could be looked up
 * again.
 */
#ifndef BLITBENCH_DISK_TARGET_H
#define BLITBENCH_DISK_TARGET_H

#include "disk/device.h"

struct target {
	struct block_device identity; /* as it was when chosen */
	int held_fd;   /* O_RDONLY, not exclusive: an exclusive one would block mkfs and mount */
	char node[64]; /* the private node, mode 0600 */
	char node_directory[48]; /* where it is, mode 0700 */
	char stat_path[128]; /* /sys/dev/block/MAJ:MIN/stat */
	/* the kernel's running count of disks: another disk, another number; 0 = not told */
	uint64_t disk_sequence;
};

/*
 * Makes the private node in node_directory (made 0700 if missing), opens the held descriptor, and
 * takes the first last look. Only ever a partition: anything else is -EINVAL.
 */
int target_open(struct target *target, const struct block_device *chosen,
		const char *node_directory);

/*
 * The last look, right before each mkfs: the held descriptor and a fresh scan still tell the same
 * dev_t, PARTUUID, size, model and serial, the node is still of that dev_t, and a short exclusive
 * open shows that nobody uses it. -ESTALE (changed, vanished) or -EBUSY with a sentence. Nothing
 * may be written to the target without a last look that passed.
 */
int target_last_look(const struct target *target);

struct discard_result {
	bool done; /* false: the disk cannot; detail says so */
	double seconds;
	char detail[128];
};

/*
 * BLKDISCARD of the whole partition, after a last look of its own, then zeroes over its first and
 * last MiB, so that no old signature lives on where a disk does not discard, or reads back what it
 * discarded. A disk that does not support discarding is no error.
 */
int target_discard(const struct target *target, struct discard_result *result);

/* Removes the node, closes the descriptor. */
void target_close(struct target *target);

#endif
