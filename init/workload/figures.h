/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a workload consists of, in figures. */
#ifndef BLITBENCH_WORKLOAD_FIGURES_H
#define BLITBENCH_WORKLOAD_FIGURES_H

#include "workload/workload.h"

enum {
	DEPTH_LIMIT = 2048, /* names that fit into the longest path */
	SIZE_CLASSES = 41,  /* one for each power of two up to the largest content */
};

/* Of count values; the percentiles are values that occur (nearest rank). All 0 without values. */
struct distribution {
	uint64_t count, minimum, median, percentile_90, percentile_99, maximum;
};

struct layout_figures {
	uint32_t entries, files, empty_files, symlinks, directories, empty_directories;
	uint32_t assets;      /* distinct contents, the empty one not counted */
	uint64_t bytes;       /* of all files */
	uint64_t asset_bytes; /* of the distinct contents */
	uint64_t largest_asset_bytes;

	/* Contents that several files have, and those files. One of each content is needed, so the
	 * store saves bytes - asset_bytes. */
	uint32_t shared_contents, shared_files;
	/* Of these, contents whose files want different modes, and those files: hard links cannot
	 * give each its own. */
	uint32_t colliding_contents, colliding_files;

	uint32_t deepest;                   /* names in the longest path, usr counted */
	uint32_t by_depth[DEPTH_LIMIT + 1]; /* entries whose path has so many names */
	uint32_t by_size[SIZE_CLASSES];     /* files of 2^i to 2^(i+1) - 1 bytes */

	struct distribution name_bytes, link_text_bytes;
	struct distribution children;   /* entries of a directory */
	struct distribution file_bytes; /* empty files not counted */
	uint32_t special_modes;         /* entries that are setuid, setgid or sticky */
	uint32_t other_owners;          /* entries that are not root's */
};

/* -ENOMEM with a sentence, or 0. */
int layout_figures(struct layout_figures *figures, const struct layout *layout,
		   const struct contents *contents);

#endif
