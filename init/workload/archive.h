/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading packages and archives, entry by entry; nothing is unpacked to a disk. */
#ifndef BLITBENCH_WORKLOAD_ARCHIVE_H
#define BLITBENCH_WORKLOAD_ARCHIVE_H

#include "workload/mtree.h"

#include <xxhash.h>

struct archive_item {
	struct listed_entry entry; /* path normalised and below usr/; not numbered */
	const char *hard_link; /* the path, treated alike, of the entry that this is another name
				  of; else NULL */
	bool has_content;      /* hash is that of the file's content, and of all its other names' */
	bool unique;           /* no other item may have the same path */
	XXH128_hash_t hash;
};

struct archive_counts {
	uint64_t taken;
	uint64_t outside; /* entries that lie neither below usr/ nor in a directory that usr-merge
			     moves there */
	uint64_t special; /* devices, pipes and sockets */
};

/* Takes one item; a negative errno with a sentence stops the reading. What item points at lasts
 * until it returns. */
typedef int take_item(void *context, const struct archive_item *item);

/*
 * Hands all entries of a package or archive that belong below usr/ to take, in the archive's order,
 * and adds to counts: .deb, .stone, .rpm, .zip, and tarballs, which .apk and .pkg.tar.zst are too,
 * in the compressions of source.h. bin, sbin, lib, lib32, lib64 and libx32 at the top are taken for
 * their namesakes in usr, as usr-merge has them, and symlinks of these names are left out. -EINVAL
 * for what is damaged, no such archive, or leaves the root; -EINTR. Sentences begin with the file.
 */
int archive_read_items(const char *file, take_item *take, void *context,
		       struct archive_counts *counts, const struct progress *progress);

/* The same for what is open already; sentences do not begin with the file. */
struct source;
int archive_read_source(const struct source *source, take_item *take, void *context,
			struct archive_counts *counts);

#endif
