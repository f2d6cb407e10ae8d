/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/controllers.h"

#include "disk/words.h"
#include "lib/cleanup.h"
#include "lib/sysfs.h"
#include "lib/values.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

/* PCI base class 01h is mass storage; of its subclasses 04h is RAID. */
enum { BASE_CLASS_STORAGE = 0x01, CLASS_RAID = 0x0104, VENDOR_INTEL = 0x8086 };

struct controller {
	char address[64];
	uint64_t vendor, device, class;
	char driver[64];   /* "" = nothing has claimed it */
	uint64_t remapped; /* NVMe disks that Intel's AHCI hides in its RAID mode */
};

/* Intel's Volume Management Device, also where its class is 0880h; drivers/pci/controller/vmd.c. */
static bool is_vmd(const struct controller *controller)
{
	static const uint16_t devices[] = { 0x201d, 0x28c0, 0x467f, 0x4c3d, 0x7d0b, 0x9a0b,
					    0xa77f, 0xad0b, 0xb06f, 0xb60b };

	for (size_t i = 0; i < ARRAY_LENGTH(devices); i++)
		if (controller->vendor == VENDOR_INTEL && controller->device == devices[i])
			return true;
	return false;
}

static void read_driver(struct controller *controller, const char *root)
{
	char path[PATH_MAX], target[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices/%s/driver", root, controller->address);
	ssize_t length = readlink(path, target, sizeof(target) - 1);
	if (length <= 0)
		return;
	target[length] = '\0';
	const char *slash = strrchr(target, '/');
	snprintf(controller->driver, sizeof(controller->driver), "%.63s",
		 slash ? slash + 1 : target);
}

/* False where it is none. */
static bool read_controller(struct controller *controller, const char *root, const char *name)
{
	static const char *const files[] = { "vendor", "device", "class" };
	uint64_t *const numbers[] = { &controller->vendor, &controller->device,
				      &controller->class };

	memset(controller, 0, sizeof(*controller));
	if (snprintf(controller->address, sizeof(controller->address), "%s", name) >=
	    (int)sizeof(controller->address))
		return false;
	for (size_t i = 0; i < ARRAY_LENGTH(files); i++)
		if (sysfs_read_u64(numbers[i], root, "/sys/bus/pci/devices/%s/%s", name, files[i]))
			return false;
	if (controller->class >> 16 != BASE_CLASS_STORAGE && !is_vmd(controller))
		return false;
	read_driver(controller, root);
	if (sysfs_read_u64(&controller->remapped, root, "/sys/bus/pci/devices/%s/remapped_nvme",
			   name))
		controller->remapped = 0;
	return true;
}

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* All of them in the order of their addresses; the caller frees. NULL where there are none. */
static struct controller *read_all(const char *root, size_t *count)
{
	struct dirent **entries = NULL;
	char path[PATH_MAX];

	*count = 0;
	snprintf(path, sizeof(path), "%s/sys/bus/pci/devices", root);
	int found = scandir(path, &entries, not_hidden, versionsort);
	struct controller *list = found > 0 ? calloc((size_t)found, sizeof(*list)) : NULL;
	for (int i = 0; i < found; i++) {
		if (list && read_controller(&list[*count], root, entries[i]->d_name))
			++*count;
		free(entries[i]);
	}
	free(entries);
	return list;
}

static json_t *hexadecimal(uint64_t number, int digits)
{
	char text[24];

	snprintf(text, sizeof(text), "%0*llx", digits, (unsigned long long)number);
	return json_string(text);
}

json_t *controllers_json(const char *root)
{
	json_t *array = json_array();
	size_t count;

	_cleanup_free_ struct controller *list = read_all(root, &count);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(
			array,
			json_pack("{s:o,s:o,s:o,s:o,s:o}", "address", json_text(list[i].address),
				  "vendor", hexadecimal(list[i].vendor, 4), "device",
				  hexadecimal(list[i].device, 4), "class",
				  hexadecimal(list[i].class, 6), "driver",
				  list[i].driver[0] ? json_text(list[i].driver) : json_null()));
	return array;
}

static void add_words(struct words *words, const struct controller *controller)
{
	const char *between = words->used ? "; " : "";

	if (controller->driver[0] && controller->remapped) {
		words_add(words,
			  "%s%llu NVMe disk%s hidden by the SATA controller at %s: switch it from "
			  "RAID to AHCI in the firmware",
			  between, (unsigned long long)controller->remapped,
			  controller->remapped == 1 ? " is" : "s are", controller->address);
		return;
	}
	if (controller->driver[0])
		return;
	if (is_vmd(controller)) {
		words_add(words,
			  "%san Intel VMD controller at %s has no driver here: turn VMD/RAID off in "
			  "the firmware",
			  between, controller->address);
		return;
	}
	words_add(words, "%sthe %s controller %04llx:%04llx at %s has no driver here%s", between,
		  controller->class >> 8 == CLASS_RAID ? "RAID" : "storage",
		  (unsigned long long)controller->vendor, (unsigned long long)controller->device,
		  controller->address,
		  controller->class >> 8 == CLASS_RAID ? ": turn RAID off in the firmware" : "");
}

const char *controllers_hiding(const char *root, char *buffer, size_t size)
{
	struct words words = words_start(buffer, size);
	size_t count;

	_cleanup_free_ struct controller *list = read_all(root, &count);
	for (size_t i = 0; i < count; i++)
		add_words(&words, &list[i]);
	return buffer;
}
