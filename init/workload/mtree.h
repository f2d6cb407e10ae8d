/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading and writing manifests in the format of mtree(5). libarchive undoes the compression, but
 * its own mtree reader is not used: it takes the end of a truncated or damaged stream for the end
 * of the manifest, cannot tell a missing size from size=0, and holds all lines in memory.
 */
#ifndef BLITBENCH_WORKLOAD_MTREE_H
#define BLITBENCH_WORKLOAD_MTREE_H

#include "lib/progress.h"
#include "workload/layout.h"

enum { PATH_LIMIT_BYTES = 4095, NAME_LIMIT_BYTES = 255 };

/* More entries are no workload: they would not fit a small machine's memory. */
#define ENTRY_LIMIT UINT32_C(4194304)

/* A content larger than this is taken for a mistake. */
#define SIZE_LIMIT_BYTES (UINT64_C(1) << 40)

/* Numbers from here on are given to files that come without one. */
#define FIRST_OWN_NUMBER (UINT64_C(1) << 62)

/* One entry as a manifest or a package lists it. */
struct listed_entry {
	const char *path;      /* as it was spelled, escapes undone */
	const char *link_text; /* symlink only */
	uint64_t size;         /* file only, bytes */
	uint64_t number;       /* of the content; only where numbered is true */
	bool numbered;
	enum entry_type type;
	uint32_t uid, gid;
	uint16_t mode; /* & 07777 */
};

/* Takes one entry. A negative errno, with a sentence that need not name the entry, stops the
 * reading. */
typedef int take_entry(void *context, const struct listed_entry *entry);

/*
 * Hands the entries of a manifest to take, in the order of its lines. An entry is named by a path
 * or, in the older style, by a name below the directory that an earlier line entered and ".."
 * leaves. Keywords: type, mode, uid, gid, size, link and inode are read, from the line or from
 * /set; others are skipped. Without mode= a file gets 0644, a directory 0755, a symlink 0777;
 * without uid= or gid= root. Devices, pipes and sockets are left out and added to *special. -EINVAL
 * for what is damaged or no manifest, -EINTR, or what take returned; sentences begin with the file,
 * the line and the path.
 */
int mtree_read(const char *file, take_entry *take, void *context, uint64_t *special,
	       const struct progress *progress);

/* The same for what is open already; sentences do not begin with the file. */
struct source;
int mtree_read_source(const struct source *source, take_entry *take, void *context,
		      uint64_t *special);

/*
 * Writes a manifest line by line; compressed with zstd where the name of the file ends in .zst. The
 * file gets its name only by mtree_writer_publish; mtree_writer_free without it leaves nothing
 * behind. A symlink stays, and the file it leads to is made. What is no regular file (a pipe, a
 * terminal), and the standard output by whatever name, is a stream: it gets the lines as they come.
 */
struct mtree_writer;

/* Whether this names the standard output: "-", or the same file as it. */
bool mtree_is_stdout(const char *file);

/* NULL with a sentence where the file cannot be made. */
struct mtree_writer *mtree_writer_open(const char *file);
int mtree_writer_put(struct mtree_writer *writer, const struct listed_entry *entry);

/* Nothing more will be put; everything is in the file afterwards. */
int mtree_writer_close(struct mtree_writer *writer);
int mtree_writer_publish(struct mtree_writer *writer);
void mtree_writer_free(struct mtree_writer *writer);

#endif
