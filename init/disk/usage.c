/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses a device: mounts, swap, holders (dm, md, bcache), loop devices, exclusive openers. */
#include "disk/scan.h"
#include "disk/words.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/loop.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The kernel writes blanks and the like in these files as \040. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		unsigned value;

		if (from[0] == '\\' && sscanf(from + 1, "%3o", &value) == 1 &&
		    strspn(from + 1, "01234567") >= 3) {
			*to++ = (char)value;
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

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

/* proc_pid_mountinfo(5): "36 35 98:0 /root /mount/point options optional... - type source ..." */
static void read_mount(const struct scan *scan, char *line)
{
	unsigned major_number, minor_number;
	char source[PATH_MAX];
	struct block_device *device;

	if (sscanf(line, "%*d %*d %u:%u", &major_number, &minor_number) == 2 &&
	    (device = find_number(scan, makedev(major_number, minor_number))))
		device->mounted = true;
	/* btrfs shows a number of its own instead of the partition's. */
	const char *separator = strstr(line, " - ");
	if (separator && sscanf(separator + 3, "%*s %4095s", source) == 1) {
		unescape(source);
		device = find_node(scan, source);
		if (device)
			device->mounted = true;
	}
}

static void read_swap(const struct scan *scan, char *line)
{
	line[strcspn(line, " \t")] = '\0';
	unescape(line);
	struct block_device *device = find_node(scan, line);
	if (device)
		device->swap = true;
}

static int each_line(const struct scan *scan, const char *file, bool needed,
		     void (*read_line)(const struct scan *scan, char *line))
{
	_cleanup_free_ char *text = sysfs_slurp(scan->root, "%s", file);
	char *rest = text, *line;

	if (!text && !needed && errno == ENOENT)
		return 0; /* a kernel without it */
	if (!text)
		return error_set(-errno, "cannot read %s%s, so it is not known what is in use: %s",
				 scan->root, file, strerror(errno));
	while ((line = strsep(&rest, "\n")))
		if (*line)
			read_line(scan, line);
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
	int result = each_line(scan, "/proc/self/mountinfo", true, read_mount);
	if (!result)
		result = each_line(scan, "/proc/swaps", false, read_swap);
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
