/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a workload consists of, in figures. */
#ifndef BLITBENCH_WORKLOAD_FIGURES_H
#define BLITBENCH_WORKLOAD_FIGURES_H

#include "workload/workload.h"

struct layout_figures {
	uint32_t entries, files, empty_files, symlinks, directories;
	uint32_t assets;      /* distinct contents, the empty one not counted */
	uint64_t bytes;       /* of all files */
	uint64_t asset_bytes; /* of the distinct contents */
	uint64_t largest_asset_bytes;
	uint32_t deepest; /* names in the longest path, usr counted */
};

/* -ENOMEM with a sentence, or 0. */
int layout_figures(struct layout_figures *figures, const struct layout *layout,
		   const struct contents *contents);

#endif
