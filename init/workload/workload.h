/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A workload: the two layouts that transactions alternate between ("remove" makes the base,
 * "install" the base with the delta's entries added or replaced) and the contents that both refer
 * to.
 */
#ifndef BLITBENCH_WORKLOAD_WORKLOAD_H
#define BLITBENCH_WORKLOAD_WORKLOAD_H

#include "workload/contents.h"
#include "workload/layout.h"

struct workload {
	char name[64];
	char digest[DIGEST_TEXT_BYTES]; /* XXH3-128 over both layouts' entries, independent of
					   spelling and compression */
	struct layout remove, install;
	struct contents contents;
	uint64_t special; /* devices, pipes and sockets that the manifests list, left out */
};

/*
 * Reads an mtree(5) manifest (compressed or not, as libarchive recognises it) and optionally a
 * delta. delta_path may be NULL: then both layouts are the same. Files without an inode= number
 * each get a content of their own, numbered from 2^62 on. Contents are not named: their digests are
 * "" (contents_name). Refused with -EINVAL and a sentence that names file, path of the entry, and
 * what is wrong: anything that leaves usr/ (".." in any spelling, absolute paths), a file or
 * symlink as parent, a name over 255 bytes, a path over 4,095, a negative or missing size, the same
 * path in two spellings, one content number with two sizes, unknown types, no entries at all, over
 * 4,194,304 entries, over 512 MiB of names. A damaged archive is -EINVAL too.
 */
int workload_read(struct workload *workload, const char *name, const char *base_path,
		  const char *delta_path, const struct progress *progress);

/*
 * Makes every content at most cap_bytes (> 0) long. Sizes, names and the workload's digest are then
 * those of what is left, so that two workloads have equal digests where their work is the same; the
 * contents must be named afterwards. -ENOMEM.
 */
int workload_cap(struct workload *workload, uint64_t cap_bytes);

/* Makes a workload without a delta of what was built; its contents are not named. build can only be
 * freed afterwards. */
struct layout_build;
int workload_of_build(struct workload *workload, const char *name, struct layout_build *build);

void workload_free(struct workload *workload);

#endif
