/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What blitting as moss of January 2025 comes to at the very least: a recursion over the layout,
 * with the calls that each entry needs and nothing else. The engine is measured against it, in
 * calls, in instructions and in seconds. It ends the program where something fails.
 */
#ifndef BLITBENCH_TESTS_BARE_BLIT_H
#define BLITBENCH_TESTS_BARE_BLIT_H

#include "blit/calls.h"
#include "blit/rows.h"

#include <err.h>

static void bare_entry(const struct blit *blit, const struct layout *layout, int parent,
		       const struct entry *entry)
{
	const char *name = layout->names + entry->name;
	int fd;

	if (entry->type == ENTRY_SYMLINK) {
		if (symlinkat(layout->names + entry->link_text, parent, name))
			err(1, "symlinkat %s", name);
	} else if (entry->type == ENTRY_DIRECTORY) {
		const struct entry *child = layout->entries + entry->first_child;

		if (mkdirat(parent, name, entry->mode) ||
		    (fd = openat(parent, name, O_RDONLY | O_DIRECTORY)) < 0)
			err(1, "mkdirat or openat %s", name);
		for (const struct entry *end = child + entry->child_count; child < end; child++)
			bare_entry(blit, layout, fd, child);
		close(fd);
	} else if (entry->asset == NO_ASSET) {
		if ((fd = openat(parent, name, O_CREAT | O_WRONLY | O_TRUNC, entry->mode)) < 0)
			err(1, "openat %s", name);
		close(fd);
	} else if (linkat(blit->store_fd, blit->asset_paths[entry->asset], parent, name, 0) ||
		   call_fchmodat2(parent, name, entry->mode, AT_SYMLINK_NOFOLLOW)) {
		err(1, "linkat or fchmodat2 %s", name);
	}
}

static int bare_blit(struct blit *blit)
{
	bare_entry(blit, blit->layout, blit->staging_fd, &blit->layout->entries[0]);
	return 0;
}

static const struct engine engine_bare = {
	.name = "bare",
	.umask = MOSS2025_UMASK,
	.strategies = 1u << STRATEGY_HARDLINK,
	.probe = moss2025_probe,
	.blit = bare_blit,
	.expect_asset_modes = moss2025_expect_asset_modes,
	.made_mode = moss2025_made_mode,
};

#endif
