/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel counts: at a partition, for this process, for the whole machine, in its caches.
 * All only ever grow, but the caches. */
#ifndef BLITBENCH_MEASURE_COUNTERS_H
#define BLITBENCH_MEASURE_COUNTERS_H

#include <stdint.h>

/* Documentation/block/stat.rst; sectors there are 512 bytes. */
struct disk_counters {
	uint64_t reads, read_bytes, writes, write_bytes, discards, discard_bytes;
	uint64_t in_flight;
};

/* stat_path: /sys/dev/block/MAJ:MIN/stat */
int disk_counters_read(struct disk_counters *counters, const char *stat_path);
struct disk_counters disk_counters_since(const struct disk_counters *before,
					 const struct disk_counters *after);

struct cpu_counters {
	double user_seconds,
		system_seconds;	     /* this process and its threads: getrusage(RUSAGE_SELF) */
	double machine_busy_seconds; /* all CPUs, all but idle, iowait and stolen: /proc/stat */
	double stolen_seconds;
};

int cpu_counters_read(struct cpu_counters *counters, const char *root);
struct cpu_counters cpu_counters_since(const struct cpu_counters *before,
				       const struct cpu_counters *after);

/* Objects and bytes that a cold start must not find. inode_slab: the filesystem's name in
 * /proc/slabinfo (slabinfo(5)). */
struct cache_counters {
	uint64_t inodes;       /* active objects of the filesystem's inode slab */
	uint64_t dentries;     /* active objects of "dentry" */
	uint64_t buffer_bytes; /* Buffers of /proc/meminfo: pages of block devices */
	uint64_t cached_bytes; /* Cached of /proc/meminfo */
};

int cache_counters_read(struct cache_counters *counters, const char *inode_slab, const char *root);

#endif
