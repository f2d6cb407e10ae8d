/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moss of May 2025: the calls of January's, but the children of a directory are shared out among
 * all threads, so that the order varies.
 */
#include "blit/rows.h"

static bool is_link(const struct entry *entry)
{
	return entry->type == ENTRY_FILE && entry->asset != NO_ASSET;
}

/* Files that share an inode share a mode, and which of them comes last nobody knows. */
static void expect_asset_modes(const struct blit_method *method, const struct layout *layout,
			       uint16_t *asset_modes)
{
	moss2025_expect_asset_modes(method, layout, asset_modes);
	for (uint32_t i = 0; i < layout->entry_count && method->threads > 1; i++) {
		const struct entry *entry = &layout->entries[i];

		if (is_link(entry) && asset_modes[entry->asset] != entry->mode)
			asset_modes[entry->asset] |= MODE_ANY_LISTED;
	}
}

const struct engine engine_moss2025_parallel = {
	.name = "moss-2025-parallel",
	.umask = MOSS2025_UMASK,
	.parallel = true,
	.strategies = 1u << STRATEGY_HARDLINK,
	.probe = moss2025_probe,
	.blit = moss2025_blit,
	.expect_asset_modes = expect_asset_modes,
	.made_mode = moss2025_made_mode,
};
