/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/inode_lists.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* Below the store's top, .moss/assets/v2. */
#define PARENT "../.."
#define NAME "inode-lists"

/* So many names of at most eight bytes fit into the inode of a directory of f2fs, which holds 182 */
enum { ASSETS_PER_LIST = 128, NAME_BYTES = 16 };

static int make_failed(const char *what, const char *name)
{
	return error_set(-errno, "cannot make .moss/" NAME "/%s: %s: %s", name, what,
			 strerror(errno));
}

static int make_list(int lists_fd, int store_fd, const char (*asset_paths)[STORE_PATH_BYTES],
		     const struct handles *handles, uint32_t first)
{
	char name[NAME_BYTES];

	snprintf(name, sizeof(name), "%x", first / ASSETS_PER_LIST);
	if (mkdirat(lists_fd, name, 0700))
		return make_failed("mkdir", name);
	_cleanup_close_ int fd = openat(lists_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return make_failed("open", name);
	for (uint32_t i = first; i < handles->count && i < first + ASSETS_PER_LIST; i++) {
		uint32_t asset = handles->order[i].asset;
		char link[NAME_BYTES];

		snprintf(link, sizeof(link), "%x", asset);
		if (linkat(store_fd, asset_paths[asset], fd, link, 0))
			return make_failed("link", name);
	}
	return 0;
}

int inode_lists_make(int store_fd, const char (*asset_paths)[STORE_PATH_BYTES],
		     const struct handles *handles)
{
	_cleanup_close_ int parent = openat(store_fd, PARENT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (parent < 0)
		return make_failed("open", "..");
	int result = tree_clear(parent, NAME);
	if (result)
		return result;
	if (mkdirat(parent, NAME, 0700))
		return make_failed("mkdir", "");
	_cleanup_close_ int lists = openat(parent, NAME, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lists < 0)
		return make_failed("open", "");
	for (uint32_t first = 0; !result && first < handles->count; first += ASSETS_PER_LIST)
		result = make_list(lists, store_fd, asset_paths, handles, first);
	return result;
}

/* --- within the blit --- */

struct listing {
	int lists_fd;
	uint32_t count;
	uint32_t next, listed; /* atomic */
};

static bool list(int lists_fd, uint32_t number)
{
	/* The names of one list, whatever they are: of 32 bytes at most each. */
	char entries[ASSETS_PER_LIST * 48], name[NAME_BYTES];
	long got;

	snprintf(name, sizeof(name), "%x", number);
	_cleanup_close_ int fd = openat(lists_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return false;
	while ((got = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
		;
	return !got;
}

static void list_some(void *context, unsigned number)
{
	struct listing *listing = context;
	uint32_t next;

	(void)number;
	while ((next = __atomic_fetch_add(&listing->next, 1, __ATOMIC_RELAXED)) < listing->count)
		if (list(listing->lists_fd, next))
			__atomic_fetch_add(&listing->listed, 1, __ATOMIC_RELAXED);
}

unsigned inode_lists_read(int store_fd, uint32_t assets, struct crew *crew)
{
	_cleanup_close_ int lists_fd =
		openat(store_fd, PARENT "/" NAME, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct listing listing = {
		.lists_fd = lists_fd,
		.count = (assets + ASSETS_PER_LIST - 1) / ASSETS_PER_LIST,
	};

	if (lists_fd >= 0)
		crew_run(crew, list_some, &listing);
	return listing.listed;
}
