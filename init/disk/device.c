/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/device.h"

#include "disk/scan.h"
#include "disk/signature.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/major.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { SYSFS_SECTOR_BYTES = 512, SCSI_TYPE_ROM = 5, GPT_ENTRIES_BYTES = 16384 };

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static bool read_flag(const char *root, const char *name, const char *file)
{
	uint64_t value = 0;

	return sysfs_read_u64(&value, root, "/sys/class/block/%s/%s", name, file) == 0 && value;
}

char *scan_sysfs_path(const char *root, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/sys/class/block/%s", root, name) >= (int)sizeof(path))
		return NULL;
	return realpath(path, NULL);
}

int scan_path_number(const char *path, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/'))
		if (!strncmp(at + 1, word, length) && isdigit((unsigned char)at[1 + length]))
			return atoi(at + 1 + length);
	return -1;
}

int scan_open_node(const struct scan *scan, const struct block_device *device, int flags)
{
	char path[PATH_MAX];
	struct stat status;
	int length = snprintf(path, sizeof(path), "%s/dev/%s", scan->root, device->name);

	if (length < 0 || (size_t)length >= sizeof(path))
		return -1;
	for (char *at = path + length - strlen(device->name); *at; at++)
		if (*at == '!')
			*at = '/'; /* sysfs writes cciss!c0d0 for cciss/c0d0 */
	/* Not blocking: neither on a drive without a medium nor on what else may have the name. */
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags);
	if (fd < 0)
		return -1;
	if (fstat(fd, &status) || !S_ISBLK(status.st_mode) || status.st_rdev != device->number) {
		errno = ENODEV;
		return -1;
	}
	return take_fd(&fd);
}

/* False where the device has gone meanwhile, or has no number, as paths of NVMe multipath. */
static bool read_device(struct block_device *device, const char *root, const char *name)
{
	char text[64];
	unsigned major_number, minor_number;
	uint64_t sectors, number;

	memset(device, 0, sizeof(*device));
	if (strlen(name) >= sizeof(device->name) ||
	    sysfs_read(text, sizeof(text), root, "/sys/class/block/%s/dev", name) ||
	    sscanf(text, "%u:%u", &major_number, &minor_number) != 2 ||
	    sysfs_read_u64(&sectors, root, "/sys/class/block/%s/size", name) ||
	    sectors > UINT64_MAX / SYSFS_SECTOR_BYTES)
		return false;
	strcpy(device->name, name);
	device->number = makedev(major_number, minor_number);
	device->disk = -1;
	device->size_bytes = sectors * SYSFS_SECTOR_BYTES;
	device->read_only = read_flag(root, name, "ro");
	if (sysfs_read_u64(&number, root, "/sys/class/block/%s/partition", name) == 0) {
		device->is_partition = true;
		device->partition_number = (unsigned)number;
		if (sysfs_read_u64(&sectors, root, "/sys/class/block/%s/start", name) == 0)
			device->start_bytes = sectors * SYSFS_SECTOR_BYTES;
	}
	return true;
}

/* The directory of a partition lies in that of its disk. */
static void find_disk(const struct scan *scan, size_t index)
{
	struct block_device *device = &scan->list->devices[index];
	const char *path = scan->paths[index], *slash = strrchr(path, '/');

	if (!device->is_partition) {
		device->disk = (int)index;
		return;
	}
	for (size_t i = 0; slash && i < scan->list->count; i++)
		if (!scan->list->devices[i].is_partition &&
		    strlen(scan->paths[i]) == (size_t)(slash - path) &&
		    !strncmp(scan->paths[i], path, (size_t)(slash - path)))
			device->disk = (int)i;
}

/* Opening these spins drives up or waits for a medium, and no target can be on them. */
static bool leave_closed(const struct scan *scan, const struct block_device *device)
{
	uint64_t type;

	return !device->size_bytes || major(device->number) == FLOPPY_MAJOR ||
	       (sysfs_read_u64(&type, scan->root, "/sys/class/block/%s/device/type",
			       device->name) == 0 &&
		type == SCSI_TYPE_ROM);
}

static void read_signature(struct block_device *device, int fd)
{
	struct signature signature = { .type = "unreadable" };

	if (fd >= 0)
		signature_read(&signature, fd, device->is_partition);
	strcpy(device->signature_type, signature.type);
	strcpy(device->signature_label, signature.label);
}

