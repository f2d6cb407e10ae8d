/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prepare/choose.h"

#include "disk/words.h"
#include "lib/error.h"

#include <errno.h>
#include <string.h>

static void add_seen(struct words *words, const struct device_list *list)
{
	unsigned seen = 0;
	char text[400];

	for (size_t i = 0; i < list->count; i++) {
		const struct block_device *device = &list->devices[i];

		if (device->is_partition || !device->size_bytes || !*device->serial)
			continue;
		words_add(words, "%s%s",
			  seen++ ? "; " : ". Seen: ", device_describe(list, i, text, sizeof(text)));
	}
	if (!seen)
		words_add(words, ". No disk with a serial number was seen");
}

int choose_disk(const struct device_list *list, const char *model, const char *serial)
{
	char text[1024];
	struct words words = words_start(text, sizeof(text));
	size_t found = 0, matches = 0;

	for (size_t i = 0; *serial && i < list->count; i++) {
		const struct block_device *device = &list->devices[i];

		if (device->is_partition || !device->size_bytes || strcmp(device->model, model) ||
		    strcmp(device->serial, serial))
			continue;
		found = i;
		matches++;
	}
	if (matches == 1)
		return (int)found;
	if (matches) {
		words_add(&words,
			  "%zu disks are of the model '%s' with the serial number '%s': take all "
			  "but one away",
			  matches, model, serial);
		return error_set(-ENOTUNIQ, "%s", text);
	}
	words_add(&words, "no disk is of the model '%s' with the serial number '%s'", model,
		  serial);
	add_seen(&words, list);
	return error_set(-ENODEV, "%s", text);
}

static bool is_on(const struct block_device *device, size_t disk)
{
	return device->disk >= 0 && (size_t)device->disk == disk;
}

unsigned choose_partitions(const struct device_list *list, size_t disk)
{
	unsigned count = 0;

	for (size_t i = 0; i < list->count; i++)
		count += list->devices[i].is_partition && is_on(&list->devices[i], disk);
	return count;
}

/* Of the disk itself, or of one of its partitions. */
static int check_use(const struct block_device *device, bool held)
{
	struct {
		bool is;
		const char *what;
	} uses[] = {
		{ device->mounted, "mounted" },
		{ device->swap, "swap space" },
		{ device->holders[0], device->holders },
		{ device->busy && !held, "opened exclusively by another program" },
	};

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		if (uses[i].is)
			return error_set(-EBUSY,
					 "it is in use (%s: %s); start from another disk, or "
					 "unmount what is on it",
					 device->name, uses[i].what);
	return 0;
}

static int check_partition(const struct block_device *device)
{
	if (!strcmp(device->partlabel, "BLITRESULTS") || !strcmp(device->partlabel, "BLITBOOT"))
		return error_set(-EPERM,
				 "it holds the image or the results, where no target may be");
	if (device->table_differs)
		return error_set(-EPERM,
				 "the kernel and its table disagree about %s; restart the machine",
				 device->name);
	if (device->overlaps)
		return error_set(-EPERM,
				 "%s shares bytes with another partition of it, or with its GPT",
				 device->name);
	return 0;
}

/* Two of a label, and every run would be refused. */
static int check_label(const struct device_list *list, const char *label)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->devices[i].is_partition && !strcmp(list->devices[i].partlabel, label))
			return error_set(-EEXIST,
					 "there is a partition '%s' already (%s); give another "
					 "--label, and the key partlabel with it",
					 label, list->devices[i].name);
	return 0;
}

int choose_check(const struct device_list *list, size_t disk, const char *label, bool held)
{
	const struct block_device *whole = &list->devices[disk];
	int result = 0;

	if (whole->read_only)
		return error_set(-EROFS, "it is read-only");
	if (*whole->signature_type)
		return error_set(-EPERM, "%s%s lies on the whole disk; it is left alone",
				 !strcmp(whole->signature_type, "unreadable") ? "something " : "",
				 whole->signature_type);
	for (size_t i = 0; i < list->count && !result; i++) {
		const struct block_device *device = &list->devices[i];

		if (!is_on(device, disk))
			continue;
		result = check_use(device, held);
		if (!result && device->is_partition)
			result = check_partition(device);
	}
	return result ? result : check_label(list, label);
}
