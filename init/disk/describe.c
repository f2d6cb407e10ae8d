/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Devices in words and in the report. */
#include "disk/scan.h"
#include "disk/words.h"
#include "lib/cleanup.h"
#include "lib/sysfs.h"
#include "lib/values.h"

#include <limits.h>
#include <string.h>

static const struct block_device *whole_disk(const struct device_list *list, size_t index)
{
	const struct block_device *device = &list->devices[index];

	return device->disk >= 0 ? &list->devices[device->disk] : device;
}

const char *device_describe(const struct device_list *list, size_t index, char *buffer, size_t size)
{
	const struct block_device *disk = whole_disk(list, index);
	struct words words = words_start(buffer, size);

	words_add(&words, "%s", disk->model[0] ? disk->model : "disk without a model name");
	if (disk->serial[0])
		words_add(&words, " (serial %s)", disk->serial);
	words_add(&words, ", %s", size_decimal(disk->size_bytes).text);
	if (disk->transport[0])
		words_add(&words, ", %s", disk->transport);
	return buffer;
}

/* A line of sysfs, or null. */
static json_t *text_of(const char *root, const char *disk, const char *file)
{
	char text[256];

	return sysfs_read(text, sizeof(text), root, "/sys/class/block/%s/%s", disk, file)
		       ? json_null()
		       : json_text(text);
}

static json_t *number_of(const char *root, const char *disk, const char *file)
{
	uint64_t value;

	return sysfs_read_u64(&value, root, "/sys/class/block/%s/%s", disk, file)
		       ? json_null()
		       : json_integer((json_int_t)value);
}

/* "none [mq-deadline] kyber": the one in brackets. */
static json_t *scheduler_of(const char *root, const char *disk)
{
	char text[256];

	if (sysfs_read(text, sizeof(text), root, "/sys/class/block/%s/queue/scheduler", disk))
		return json_null();
	char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	if (!close)
		return json_text(text);
	*close = '\0';
	return json_text(open + 1);
}

static json_t *pci_link_speed(const char *root, const char *disk)
{
	char speed[64], width[16], text[96];

	if (sysfs_read(speed, sizeof(speed), root,
		       "/sys/class/block/%s/device/device/current_link_speed", disk) ||
	    sysfs_read(width, sizeof(width), root,
		       "/sys/class/block/%s/device/device/current_link_width", disk))
		return json_null();
	snprintf(text, sizeof(text), "%s x%s", speed, width);
	return json_text(text);
}

static json_t *sata_link_speed(const char *root, const char *path)
{
	char text[64];

	if (sysfs_read(text, sizeof(text), root, "/sys/class/ata_link/link%d/sata_spd",
		       scan_path_number(path, "ata")) ||
	    text[0] == '<') /* "<unknown>" */
		return json_null();
	return json_text(text);
}

/* Each directory above may be the USB device; it tells its speed in Mbit/s. */
static json_t *usb_link_speed(const char *root, const char *path)
{
	char above[PATH_MAX], vendor[16], speed[32], text[64];

	snprintf(above, sizeof(above), "%s", path);
	for (char *slash; (slash = strrchr(above, '/')) && slash > above + strlen(root);
	     *slash = '\0') {
		if (sysfs_read(vendor, sizeof(vendor), above, "/idVendor"))
			continue;
		if (sysfs_read(speed, sizeof(speed), above, "/speed"))
			break;
		snprintf(text, sizeof(text), "%s Mbps", speed);
		return json_text(text);
	}
	return json_null();
}

static json_t *link_speed_of(const char *root, const struct block_device *disk)
{
	_cleanup_free_ char *path = scan_sysfs_path(root, disk->name);

	if (path && !strcmp(disk->transport, "sata"))
		return sata_link_speed(root, path);
	if (path && !strcmp(disk->transport, "usb"))
		return usb_link_speed(root, path);
	return strcmp(disk->transport, "nvme") ? json_null() : pci_link_speed(root, disk->name);
}

static json_t *known_text(const char *text)
{
	return text[0] ? json_text(text) : json_null();
}

json_t *device_disk_json(const struct device_list *list, size_t index, const char *root)
{
	const struct block_device *disk = whole_disk(list, index);
	const char *name = disk->name;

	json_t *json = json_pack("{sb sb sI sI sI}", "rotational", disk->rotational, "removable",
				 disk->removable, "size_bytes", (json_int_t)disk->size_bytes,
				 "logical_sector_bytes", (json_int_t)disk->logical_sector_bytes,
				 "physical_sector_bytes",
				 (json_int_t)disk->physical_sector_bytes);

	json_object_set_new(json, "model", known_text(disk->model));
	json_object_set_new(json, "serial", known_text(disk->serial));
	json_object_set_new(json, "firmware", known_text(disk->firmware));
	json_object_set_new(json, "transport", known_text(disk->transport));
	json_object_set_new(json, "scheduler", scheduler_of(root, name));
	json_object_set_new(json, "write_cache", text_of(root, name, "queue/write_cache"));
	json_object_set_new(json, "queue_depth", number_of(root, name, "device/queue_depth"));
	json_object_set_new(json, "link_speed", link_speed_of(root, disk));
	json_object_set_new(json, "discard_granularity_bytes",
			    number_of(root, name, "queue/discard_granularity"));
	json_object_set_new(json, "discard_max_bytes",
			    number_of(root, name, "queue/discard_max_bytes"));
	return json;
}

enum { BLOCK_BYTES = 4096 };

static bool begins_on(const struct block_device *partition, uint64_t unit_bytes)
{
	return !unit_bytes || partition->start_bytes % unit_bytes == 0;
}

json_t *device_alignment_json(const struct device_list *list, size_t index, const char *root)
{
	const struct block_device *partition = &list->devices[index];
	const struct block_device *disk = whole_disk(list, index);
	uint64_t granularity = 0, offset;
	char text[32];

	/* -1 where the kernel has found it misaligned and cannot say by how much. */
	bool told = !sysfs_read(text, sizeof(text), root, "/sys/class/block/%s/alignment_offset",
				partition->name);
	bool exact = !sysfs_read_u64(&offset, root, "/sys/class/block/%s/alignment_offset",
				     partition->name);
	if (sysfs_read_u64(&granularity, root, "/sys/class/block/%s/queue/discard_granularity",
			   disk->name))
		granularity = 0;
	bool aligned = begins_on(partition, disk->physical_sector_bytes) &&
		       begins_on(partition, BLOCK_BYTES) && begins_on(partition, granularity) &&
		       (!told || (exact && !offset));
	return json_pack("{s:o,s:o}", "alignment_offset_bytes",
			 exact ? json_integer((json_int_t)offset) : json_null(), "aligned",
			 disk->physical_sector_bytes ? json_boolean(aligned) : json_null());
}
