/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading .stone packages, version 1 of the format as AerynOS's os-tools write it: a header and
 * payloads of its own kinds, each with a checksum. The layout payload has the entries, and the
 * index payload the sizes of the contents; the content payload is read to check it.
 */
#ifndef BLITBENCH_WORKLOAD_STONE_H
#define BLITBENCH_WORKLOAD_STONE_H

#include "workload/archive.h"
#include "workload/input.h"

enum { STONE_MAGIC_BYTES = 4 };

/* Whether a file that begins with these bytes is to be read as a .stone. */
bool stone_begins(const unsigned char *bytes, size_t count);

/*
 * Hands all entries to take, in the order of the layout, once everything is read and found whole:
 * all checksums, the digest of every content, types, sizes and paths. A path that is spelled in
 * other than the plain way, or listed twice, is refused. Memory grows with the records that are
 * read and with the plain bytes that zstd needs to look back on, never with a number that a header
 * gives. -EINVAL for what is damaged, with the byte at which the payload or record begins.
 */
int stone_read_items(struct input *input, take_item *take, void *context,
		     struct archive_counts *counts);

#endif
