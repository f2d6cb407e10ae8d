/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads and writes that are not the target partition's while something is measured: elsewhere on its
 * disk, and at the disk that the results go to. */
#ifndef BLITBENCH_MEASURE_OTHERS_H
#define BLITBENCH_MEASURE_OTHERS_H

#include "measure/counters.h"

#include <stdbool.h>
#include <sys/types.h>

/* Whose counters are looked at, as stat_path in measure/counters.h; "" = nobody's. */
struct others {
	char partition[192], disk[192]; /* the target's; both or none */
	char results[192];		/* "" as well where that is the target's disk */
};

/* target: the partition that is measured. One that is no partition has no others on its disk. results:
 * the partition or disk with the results, 0 = none. root as in lib/sysfs.h. */
void others_find(struct others *others, dev_t target, dev_t results, const char *root);

struct others_reading {
	struct disk_counters partition, disk, results;
	bool disk_known, results_known;
};

/* What was done in between; known: the counters could be read. */
struct others_io {
	struct disk_counters disk, results;
	bool disk_known, results_known;
};

/*
 * At the beginning and at the end. A request counts at its partition and at the disk in the same
 * moment, so the partition is read first at the beginning and last at the end: one that is completed
 * in between is never taken for another's. NULL = nobody is looked at.
 */
void others_begin(const struct others *others, struct others_reading *begun);
void others_end(const struct others *others, const struct others_reading *begun,
		struct others_io *io);

/* "3 reads (12288 bytes), 1 write (4096 bytes)"; "" where there was nothing. Returns buffer. */
const char *others_words(const struct disk_counters *io, char *buffer, size_t size);

#endif
