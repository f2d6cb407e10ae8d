/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine as the scan would describe it, in which one partition is a perfect target. */
#ifndef BLITBENCH_TEST_REFUSE_MACHINE_H
#define BLITBENCH_TEST_REFUSE_MACHINE_H

#include "disk/refuse.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#define GIB (1ULL << 30)

enum { DISK, SYSTEM, TARGET, STICK, BOOT, RESULTS, SPARE, MACHINE_DEVICES = 10 };

struct machine {
	struct block_device devices[MACHINE_DEVICES];
	struct device_list list;
	struct target_wish wish;
};

static inline struct block_device *machine_disk(struct machine *machine, const char *name,
						unsigned number, const char *model,
						const char *serial)
{
	struct block_device *disk = &machine->devices[machine->list.count];

	memset(disk, 0, sizeof(*disk));
	snprintf(disk->name, sizeof(disk->name), "%s", name);
	snprintf(disk->model, sizeof(disk->model), "%s", model);
	snprintf(disk->serial, sizeof(disk->serial), "%s", serial);
	strcpy(disk->table_type, "gpt");
	strcpy(disk->transport, "sata");
	disk->number = makedev(8, number);
	disk->disk = (int)machine->list.count++;
	disk->size_bytes = 64 * GIB;
	return disk;
}

static inline struct block_device *machine_partition(struct machine *machine, int disk,
						     unsigned number, const char *label,
						     const char *type, const char *type_label)
{
	struct block_device *partition = &machine->devices[machine->list.count++];

	*partition = machine->devices[disk];
	size_t used = strlen(partition->name);
	snprintf(partition->name + used, sizeof(partition->name) - used, "%u", number);
	snprintf(partition->partlabel, sizeof(partition->partlabel), "%s", label);
	snprintf(partition->partuuid, sizeof(partition->partuuid),
		 "%08x-0000-4000-8000-00000000abcd", disk * 16 + (int)number);
	snprintf(partition->signature_type, sizeof(partition->signature_type), "%s", type);
	snprintf(partition->signature_label, sizeof(partition->signature_label), "%s", type_label);
	partition->table_type[0] = '\0';
	partition->is_partition = true;
	partition->partition_number = number;
	partition->number = machine->devices[disk].number + number;
	partition->disk = disk;
	partition->size_bytes = 16 * GIB;
	return partition;
}

/* sda with a system and the target, sdb as the stick. */
static inline void machine_make(struct machine *machine)
{
	memset(machine, 0, sizeof(*machine));
	machine->list.devices = machine->devices;
	machine_disk(machine, "sda", 0, "Fast SSD", "F1");
	machine_partition(machine, DISK, 1, "root", "ext4", "system");
	machine_partition(machine, DISK, 2, "blitbench-target", "", "");
	machine_disk(machine, "sdb", 16, "Stick", "U1");
	machine_partition(machine, STICK, 1, "BLITBOOT", "vfat", "");
	machine_partition(machine, STICK, 2, "BLITRESULTS", "vfat", "BLITRESULTS");
	machine->wish = (struct target_wish){
		.partlabel = "blitbench-target",
		.results = machine->devices[RESULTS].number,
		.bytes_needed = GIB,
	};
}

#endif
