/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens what workloads are made of and tells what it is: by its bytes, never by its name. */
#ifndef BLITBENCH_WORKLOAD_SOURCE_H
#define BLITBENCH_WORKLOAD_SOURCE_H

#include "workload/input.h"

struct archive;
struct archive_entry;

enum source_kind {
	SOURCE_MANIFEST, /* or some other text; archive hands out its lines as one file's data */
	SOURCE_ARCHIVE,  /* a tarball, a .zip, an .rpm */
	SOURCE_DEBIAN,   /* an ar archive */
	SOURCE_STONE,    /* read from input; there is no archive */
	SOURCE_EMPTY,    /* nothing at all, compressed or not */
};

struct source {
	enum source_kind kind;
	struct input *input;
	struct archive *archive;
	struct archive_entry *header; /* the first one; NULL where the archive has no entries */
};

/* "-" is the standard input. A negative errno, and nothing to close, where the file cannot be
 * opened or is damaged at its beginning; sentences do not begin with its name. */
int source_open(struct source *source, const char *file, const char *phase,
		const struct progress *progress);
void source_close(struct source *source);

/* After a call of libarchive that failed: -EINVAL with a sentence that has its reason and the
 * place, or what stopped the input. */
int source_failed(const struct source *source, struct archive *archive);

/* Compressions that libarchive undoes by itself; for some it would start programs, and files do not
 * get to choose those. */
void source_support_filters(struct archive *archive);

/* So many bytes of the beginning tell the compressions that are not undone. */
enum { COMPRESSION_MAGIC_BYTES = 10 };

/* -EINVAL, with a sentence that names it, where these first bytes are those of a compression that
 * is not undone: libarchive is built without it, and would take the file for text. */
int source_check_compression(const void *bytes, size_t count);

#endif