/* One UTF-16 unit as the kernel's PARTNAME shows it; false where its text ends. */
static bool add_kernel_byte(char **end, unsigned unit)
{
	unsigned char low = (unsigned char)unit;
	bool prints = (low >= 0x20 && low < 0x7f) || low >= 0xa0;

	*(*end)++ = low && !prints ? '!' : (char)low;
	return low;
}

bool scan_label_agrees(const char *label, const char *partname)
{
	char expected[128] = "", *end = expected;

	for (const unsigned char *at = (const unsigned char *)label; *at && end < expected + 120;) {
		unsigned point = *at++;
		unsigned more = point < 0xc0 ? 0 : point < 0xe0 ? 1 : point < 0xf0 ? 2 : 3;

		if (more)
			point &= 0x3fu >> more;
		for (; more && (*at & 0xc0) == 0x80; more--)
			point = point << 6 | (*at++ & 0x3f);
		if (point > 0xffff && !add_kernel_byte(&end, 0xd800 + ((point - 0x10000) >> 10)))
			break;
		if (!add_kernel_byte(&end, point))
			break;
	}
	return !strcmp(expected, partname);
}

/* The text behind KEY= in a uevent, without the end of the line. False where the key is missing. */
static bool uevent_value(char *value, size_t size, const char *uevent, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = uevent; line && *line;
	     line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (strncmp(line, key, length) || line[length] != '=')
			continue;
		line += length + 1;
		snprintf(value, size, "%.*s", (int)strcspn(line, "\n"), line);
		return true;
	}
	return false;
}

/* libblkid drops the blanks at the end of a label, and the kernel keeps them. */
static void add_blanks(char *label, size_t size, const char *partname)
{
	size_t used = strlen(label), end = strlen(partname), blanks = 0;

	while (blanks < end && partname[end - 1 - blanks] == ' ')
		blanks++;
	snprintf(label + used, size - used, "%s", partname + end - blanks);
}

/*
 * Label and PARTUUID, which the table on the disk tells exactly and older kernels not at all. Where
 * table and kernel disagree, the kernel works with a table that is no longer there, and the
 * partition is not what it seems.
 */
static void read_partition(const struct scan *scan, size_t index,
			   const struct partition_table *table)
{
	struct block_device *device = &scan->list->devices[index];
	char partname[128], partuuid[40];
	_cleanup_free_ char *uevent =
		sysfs_slurp(scan->root, "/sys/class/block/%s/uevent", device->name);
	bool has_name = uevent && uevent_value(partname, sizeof(partname), uevent, "PARTNAME");
	bool has_uuid = uevent && uevent_value(partuuid, sizeof(partuuid), uevent, "PARTUUID");
	const struct table_entry *entry = table_find(table, device->partition_number);

	if (entry) {
		strcpy(device->partlabel, entry->label);
		strcpy(device->partuuid, entry->uuid);
		if (has_name)
			add_blanks(device->partlabel, sizeof(device->partlabel), partname);
	} else {
		strcpy(device->partlabel, has_name ? partname : "");
		for (size_t i = 0; has_uuid && partuuid[i]; i++)
			device->partuuid[i] = (char)tolower((unsigned char)partuuid[i]);
	}
	device->table_differs = !entry || entry->start_bytes != device->start_bytes ||
				entry->size_bytes != device->size_bytes ||
				(has_name && !scan_label_agrees(device->partlabel, partname)) ||
				(has_uuid && strcasecmp(entry->uuid, partuuid));
}

static void copy_from_disk(struct block_device *partition, const struct block_device *disk)
{
	strcpy(partition->model, disk->model);
	strcpy(partition->serial, disk->serial);
	strcpy(partition->firmware, disk->firmware);
	strcpy(partition->transport, disk->transport);
	partition->logical_sector_bytes = disk->logical_sector_bytes;
	partition->physical_sector_bytes = disk->physical_sector_bytes;
	partition->removable = disk->removable;
	partition->rotational = disk->rotational;
	partition->read_only |= disk->read_only;
}

/* UEFI 2.10, 5.3.1: the protective MBR, a header of one sector and 16 KiB or more of entries at the
 * disk's beginning, entries and a header at its end. */
static bool reaches_into_gpt(const struct block_device *disk, const struct block_device *partition)
{
	uint64_t sector = disk->logical_sector_bytes, table = sector + GPT_ENTRIES_BYTES;

	return !strcmp(disk->table_type, "gpt") &&
	       (partition->start_bytes < sector + table ||
		partition->start_bytes + partition->size_bytes + table > disk->size_bytes);
}

