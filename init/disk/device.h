/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of every block device, read once from sysfs, libblkid, mountinfo and swaps. Names
 * such as sda are for messages only: nothing is ever chosen by them.
 */
#ifndef BLITBENCH_DISK_DEVICE_H
#define BLITBENCH_DISK_DEVICE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct block_device {
	char name[64]; /* the kernel's name, as in /sys/class/block */
	dev_t number;
	bool is_partition;
	int disk; /* index of the whole disk in the list, its own for a whole disk; -1 = unknown */
	unsigned partition_number;
	char partlabel[128]; /* UTF-8, exactly as in the table on the disk */
	char partuuid[40];   /* lower case */
	char table_type[8];  /* of a whole disk: "gpt", "PMBR" (one that is damaged), "dos" or "" */
	bool table_differs;  /* of a partition: kernel and table on the disk disagree about it */
	bool overlaps;       /* of a partition: it shares bytes with another one, or with the GPT */
	uint64_t start_bytes, size_bytes;
	unsigned logical_sector_bytes, physical_sector_bytes;
	bool read_only, removable, rotational;
	/* of the whole disk; copied to its partitions */
	char model[128], serial[128], firmware[64];
	char transport[16]; /* sata usb nvme virtio scsi or "" */
	/* in use by; mounted, swap and busy are of the device itself */
	bool mounted, swap;
	/* who holds this device, a partition's whole disk, or any partition of a whole disk */
	char holders[128];
	bool busy; /* a short O_RDONLY|O_EXCL open said EBUSY */
	/*
	 * What libblkid finds on it; type "" = nothing. "ambivalent" where it finds several that
	 * disagree, "unreadable" where it could not look: what was not looked at is never taken for
	 * empty.
	 */
	char signature_type[32], signature_label[128];
};

struct device_list {
	struct block_device *devices;
	size_t count;
};

/*
 * Reads them all. root is "" on a real machine and the top of a hand-written tree in tests. A
 * device whose node is missing is "unreadable". Zero-sized devices, ram, zram, loop and
 * device-mapper devices are in the list too: they may hold others. Nothing is opened for writing.
 * Names come in natural order (sda2 before sda10).
 */
int devices_scan(struct device_list *list, const char *root);

void devices_free(struct device_list *list);

/*
 * Words a person knows a disk by: "Samsung SSD 860 EVO (serial S3Z9NB0K), 500.1 GB, sata". Of a
 * partition, its disk's. Returns buffer.
 */
const char *device_describe(const struct device_list *list, size_t index, char *buffer,
			    size_t size);

/*
 * The report's target.disk object {model, serial, firmware, transport, rotational, scheduler,
 * write_cache, queue_depth, link_speed, size_bytes, ...}; null for what sysfs does not tell.
 */
json_t *device_disk_json(const struct device_list *list, size_t index, const char *root);

/*
 * How the partition lies on its disk: {alignment_offset_bytes, aligned}. aligned is true where it begins
 * on a physical sector, on a block of 4096 bytes (of which all the filesystems' are) and on what the
 * disk discards at a time; null where the kernel does not tell the size of a physical sector.
 */
json_t *device_alignment_json(const struct device_list *list, size_t index, const char *root);

#endif
