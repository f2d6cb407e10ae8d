/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moss of August 2026, by all threads, without a umask and without write bits on any file. A file
 * with content:
 *
 * hardlink: openat of the asset; fstat; fchmod, only if its mode has not all of the file's bits, or
 * write bits; linkat of the descriptor; close.
 *
 * reflink: openat of the asset; openat of a new file; fchmod, only for setuid, setgid or sticky;
 * FICLONE; fchown, only as root and where neither owner nor group is root; close, twice.
 *
 * copy: as reflink, with copy_file_range until nothing is left in place of FICLONE; from Linux 5.19
 * on it refuses to go from one filesystem to another, and Rust's library then does sendfile until
 * nothing is left.
 */
#include "blit/rows.h"
#include "blit/timed.h"
#include "blit/walk.h"
#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { COPY_BYTES = 1 << 30 };

/* --- the calls --- */

static int hardlink(struct blit *blit, int parent, const struct entry *entry, const char *name)
{
	struct stat status;

	_cleanup_blit_close_ int source =
		blit_open_asset(blit->store_fd, blit->asset_paths[entry->asset], O_RDONLY);
	if (source < 0)
		return blit_failed(blit, entry, "openat");
	if (blit_fstat(source, &status))
		return blit_failed(blit, entry, "fstat");
	mode_t mode = status.st_mode & 07777, wanted = moss2026_link_mode(mode, entry->mode);
	if (mode != wanted && blit_fchmod(source, wanted))
		return blit_failed(blit, entry, "fchmod");
	if (blit_linkat(source, "", parent, name, AT_EMPTY_PATH))
		return blit_failed(blit, entry, "linkat");
	return 0;
}

static int clone(int source, int target, const char **call)
{
	*call = "ioctl(FICLONE)";
	return blit_ficlone(source, target);
}

static int copy(int source, int target, const char **call)
{
	ssize_t copied;

	*call = "copy_file_range";
	do
		copied = blit_copy_file_range(source, target, COPY_BYTES);
	while (copied > 0);
	if (copied == 0 || errno != EXDEV)
		return (int)copied;
	*call = "sendfile";
	do
		copied = blit_sendfile(source, target, COPY_BYTES);
	while (copied > 0);
	return (int)copied;
}

static int new_file(struct blit *blit, int parent, const struct entry *entry, const char *name,
		    int (*fill)(int source, int target, const char **call))
{
	mode_t mode = entry->mode & ~MOSS2026_STRIPPED;
	const char *call;

	_cleanup_blit_close_ int source =
		blit_open_asset(blit->store_fd, blit->asset_paths[entry->asset], O_RDONLY);
	if (source < 0)
		return blit_failed(blit, entry, "openat");
	_cleanup_blit_close_ int target =
		blit_open_new(parent, name, O_CREAT | O_EXCL | O_WRONLY, mode);
	if (target < 0)
		return blit_failed(blit, entry, "openat");
	if (mode & 07000 && blit_fchmod(target, mode))
		return blit_failed(blit, entry, "fchmod");
	if (fill(source, target, &call))
		return blit_failed(blit, entry, call);
	if (blit->root && entry->uid && entry->gid && blit_fchown(target, entry->uid, entry->gid))
		return blit_failed(blit, entry, "fchown");
	return 0;
}

static int reflink(struct blit *blit, int parent, const struct entry *entry, const char *name)
{
	return new_file(blit, parent, entry, name, clone);
}

static int copy_file(struct blit *blit, int parent, const struct entry *entry, const char *name)
{
	return new_file(blit, parent, entry, name, copy);
}

static int moss2026_blit(struct blit *blit)
{
	static const walk_file makers[STRATEGIES] = {
		[STRATEGY_HARDLINK] = hardlink,
		[STRATEGY_REFLINK] = reflink,
		[STRATEGY_COPY] = copy_file,
	};

	return walk_tree(blit, makers[blit->strategy], MOSS2026_STRIPPED);
}

/* --- whether they work --- */

#define PROBE ".blitbench-probe"

/* Links or clones a new file of the store beside the tree that is to be made; neither stays.
 * Negative errno, without a sentence. */
