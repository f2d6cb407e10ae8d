/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of entries as manifests and packages spell them. */
#ifndef BLITBENCH_WORKLOAD_PATH_H
#define BLITBENCH_WORKLOAD_PATH_H

#include "workload/mtree.h"

/*
 * Takes "." and repeated slashes out of a path; an empty result stands for the root. -EINVAL with a
 * sentence where the path is absolute, has ".." in it, or is too long.
 */
int path_normalise(char path[PATH_LIMIT_BYTES + 1], size_t *path_bytes, const char *spelled);

/* Orders normalised paths as moss walks them: depth-first, each directory bytewise by name and
 * before what it holds. */
int path_compare(const char *left, const char *right);

/* Whether a normalised path is usr or lies below it. */
bool path_below_usr(const char *path);

#endif
