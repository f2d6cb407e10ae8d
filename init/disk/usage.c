/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses a device: mounts, swap, holders (dm, md, bcache), loop devices, exclusive openers. */
#include "disk/scan.h"
#include "disk/words.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/mounts.h"
#include "lib/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

static struct block_device *find_number(const struct scan *scan, dev_t number)
{
	for (size_t i = 0; i < scan->list->count; i++)
		if (scan->list->devices[i].number == number)
			return &scan->list->devices[i];
	return NULL;
}

/* By the number of the node, else by its name: the node may be gone while the device is in use. */
static struct block_device *find_node(const struct scan *scan, const char *node)
{
	char path[PATH_MAX];
	struct stat status;

	if (node[0] != '/')
		return NULL;
	if (snprintf(path, sizeof(path), "%s%s", scan->root, node) < (int)sizeof(path) &&
	    !stat(path, &status))
		return S_ISBLK(status.st_mode) ? find_number(scan, status.st_rdev) : NULL;
	if (strncmp(node, "/dev/", 5))
		return NULL;
	snprintf(path, sizeof(path), "%s", node + 5);
	for (char *at = path; *at; at++)
		if (*at == '/')
			*at = '!';
	for (size_t i = 0; i < scan->list->count; i++)
		if (!strcmp(scan->list->devices[i].name, path))
			return &scan->list->devices[i];
	return NULL;
}

/* btrfs shows a number of its own instead of the partition's, hence also the source. */
static bool note_mount(void *context, const struct mounted *mounted)
{
	const struct scan *scan = context;
	struct block_device *devices[] = { find_number(scan, mounted->number),
					   find_node(scan, mounted->source) };

	for (size_t i = 0; i < ARRAY_LENGTH(devices); i++)
		if (devices[i])
			devices[i]->mounted = true;
	return false;
}

static int read_mounts(const struct scan *scan)
{
	int result = mounts_each(scan->root, note_mount, (void *)scan);

	if (!result)
		return 0;
	return error_set(result,
			 "cannot read %s/proc/self/mountinfo, so it is not known what is in use: %s",
			 scan->root, strerror(-result));
}

/* A kernel may be without swap. */
static int read_swaps(const struct scan *scan)
{
	_cleanup_free_ char *text = sysfs_slurp(scan->root, "/proc/swaps");
	char *rest = text, *line;

	if (!text && errno == ENOENT)
		return 0;
	if (!text)
		return error_set(-errno,
				 "cannot read %s/proc/swaps, so it is not known what is in use: %s",
				 scan->root, strerror(errno));
	while ((line = strsep(&rest, "\n"))) {
		line[strcspn(line, " \t")] = '\0';
		mounts_unescape(line);
		struct block_device *device = find_node(scan, line);
		if (device)
			device->swap = true;
	}
	return 0;
}

/* Names are few and short; "..." stands for those that do not fit. */
static void add_holders(char holders[128], const char *names)
{
	struct words words = { .text = holders, .size = 128, .used = strlen(holders) };

	if (*names)
		words_add(&words, "%s%s", *holders ? " " : "", names);
}

static void read_holders(const struct scan *scan, size_t index, char holders[128])
{
	char path[PATH_MAX];
	struct dirent *entry;

	if (snprintf(path, sizeof(path), "%s/holders", scan->paths[index]) >= (int)sizeof(path))
		return;
	_cleanup_closedir_ DIR *directory = opendir(path);
	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			add_holders(holders, entry->d_name);
}

/* A loop device on top of another device is not told under its holders. */
static void read_loop(const struct scan *scan, size_t index, char (*own)[128])
{
	const struct block_device *loop = &scan->list->devices[index];
	const struct block_device *backing = NULL;
	struct loop_info64 info;
	char file[PATH_MAX];

	if (sysfs_read(file, sizeof(file), scan->root, "/sys/class/block/%s/loop/backing_file",
		       loop->name))
		return;
	_cleanup_close_ int fd = scan_open_node(scan, loop, 0);
	if (fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0 && info.lo_rdevice)
		backing = find_number(scan, (dev_t)info.lo_rdevice);
	if (!backing)
		backing = find_node(scan, file);
	if (backing)
		add_holders(own[backing - scan->list->devices], loop->name);
}

static void spread_holders(const struct scan *scan, char (*own)[128])
{
	for (size_t i = 0; i < scan->list->count; i++)
		add_holders(scan->list->devices[i].holders, own[i]);
	for (size_t i = 0; i < scan->list->count; i++) {
		struct block_device *device = &scan->list->devices[i];

		if (!device->is_partition || device->disk < 0)
			continue;
		add_holders(scan->list->devices[device->disk].holders, own[i]);
		add_holders(device->holders, own[device->disk]);
	}
}

int scan_usage(const struct scan *scan)
{
	size_t count = scan->list->count;
	_cleanup_free_ char (*own)[128] = calloc(count + 1, sizeof(*own));

	if (!own)
		return error_set(-ENOMEM, "out of memory while reading who holds %zu devices",
				 count);
	int result = read_mounts(scan);
	if (!result)
		result = read_swaps(scan);
	if (result)
		return result;
	for (size_t i = 0; i < count; i++) {
		read_holders(scan, i, own[i]);
		read_loop(scan, i, own);
	}
	spread_holders(scan, own);
	for (size_t i = 0; i < count; i++) {
		struct block_device *device = &scan->list->devices[i];

		if (!device->is_partition || device->mounted || !device->size_bytes)
			continue;
		errno = 0;
		_cleanup_close_ int fd = scan_open_node(scan, device, O_EXCL);
		device->busy = fd < 0 && errno == EBUSY;
	}
	return 0;
}
