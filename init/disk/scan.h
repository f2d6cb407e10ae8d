/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of devices_scan; for disk/ only. */
#ifndef BLITBENCH_DISK_SCAN_H
#define BLITBENCH_DISK_SCAN_H

#include "disk/device.h"

struct scan {
	struct device_list *list;
	char **paths; /* the real path in sysfs of each device of the list; it begins with root */
	const char *root;
};

/* The device's node, opened read-only and proven to be of its number; -1 where there is none. */
int scan_open_node(const struct scan *scan, const struct block_device *device, int flags);

/* Model, serial, firmware and transport of a whole disk. fd is its node or -1. */
void scan_identity(const struct scan *scan, size_t index, int fd);

/* mounted, swap, holders and busy, of all. An error where it is not told what is mounted. */
int scan_usage(const struct scan *scan);

/* The real path of a device in sysfs; NULL where it is gone. Caller frees. */
char *scan_sysfs_path(const char *root, const char *name);

/* The number behind "/WORD" in a sysfs path: 3 of ".../ata3/..." for "ata". -1 where none is. */
int scan_path_number(const char *path, const char *word);

/*
 * Whether the kernel's PARTNAME can come from this label: it takes the low byte of each UTF-16 unit
 * and makes '!' of what does not print (block/partitions/efi.c), so that different labels can look
 * the same there.
 */
bool scan_label_agrees(const char *label, const char *partname);

#endif