static int try_between(int store_fd, int staging_fd, bool clones)
{
	const char *call;
	int result;

	_cleanup_close_ int source = openat(store_fd, PROBE, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
	if (source < 0)
		return -errno;
	if (clones) {
		_cleanup_close_ int target =
			openat(staging_fd, PROBE, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

		result = target < 0 || clone(source, target, &call) ? -errno : 0;
	} else {
		result = linkat(source, "", staging_fd, PROBE, AT_EMPTY_PATH) ? -errno : 0;
	}
	unlinkat(store_fd, PROBE, 0);
	unlinkat(staging_fd, PROBE, 0);
	return result;
}

int moss2026_probe_link(int store_fd, int staging_fd)
{
	int result = try_between(store_fd, staging_fd, false);

	if (result == -EXDEV)
		return error_set(-EOPNOTSUPP, "the store is on another filesystem, to which there "
					      "are no hard links: use strategy copy");
	if (result)
		return error_set(
			-EOPNOTSUPP,
			"linkat with AT_EMPTY_PATH does not work here (%s): be root, or run "
			"Linux 6.10 or later",
			strerror(-result));
	return 0;
}

static int probe_reflink(int store_fd, int staging_fd)
{
	int result = try_between(store_fd, staging_fd, true);

	if (result)
		return error_set(
			-EOPNOTSUPP,
			"FICLONE does not work on this filesystem (%s): reflinks need xfs or "
			"btrfs",
			strerror(-result));
	return 0;
}

static int probe_copy(int store_fd, int staging_fd)
{
	struct stat store, staging;

	if (fstat(store_fd, &store) || fstat(staging_fd, &staging))
		return error_set(-errno, "cannot look at the store: %s", strerror(errno));
	if (store.st_dev == staging.st_dev)
		return error_set(-EOPNOTSUPP,
				 "the store is on the same filesystem, where moss never copies and "
				 "copy_file_range may be a reflink: use hardlink or reflink");
	return 0;
}

/* As moss chooses: what works first of reflink, hardlink and, where the store is elsewhere, copy.
 */
static enum strategy choose(int store_fd, int staging_fd)
{
	if (!try_between(store_fd, staging_fd, true))
		return STRATEGY_REFLINK;
	return try_between(store_fd, staging_fd, false) == -EXDEV ? STRATEGY_COPY
								  : STRATEGY_HARDLINK;
}

static int moss2026_probe(enum strategy *strategy, int store_fd, int staging_fd)
{
	static int (*const probes[STRATEGIES])(int store_fd, int staging_fd) = {
		[STRATEGY_HARDLINK] = moss2026_probe_link,
		[STRATEGY_REFLINK] = probe_reflink,
		[STRATEGY_COPY] = probe_copy,
	};

	if (*strategy == STRATEGY_AUTO)
		*strategy = choose(store_fd, staging_fd);
	return probes[*strategy](store_fd, staging_fd);
}

/* --- what is left behind --- */

/* A link takes no bit away that another name of the inode needs, but for the write bits. */
uint16_t moss2026_link_mode(uint16_t asset_mode, uint16_t mode)
{
	return (asset_mode | mode) & ~MOSS2026_STRIPPED;
}

void moss2026_expect_asset_modes(const struct blit_method *method, const struct layout *layout,
				 uint16_t *asset_modes)
{
	for (uint32_t i = 0; i < layout->entry_count && method_links(method); i++) {
		const struct entry *entry = &layout->entries[i];

		if (entry->type == ENTRY_FILE && entry->asset != NO_ASSET)
			asset_modes[entry->asset] =
				moss2026_link_mode(asset_modes[entry->asset], entry->mode);
	}
}

/* chown(2) takes setuid away, and setgid from what the group may execute, also from root's files.
 */
static uint16_t after_chown(uint16_t mode)
{
	return mode & ~(S_ISUID | (mode & S_IXGRP ? S_ISGID : 0));
}

/* mkdir(2) takes no setuid and setgid bits. */
uint16_t moss2026_made_mode(const struct entry *entry)
{
	uint16_t mode = entry->mode & ~MOSS2026_STRIPPED;

	if (entry->type == ENTRY_DIRECTORY)
		return entry->mode & 01777;
	if (entry->asset != NO_ASSET && entry->uid && entry->gid && !geteuid())
		return after_chown(mode);
	return mode;
}

const struct engine engine_moss2026 = {
	.name = "moss-2026",
	.umask = 0,
	.parallel = true,
	.strategies = 1u << STRATEGY_HARDLINK | 1u << STRATEGY_REFLINK | 1u << STRATEGY_COPY,
	.probe = moss2026_probe,
	.blit = moss2026_blit,
	.expect_asset_modes = moss2026_expect_asset_modes,
	.made_mode = moss2026_made_mode,
};
