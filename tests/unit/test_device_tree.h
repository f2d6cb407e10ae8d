/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hand-written machines: a folder with sys/, proc/ and dev/ as the kernel would show them. */
#ifndef BLITBENCH_TEST_DEVICE_TREE_H
#define BLITBENCH_TEST_DEVICE_TREE_H

#include "scratch.h"

#include "disk/device.h"
#include "lib/error.h"
#include "lib/tree.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[40];

static inline int make_top(void **state)
{
	(void)state;
	return scratch_make(top, "disk");
}

static inline int remove_top(void **state)
{
	(void)state;
	return tree_remove(AT_FDCWD, top);
}

/* Makes the folders above a path. */
static inline void make_above(const char *path)
{
	char above[1024];

	snprintf(above, sizeof(above), "%s", path);
	for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(above, 0755);
		*slash = '/';
	}
}

static inline void put_bytes(const char *path, const void *bytes, size_t length)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s%s", top, path);
	make_above(whole);
	FILE *file = fopen(whole, "w");
	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	fclose(file);
}

/* put("/sys/…/size", "%d\n", 7) */
static inline __attribute__((format(printf, 2, 3))) void put(const char *path, const char *format,
							     ...)
{
	char text[4096];
	va_list arguments;

	va_start(arguments, format);
	int length = vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	put_bytes(path, text, (size_t)length);
}

static inline void put_link(const char *path, const char *target)
{
	char whole[1024];

	snprintf(whole, sizeof(whole), "%s%s", top, path);
	make_above(whole);
	assert_int_equal(symlink(target, whole), 0);
}

/* A file below a device's folder in sysfs, reached by its name. */
static inline void put_of(const char *device, const char *file, const char *text)
{
	char path[512];

	snprintf(path, sizeof(path), "/sys/class/block/%s/%s", device, file);
	put(path, "%s\n", text);
}

/*
 * A whole disk at /sys/devices/BUS/block/NAME, "device" pointing at /sys/devices/BUS. number is
 * "8:0".
 */
static inline void put_disk(const char *bus, const char *name, const char *number,
			    unsigned long long sectors)
{
	char path[512], target[512];

	snprintf(path, sizeof(path), "/sys/devices/%s/block/%s/dev", bus, name);
	put(path, "%s\n", number);
	snprintf(path, sizeof(path), "/sys/devices/%s/block/%s/device", bus, name);
	put_link(path, "../..");
	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	snprintf(target, sizeof(target), "../../devices/%s/block/%s", bus, name);
	put_link(path, target);
	snprintf(path, sizeof(path), "%llu", sectors);
	put_of(name, "size", path);
	put_of(name, "ro", "0");
	put_of(name, "removable", "0");
	put_of(name, "queue/rotational", "0");
	put_of(name, "queue/logical_block_size", "512");
	put_of(name, "queue/physical_block_size", "4096");
}

static inline void put_partition(const char *bus, const char *disk, const char *name,
				 const char *number, unsigned index, const char *uevent)
{
	char path[512], target[512], text[32];

	snprintf(path, sizeof(path), "/sys/devices/%s/block/%s/%s/dev", bus, disk, name);
	put(path, "%s\n", number);
	snprintf(path, sizeof(path), "/sys/class/block/%s", name);
	snprintf(target, sizeof(target), "../../devices/%s/block/%s/%s", bus, disk, name);
	put_link(path, target);
	snprintf(text, sizeof(text), "%u", index);
	put_of(name, "partition", text);
	put_of(name, "start", "2048");
	put_of(name, "size", "20480");
	put_of(name, "ro", "0");
	put_of(name, "uevent", uevent);
}

/* The files a machine always has. */
static inline void put_proc(const char *mounts, const char *swaps)
{
	put("/proc/self/mountinfo", "%s", mounts);
	put("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n%s", swaps);
}

static inline const struct block_device *find_device(const struct device_list *list,
						     const char *name)
{
	for (size_t i = 0; i < list->count; i++)
		if (!strcmp(list->devices[i].name, name))
			return &list->devices[i];
	return NULL;
}

#endif
