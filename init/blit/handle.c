/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A way that no moss has gone yet: assets are found by file handle, so that the store's directories
 * are never read. Once, when the store has been filled: name_to_handle_at of each asset, and the
 * table of them is written beside the store. Then, all of it within the timer:
 *
 *  1. the table is read, and sorted by inode number
 *  2. if a sample of the inodes had to be read from the disk, threads of their own bring all of them
 * in as they lie there: by open_by_handle_at and close of one in each block of the inode table; on xfs
 * by XFS_IOC_BULKSTAT of one in each chunk; on f2fs by listing directories that hold them in that order
 *  3. the tree; a file with content is open_by_handle_at; fstat; fchmodat2, only if moss of 2026
 * would change the mode; linkat of the descriptor; close
 *
 * A handle that is stale gives way to openat of the asset's path, and is counted.
 */
#include "blit/calls.h"
#include "blit/crew.h"
#include "blit/handles.h"
#include "blit/inode_chunks.h"
#include "blit/inode_lists.h"
#include "blit/rows.h"
#include "blit/timed.h"
#include "blit/walk.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

/* A sample of so many is enough to tell whether the caches are warm. Inodes whose numbers are alike
 * but for so many bits come in together. */
enum { ASSETS_AT_ONCE = 64, SAMPLE = 64, READERS = 16, BLOCK_INODE_BITS = 4 };

/* How inodes are best brought in. */
enum inode_source { INODES_OPENED, INODES_BY_CHUNKS, INODES_BY_LISTS };

struct handle_blit {
	struct handles handles;
	const struct blit *blit;
	enum inode_source source;
	unsigned listed; /* directories */
	uint32_t next;  /* atomic: place in the order of inodes */
	uint32_t stale; /* atomic */
};

static enum inode_source inode_source(int fd)
{
	struct statfs status = { .f_type = 0 };

	fstatfs(fd, &status);
	switch (status.f_type) {
	case XFS_SUPER_MAGIC:
		return INODES_BY_CHUNKS;
	case F2FS_SUPER_MAGIC:
		return INODES_BY_LISTS;
	default:
		return INODES_OPENED;
	}
}

static int make_inode_lists(const struct blit *blit)
{
	struct handles handles;
	int result = handles_load(&handles, blit->store_fd, blit->asset_count);

	if (!result)
		result = handles_sort(&handles);
	if (!result)
		result = inode_lists_make(blit->store_fd, blit->asset_paths, &handles);
	handles_free(&handles);
	return result;
}

static int handle_prepare(const struct blit *blit)
{
	int result = handles_save(blit->store_fd, blit->asset_paths, blit->asset_count);

	return !result && inode_source(blit->store_fd) == INODES_BY_LISTS ? make_inode_lists(blit) :
									    result;
}

/* What cannot be opened here is found out and told where it is linked. */
static void touch(const struct handle_blit *own, uint32_t place)
{
	int fd = blit_read_inode(&own->handles, own->blit->store_fd,
				 own->handles.order[place].asset);

	if (fd >= 0)
		blit_close(fd);
}

/* And its neighbours. */
static void read_group(const struct handle_blit *own, uint32_t place)
{
	uint64_t inode = own->handles.order[place].inode;

	if (own->source != INODES_BY_CHUNKS || blit_read_chunk(own->blit->store_fd, inode))
		touch(own, place);
}

static void bring_in(void *context, unsigned number)
{
	struct handle_blit *own = context;
	const struct inode_order *order = own->handles.order;
	unsigned bits = own->source == INODES_BY_CHUNKS ? INODE_CHUNK_BITS : BLOCK_INODE_BITS;
	uint32_t count = own->handles.count, first;

	blit_join(own->blit, number);
	while ((first = __atomic_fetch_add(&own->next, ASSETS_AT_ONCE, __ATOMIC_RELAXED)) < count) {
		uint64_t last = UINT64_MAX;

		for (uint32_t i = first; i < count && i < first + ASSETS_AT_ONCE; i++) {
			if (order[i].inode >> bits != last)
				read_group(own, i);
			last = order[i].inode >> bits;
		}
	}
}

/* Opening an inode that is not in memory makes the thread read, and the kernel counts that. */
static long blocks_read(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_inblock;
}

static bool is_cold(const struct handle_blit *own)
{
	uint64_t count = own->handles.count;
	long before = blocks_read();

	for (unsigned i = 0; i < SAMPLE && count; i++) {
		touch(own, (uint32_t)(i * count / SAMPLE));
		if (i % 16 == 0 && blocks_read() != before)
			return true;
	}
	return blocks_read() != before;
}

