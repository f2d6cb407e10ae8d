/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/site.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

static int open_one(int *fd, int at, const char *top, const char *path)
{
	*fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return *fd < 0 ? error_set(-errno, "cannot open %s/%s: %s", top, path, strerror(errno)) : 0;
}

static int open_root(struct site *site)
{
	if (site->directory_fd >= 0)
		return open_one(&site->root_fd, site->directory_fd, site->path, ".");
	return open_one(&site->root_fd, AT_FDCWD, "", site->path);
}

/* A directory may hand down to what is made in it: setgid, a default ACL. The modes of the trees
 * would be others than the engines', so all is made below one that hands down nothing. */
static void hand_down_nothing(int root)
{
	_cleanup_close_ int fd = openat(root, ".moss", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	(void)fremovexattr(fd, "system.posix_acl_default");
	(void)fchmod(fd, 0755);
}

static int make_skeleton(struct site *site)
{
	static const char *const directories[] = {
		".moss", ".moss/assets", ".moss/assets/v2", ".moss/root", ".moss/root/staging",
	};

	int result = open_root(site);
	if (result)
		return result;
	for (size_t i = 0; i < ARRAY_LENGTH(directories); i++) {
		if (mkdirat(site->root_fd, directories[i], 0755))
			return error_set(-errno, "cannot make %s/%s: %s", site->path,
					 directories[i], strerror(errno));
		if (!i)
			hand_down_nothing(site->root_fd);
		site->made = true;
	}
	return 0;
}

/* A mount of the same directory that nobody else sees, and that goes with its descriptor. musl 1.2.5
 * wraps neither call. */
static int open_silently(int directory)
{
	struct mount_attr silent = { .attr_set = MOUNT_ATTR_NOATIME,
				     .attr_clr = MOUNT_ATTR__ATIME };
	int fd = (int)syscall(SYS_open_tree, directory, "",
			      AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	if (fd >= 0 && syscall(SYS_mount_setattr, fd, "", AT_EMPTY_PATH, &silent, sizeof(silent)))
		close(take_fd(&fd));
	return fd;
}

static int open_view(struct site *site)
{
	site->view_fd = open_silently(site->root_fd);
	site->view_leaves_traces = site->view_fd < 0;
	return site->view_leaves_traces ? open_one(&site->view_fd, site->root_fd, site->path, ".")
					: 0;
}

int site_open(struct site *site)
{
	int result = site->root_fd < 0 ? open_root(site) : 0;

	if (!result)
		result = open_view(site);
	if (!result)
		result = open_one(&site->store_fd, site->root_fd, site->path, ".moss/assets/v2");
	if (!result)
		result = open_one(&site->states_fd, site->root_fd, site->path, ".moss/root");
	if (!result)
		result = open_one(&site->staging_fd, site->root_fd, site->path,
				  ".moss/root/staging");
	if (result)
		site_close(site);
	return result;
}

void site_close(struct site *site)
{
	int *const descriptors[] = { &site->root_fd, &site->store_fd, &site->states_fd,
				     &site->staging_fd, &site->view_fd };

	for (size_t i = 0; i < ARRAY_LENGTH(descriptors); i++) {
		int fd = take_fd(descriptors[i]);

		if (fd >= 0)
			close(fd);
	}
}

int site_learn_assets(struct site *site)
{
	const struct contents *contents = &site->workload->contents;

	site->prepared_for = NULL;
	for (uint32_t i = 0; i < contents->count; i++) {
		struct stat status;

		if (fstatat(site->store_fd, site->asset_paths[i], &status, AT_SYMLINK_NOFOLLOW))
			return error_set(-errno,
					 "cannot find asset %s in the store just filled: %s",
					 site->asset_paths[i], strerror(errno));
		if (!S_ISREG(status.st_mode) || (uint64_t)status.st_size != contents->list[i].size)
			return error_set(
				-EIO, "asset %s has %lld bytes in the store just filled, not %llu",
				site->asset_paths[i], (long long)status.st_size,
				(unsigned long long)contents->list[i].size);
		site->asset_inodes[i] = status.st_ino;
		site->asset_modes[i] = status.st_mode & 07777;
	}
	return 0;
}

int site_create(struct site *site, int directory_fd, const char *path, const char *stat_path,
		const struct workload *workload, const struct fanout *fanout)
{
	uint32_t assets = workload->contents.count;

	*site = SITE_CLOSED;
	site->directory_fd = directory_fd;
	site->path = path;
	site->stat_path = stat_path;
	site->workload = workload;
	site->fanout = fanout;
	site->oldest_state = 1;
	site->asset_paths = store_paths(fanout, &workload->contents);
	site->asset_inodes = calloc(assets + 1, sizeof(*site->asset_inodes));
	site->asset_modes = calloc(assets + 1, sizeof(*site->asset_modes));
	if (!site->asset_paths || !site->asset_inodes || !site->asset_modes)
		return error_set(-ENOMEM, "out of memory for the paths and inodes of %u assets",
				 assets);
	int result = make_skeleton(site);
	return result ? result : site_open(site);
}

int site_fill(struct site *site, const struct contents *contents, uint64_t seed, unsigned writers,
	      const struct progress *progress, struct populate_result *populated)
{
	const struct populate_request request = {
		.store_fd = site->store_fd,
		.fanout = site->fanout,
		.contents = contents,
		.seed = seed,
		.writers = writers,
		.progress = progress,
	};

	site->prepared_for = NULL;
	return store_populate(&request, populated);
}

int site_freeze(const struct site *site)
{
	if (ioctl(site->root_fd, FIFREEZE, 0))
		return error_set(-errno, "cannot freeze %s: %s", site->path, strerror(errno));
	return 0;
}

int site_thaw(const struct site *site)
{
	if (ioctl(site->root_fd, FITHAW, 0))
		return error_set(-errno, "cannot thaw %s: %s", site->path, strerror(errno));
	return 0;
}

int site_settle(struct site *site)
{
	int result = 0;

	if (syncfs(site->root_fd))
		return error_set(-errno, "cannot sync %s: %s", site->path, strerror(errno));
	if (site->can_freeze) {
		result = site_freeze(site);
		result = result ? result : site_thaw(site);
	}
	if (!result && site->stat_path)
		result = quiet_begin(site->stat_path, &site->quiet);
	site->settled = !result;
	return result;
}

void site_free(struct site *site)
{
	site_close(site);
	free(site->asset_paths);
	free(site->asset_inodes);
	free(site->asset_modes);
	for (uint64_t id = 0; id < site->last_count; id++)
		free(site->last_needed[id].paths);
	free(site->last_needed);
	*site = SITE_CLOSED;
}
