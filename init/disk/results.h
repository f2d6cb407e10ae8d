/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results volume: the partition whose GPT label and FAT label are both BLITRESULTS. Holds
 * blitbench.conf, the large workloads and one folder a run, runs/<run id>/.
 */
#ifndef BLITBENCH_DISK_RESULTS_H
#define BLITBENCH_DISK_RESULTS_H

#include "disk/device.h"

struct results {
	dev_t number; /* 0 = there is none, or it is not mounted (any more) */
	char mountpoint[64];
	int run_fd;         /* the run's folder, -1 before results_start_run */
	char run_path[256]; /* "runs/<run id>", "" before results_start_run */
	/* The run's folder once more: what failed to reach the medium since the run began is told by the
	 * first syncfs of each descriptor, and others may use the one above. */
	int sync_fd;
	int held_fd; /* of the partition: the flush at the end goes to this disk and no other */
	char cache_type[32]; /* of its disk, as read back; "" = no SCSI disk */
	/* what it is known by should it come back; stays when it is unmounted */
	char partuuid[40];
	uint32_t serial; /* of the FAT */
	char repairs[1024]; /* what was wrong with the FAT and is repaired; "" = nothing */
};

/* Nothing is mounted. */
#define RESULTS_NONE ((struct results){ .run_fd = -1, .sync_fd = -1, .held_fd = -1 })

/* Its index in the list; -ENOENT, or -EEXIST where several match, with a sentence. */
int results_find(const struct device_list *list);

/* That of the one partition that has its label, if nothing is recognised on it: a volume that has lost its
 * boot sector may be that. -1 where there is none or several, without a sentence. */
int results_find_damaged(const struct device_list *list);

/* That of the volume that was mounted before, wherever it is plugged in now; its FAT is compared when it is
 * mounted. */
int results_find_again(const struct device_list *list, const struct results *before);

/*
 * Has flushes enabled (below), has the FAT checked and repaired, then mounts the volume read-write.
 * before: what it must be, or NULL.
 */
int results_mount(struct results *results, const struct device_list *list, size_t index,
		  const char *mountpoint, const struct results *before);

/* Makes the run's folder under a new name, flushed. */
int results_start_run(struct results *results, const char *run_id);

/* The same, or the folder of that name that is there. */
int results_continue_run(struct results *results, const char *run_id);

/* syncfs, unmount, and a flush of the disk; each of them whatever became of the others. 0 only when
 * everything is on the medium. */
int results_finish(struct results *results);

/*
 * The part of results_mount that makes flushes real: sticks that report no cache get none
 * otherwise. disk is the kernel's name of the whole disk; cache_type becomes what is in force then.
 */
int results_enable_flushes(const char *root, const char *disk, char *cache_type, size_t size);

#endif