static int bring_in_inodes(struct handle_blit *own)
{
	struct crew *readers;
	int result;

	if (!is_cold(own))
		return 0;
	result = crew_start(&readers, READERS);
	if (result)
		return result;
	if (own->source != INODES_BY_LISTS)
		crew_run(readers, bring_in, own);
	else
		own->listed = inode_lists_read(own->blit->store_fd, own->handles.count, readers);
	crew_end(&readers);
	return 0;
}

/* moss of 2026's, on a descriptor that is only a place. */
static int link_place(struct blit *blit, const struct entry *entry, int place, int parent,
		      const char *name)
{
	struct stat status;

	if (blit_fstat(place, &status))
		return blit_failed(blit, entry, "fstat");
	mode_t mode = status.st_mode & 07777, wanted = moss2026_link_mode(mode, entry->mode);
	if (mode != wanted && blit_fchmodat2(place, "", wanted, AT_EMPTY_PATH))
		return blit_failed(blit, entry, "fchmodat2");
	if (blit_linkat(place, "", parent, name, AT_EMPTY_PATH))
		return blit_failed(blit, entry, "linkat");
	return 0;
}

static int make_file(struct blit *blit, int parent, const struct entry *entry, const char *name)
{
	struct handle_blit *own = blit->own;

	_cleanup_blit_close_ int place =
		blit_open_by_handle_at(&own->handles, blit->store_fd, entry->asset);
	if (place < 0 && errno != ESTALE)
		return blit_failed(blit, entry, "open_by_handle_at");
	if (place < 0) {
		__atomic_fetch_add(&own->stale, 1, __ATOMIC_RELAXED);
		place = blit_open_asset(blit->store_fd, blit->asset_paths[entry->asset], O_PATH);
	}
	if (place < 0)
		return blit_failed(blit, entry, "openat");
	return link_place(blit, entry, place, parent, name);
}

static int run(struct blit *blit, struct handle_blit *own)
{
	double began = clock_seconds();
	int result = handles_load(&own->handles, blit->store_fd, blit->asset_count);
	double loaded = clock_seconds();

	if (!result)
		result = handles_sort(&own->handles);
	if (result)
		return result;
	double sorted = clock_seconds();
	result = bring_in_inodes(own);
	if (result)
		return result;
	double brought_in = clock_seconds();
	result = walk_tree(blit, make_file, MOSS2026_STRIPPED);
	blit_tell(blit, "table_bytes", (double)own->handles.table_bytes);
	blit_tell(blit, "load_seconds", loaded - began);
	blit_tell(blit, "sort_seconds", sorted - loaded);
	blit_tell(blit, "inodes_seconds", brought_in - sorted);
	blit_tell(blit, "stale", own->stale);
	if (own->source == INODES_BY_LISTS)
		blit_tell(blit, "listed", own->listed);
	return result;
}

static int handle_blit(struct blit *blit)
{
	struct handle_blit own = { .blit = blit,
				   .source = inode_source(blit->store_fd) };

	blit->own = &own;
	int result = run(blit, &own);
	handles_free(&own.handles);
	return result;
}

#define PROBE ".blitbench-probe"

static int handle_probe(enum strategy *strategy, int store_fd, int staging_fd)
{
	int result = moss2026_probe_link(store_fd, staging_fd);

	(void)strategy;
	if (result)
		return result;
	_cleanup_close_ int file = openat(store_fd, PROBE, O_CREAT | O_RDWR | O_CLOEXEC, 0644);
	_cleanup_close_ int place = handles_reopen(store_fd, PROBE);
	int error = errno;
	bool no_chmod = place >= 0 && call_fchmodat2(place, "", 0644, AT_EMPTY_PATH);
	unlinkat(store_fd, PROBE, 0);
	if (place < 0)
		return error_set(-EOPNOTSUPP,
				 "files cannot be opened by handle here (%s): be root, on a "
				 "filesystem that NFS could export",
				 strerror(error));
	if (no_chmod)
		return error_set(-EOPNOTSUPP, "this kernel has no fchmodat2 with AT_EMPTY_PATH: "
					      "run Linux 6.6 or later");
	return 0;
}

const struct engine engine_handle = {
	.name = "handle",
	.umask = 0,
	.parallel = true,
	.strategies = 1u << STRATEGY_HARDLINK,
	.probe = handle_probe,
	.prepare = handle_prepare,
	.blit = handle_blit,
	.expect_asset_modes = moss2026_expect_asset_modes,
	.made_mode = moss2026_made_mode,
};
