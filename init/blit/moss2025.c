/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/moss2025.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's number on every architecture; musl would fall back to several other calls without a
 * word. */
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

static int change_mode(int parent, const char *name, mode_t mode)
{
	return (int)syscall(SYS_fchmodat2, parent, name, mode, AT_SYMLINK_NOFOLLOW);
}

static int failed(struct blit *blit, const struct entry *entry, const char *call)
{
	blit->failure = (struct blit_failure){
		.entry = (uint32_t)(entry - blit->layout->entries),
		.call = call,
		.error = errno,
	};
	return -blit->failure.error;
}

static int make_file(struct blit *blit, int parent, const struct entry *entry, const char *name)
{
	if (entry->asset == NO_ASSET) {
		int fd = openat(parent, name, O_CREAT | O_WRONLY | O_TRUNC, entry->mode);

		if (fd < 0)
			return failed(blit, entry, "openat");
		close(fd);
		return 0;
	}
	if (linkat(blit->store_fd, blit->asset_paths[entry->asset], parent, name, 0))
		return failed(blit, entry, "linkat");
	if (change_mode(parent, name, entry->mode))
		return failed(blit, entry, "fchmodat2");
	return 0;
}

static int make_entry(struct blit *blit, int parent, const struct entry *entry);

static int make_directory(struct blit *blit, int parent, const struct entry *entry,
			  const char *name)
{
	const struct entry *child = blit->layout->entries + entry->first_child;

	if (mkdirat(parent, name, entry->mode))
		return failed(blit, entry, "mkdirat");
	_cleanup_close_ int fd = openat(parent, name, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return failed(blit, entry, "openat");
	for (const struct entry *end = child + entry->child_count; child < end; child++) {
		int result = make_entry(blit, fd, child);

		if (result)
			return result;
	}
	return 0;
}

static int make_entry(struct blit *blit, int parent, const struct entry *entry)
{
	const char *name = entry_name(blit->layout, entry);

	switch ((enum entry_type)entry->type) {
	case ENTRY_DIRECTORY:
		return make_directory(blit, parent, entry, name);
	case ENTRY_SYMLINK:
		if (symlinkat(entry_link_text(blit->layout, entry), parent, name))
			return failed(blit, entry, "symlinkat");
		return 0;
	case ENTRY_FILE:
		return make_file(blit, parent, entry, name);
	}
	errno = EINVAL;
	return failed(blit, entry, "entry type");
}

static int moss2025_blit(struct blit *blit)
{
	return make_entry(blit, blit->staging_fd, &blit->layout->entries[0]);
}

static int moss2025_probe(int store_fd, int staging_fd)
{
	(void)staging_fd;
	/* A name that is not there: a kernel that knows the call says so, one before 6.6 says
	 * ENOSYS. */
	if (change_mode(store_fd, ".blitbench-probe", 0644) && errno == ENOSYS)
		return error_set(
			-EOPNOTSUPP,
			"this kernel has no fchmodat2 system call, which moss-2025 makes for every file: "
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
static void moss2025_expect_asset_modes(const struct layout *layout, uint16_t *asset_modes)
{
	layout_walk(layout, note_mode, asset_modes);
}

enum { MOSS2025_UMASK = 022 };

/* mkdir(2) takes no setuid and setgid bits; open(2) does. */
static uint16_t moss2025_made_mode(enum entry_type type, uint16_t mode)
{
	return mode & (type == ENTRY_DIRECTORY ? 01777 : 07777) & ~MOSS2025_UMASK;
}

const struct engine engine_moss2025 = {
	.name = "moss-2025",
	.umask = MOSS2025_UMASK,
	.parallel = false,
	.files_are_links = true,
	.probe = moss2025_probe,
	.blit = moss2025_blit,
	.expect_asset_modes = moss2025_expect_asset_modes,
	.made_mode = moss2025_made_mode,
};
