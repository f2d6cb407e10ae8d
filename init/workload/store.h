/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The content-addressed store: .moss/assets/v2/aa/bb/cc/<digest>, aa/bb/cc being the first six
 * printed digits. A digest of fewer than ten characters lies directly under v2/ (moss-blit facts).
 */
#ifndef BLITBENCH_WORKLOAD_STORE_H
#define BLITBENCH_WORKLOAD_STORE_H

#include "workload/contents.h"

enum { STORE_PATH_BYTES = 48, STORE_LEVELS_MAX = 3 };

struct fanout {
	const char *name; /* as in the configuration: "3x2" */
	unsigned levels;  /* directories of two digits each above an asset */
};

/* NULL for a name that is not one of them. */
const struct fanout *fanout_find(const char *name);

/* "3x2, 2x2, 1x2, flat" */
const char *fanout_names(void);

/* The path of an asset below the store: "aa/bb/cc/<digest>". */
void store_path(char path[STORE_PATH_BYTES], const struct fanout *fanout, const char *digest);

/*
 * The paths of all contents, ready for linkat: paths[i] belongs to contents->list[i]. NULL when out
 * of memory. Freed by the caller.
 */
char (*store_paths(const struct fanout *fanout, const struct contents *contents))[STORE_PATH_BYTES];

/* Removes an asset, and the directories that it leaves empty; paths as store_path makes them. */
int store_remove(int store_fd, const char path[STORE_PATH_BYTES]);

/*
 * Calls visit for each directory that a full store consists of, its top included, with the number
 * of its names and their bytes. -ENOMEM with a sentence.
 */
int store_each_directory(const struct fanout *fanout, const struct contents *contents,
			 void (*visit)(void *context, uint64_t names, uint64_t name_bytes),
			 void *context);

#endif
