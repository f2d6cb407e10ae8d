/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moss of January 2025. A file with content: linkat of the asset's path, fchmodat2 of the new name.
 */
#include "blit/calls.h"
#include "blit/rows.h"
#include "blit/timed.h"
#include "blit/walk.h"
#include "lib/error.h"

#include <errno.h>

static int make_file(struct blit *blit, int parent, const struct entry *entry, const char *name)
{
	if (blit_linkat(blit->store_fd, blit->asset_paths[entry->asset], parent, name, 0))
		return blit_failed(blit, entry, "linkat");
	if (blit_fchmodat2(parent, name, entry->mode, AT_SYMLINK_NOFOLLOW))
		return blit_failed(blit, entry, "fchmodat2");
	return 0;
}

int moss2025_blit(struct blit *blit)
{
	return walk_tree(blit, make_file, 0);
}

int moss2025_probe(enum strategy *strategy, int store_fd, int staging_fd)
{
	(void)strategy;
	(void)staging_fd;
	/* A name that is not there: a kernel that knows the call says so, one before 6.6 says
	 * ENOSYS. */
	if (call_fchmodat2(store_fd, ".blitbench-probe", 0644, AT_SYMLINK_NOFOLLOW) &&
	    errno == ENOSYS)
		return error_set(
			-EOPNOTSUPP,
			"this kernel has no fchmodat2 system call, which moss of 2025 makes for every file: "
			"run Linux 6.6 or later");
	return 0;
}

static int note_mode(void *context, const struct layout *layout, uint32_t index)
{
	const struct entry *entry = &layout->entries[index];

	if (entry->type == ENTRY_FILE && entry->asset != NO_ASSET)
		((uint16_t *)context)[entry->asset] = entry->mode;
	return 0;
}

/* Files that share an inode share a mode: the last one that moss comes to wins. */
void moss2025_expect_asset_modes(const struct blit_method *method, const struct layout *layout,
				 uint16_t *asset_modes)
{
	(void)method;
	layout_walk(layout, note_mode, asset_modes);
}

/* mkdir(2) takes no setuid and setgid bits; open(2) does. */
uint16_t moss2025_made_mode(const struct entry *entry)
{
	return entry->mode & (entry->type == ENTRY_DIRECTORY ? 01777 : 07777) & ~MOSS2025_UMASK;
}

const struct engine engine_moss2025 = {
	.name = "moss-2025",
	.umask = MOSS2025_UMASK,
	.parallel = false,
	.strategies = 1u << STRATEGY_HARDLINK,
	.probe = moss2025_probe,
	.blit = moss2025_blit,
	.expect_asset_modes = moss2025_expect_asset_modes,
	.made_mode = moss2025_made_mode,
};
