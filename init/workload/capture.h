/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A live system's /usr, or any other tree, as one package. */
#ifndef BLITBENCH_WORKLOAD_CAPTURE_H
#define BLITBENCH_WORKLOAD_CAPTURE_H

#include "workload/layout_build.h"
#include "workload/tree_items.h"

/* Builds the layout of a directory, which becomes usr. build is freed by the caller, after errors
 * too. */
int capture_build(struct layout_build *build, const char *directory, struct tree_counts *counts,
		  const struct progress *progress);

/* The same into a manifest. */
int capture_directory(const char *directory, const char *output, bool anonymise,
		      struct tree_counts *counts, const struct progress *progress);

#endif
