/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/caches.h"

#include "lib/sysfs.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Freed inodes go back to their slab only after an RCU grace period, and xfs reclaims inodes from a
 * worker. */
static const struct timespec SETTLE = { .tv_nsec = 100 * 1000 * 1000 };

static bool below(uint64_t now, uint64_t warm, uint64_t percent, uint64_t pinned, uint64_t margin)
{
	return now <= pinned + margin || (now - pinned) * 100 < warm * percent;
}

bool caches_cold(const struct cache_counters *warm, const struct cache_counters *pinned,
		 const struct cache_counters *now)
{
	return below(now->inodes, warm->inodes, 1, pinned->inodes, CACHES_MARGIN_INODES) &&
	       below(now->buffer_bytes, warm->buffer_bytes, 2, pinned->buffer_bytes,
		     CACHES_MARGIN_BUFFER_BYTES);
}

/*
 * A slab counts the free objects that each CPU keeps at hand as active; shrinking takes them back.
 * Kernels without /sys/kernel/slab merely count a few too many.
 */
static void shrink(const char *slab, const char *root)
{
	(void)sysfs_write("1", root, "/sys/kernel/slab/%s/shrink", slab);
}

int caches_drop(struct caches_drop_result *result, const char *inode_slab,
		const struct cache_counters *warm, const struct cache_counters *pinned,
		const char *root)
{
	const double mebibyte = 1024.0 * 1024.0;

	*result = (struct caches_drop_result){ .proven = false };
	int error = 0;
	while (!error && !result->proven && result->attempts < CACHES_DROP_ATTEMPTS_MAX) {
		result->attempts++;
		sync();
		error = sysfs_write("3", root, "/proc/sys/vm/drop_caches");
		if (error)
			break;
		nanosleep(&SETTLE, NULL);
		shrink(inode_slab, root);
		shrink("dentry", root);
		error = cache_counters_read(&result->cold, inode_slab, root);
		result->proven = !error && caches_cold(warm, pinned, &result->cold);
	}
	if (!error && !result->proven)
		snprintf(result->detail, sizeof(result->detail),
			 "after %u attempts %" PRIu64 " of %" PRIu64
			 " inodes and %.1f of %.1f MiB of buffers stayed",
			 result->attempts, result->cold.inodes, warm->inodes,
			 (double)result->cold.buffer_bytes / mebibyte,
			 (double)warm->buffer_bytes / mebibyte);
	return error;
}