/* Neither the kernel nor libblkid minds a table in which two partitions share bytes, or one that
 * has given away its own. */
static void find_overlaps(struct device_list *list, int disk)
{
	for (size_t i = 0; i < list->count; i++) {
		struct block_device *one = &list->devices[i];

		if (one->is_partition && one->disk == disk &&
		    reaches_into_gpt(&list->devices[disk], one))
			one->overlaps = true;
		for (size_t j = i + 1; j < list->count; j++) {
			struct block_device *other = &list->devices[j];

			if (!one->is_partition || !other->is_partition || one->disk != disk ||
			    other->disk != disk ||
			    one->start_bytes >= other->start_bytes + other->size_bytes ||
			    other->start_bytes >= one->start_bytes + one->size_bytes)
				continue;
			one->overlaps = other->overlaps = true;
		}
	}
}

static int read_disk(const struct scan *scan, size_t index)
{
	struct block_device *disk = &scan->list->devices[index];
	_cleanup_close_ int fd = leave_closed(scan, disk) ? -1 : scan_open_node(scan, disk, 0);
	struct partition_table table = { 0 };
	uint64_t value;

	disk->removable = read_flag(scan->root, disk->name, "removable");
	disk->rotational = read_flag(scan->root, disk->name, "queue/rotational");
	if (!sysfs_read_u64(&value, scan->root, "/sys/class/block/%s/queue/logical_block_size",
			    disk->name))
		disk->logical_sector_bytes = (unsigned)value;
	if (!sysfs_read_u64(&value, scan->root, "/sys/class/block/%s/queue/physical_block_size",
			    disk->name))
		disk->physical_sector_bytes = (unsigned)value;
	scan_identity(scan, index, fd);
	read_signature(disk, fd);
	if (fd >= 0 && table_read(&table, fd))
		return -ENOMEM;
	strcpy(disk->table_type, table.type);

	for (size_t i = 0; i < scan->list->count; i++) {
		struct block_device *device = &scan->list->devices[i];

		if (!device->is_partition || device->disk != (int)index)
			continue;
		_cleanup_close_ int partition_fd =
			leave_closed(scan, disk) ? -1 : scan_open_node(scan, device, 0);
		copy_from_disk(device, disk);
		read_partition(scan, i, &table);
		read_signature(device, partition_fd);
	}
	table_free(&table);
	find_overlaps(scan->list, (int)index);
	return 0;
}

static int read_all(const struct scan *scan)
{
	for (size_t i = 0; i < scan->list->count; i++)
		find_disk(scan, i);
	for (size_t i = 0; i < scan->list->count; i++) {
		if (!scan->list->devices[i].is_partition) {
			if (read_disk(scan, i))
				return error_set(-ENOMEM, "out of memory for partition tables");
		} else if (scan->list->devices[i].disk < 0) {
			read_signature(&scan->list->devices[i], -1);
		}
	}
	return scan_usage(scan);
}

int devices_scan(struct device_list *list, const char *root)
{
	struct dirent **entries = NULL;
	char path[PATH_MAX];
	int result = -ENOMEM;

	memset(list, 0, sizeof(*list));
	snprintf(path, sizeof(path), "%s/sys/class/block", root);
	int count = scandir(path, &entries, not_hidden, versionsort);
	if (count < 0)
		return error_set(-errno, "cannot list the disks in %s: %s", path, strerror(errno));
	struct scan scan = { .list = list, .root = root };
	scan.paths = calloc((size_t)count + 1, sizeof(*scan.paths));
	list->devices = calloc((size_t)count + 1, sizeof(*list->devices));
	for (int i = 0; i < count; i++) {
		struct block_device *device = list->devices ? &list->devices[list->count] : NULL;

		if (device && scan.paths && read_device(device, root, entries[i]->d_name) &&
		    (scan.paths[list->count] = scan_sysfs_path(root, device->name)))
			list->count++;
		free(entries[i]);
	}
	free(entries);
	if (list->devices && scan.paths)
		result = read_all(&scan);
	else
		error_set(result, "out of memory while listing %d disks", count);
	for (size_t i = 0; scan.paths && i < list->count; i++)
		free(scan.paths[i]);
	free(scan.paths);
	if (result)
		devices_free(list);
	return result;
}

void devices_free(struct device_list *list)
{
	free(list->devices);
	memset(list, 0, sizeof(*list));
}
