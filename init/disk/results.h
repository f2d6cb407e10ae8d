/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The results volume: the partition whose GPT label and FAT label are both BLITRESULTS. Holds
 * blitbench.conf, the large workloads and one folder a run, runs/<run id>/.
 */
#ifndef BLITBENCH_DISK_RESULTS_H
#define BLITBENCH_DISK_RESULTS_H

#include "disk/device.h"

struct results {
	dev_t number; /* 0 = there is none */
	char mountpoint[64];
	int run_fd;         /* the run's folder, -1 before results_start_run */
	char run_path[256]; /* "runs/<run id>" */
	int held_fd; /* of the partition: the flush at the end goes to this disk and no other */
	char cache_type[32]; /* of its disk, as read back; "" = no SCSI disk */
};

/* Its index in the list; -ENOENT, or -EEXIST where several match, with a sentence. */
int results_find(const struct device_list *list);

/* Has flushes enabled (below), then mounts the volume read-write. */
int results_mount(struct results *results, const struct device_list *list, size_t index,
		  const char *mountpoint);

/* Makes the run's folder under a new name, flushed. */
int results_start_run(struct results *results, const char *run_id);

/* syncfs, unmount, and a flush of the disk. 0 only when everything is on the medium. */
int results_finish(struct results *results);

/*
 * The part of results_mount that makes flushes real: sticks that report no cache get none
 * otherwise. disk is the kernel's name of the whole disk; cache_type becomes what is in force then.
 */
int results_enable_flushes(const char *root, const char *disk, char *cache_type, size_t size);

#endif
