/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which disk may get a new partition: pure functions of what is known of all block devices. */
#ifndef BLITBENCH_PREPARE_CHOOSE_H
#define BLITBENCH_PREPARE_CHOOSE_H

#include "disk/device.h"

/* The index of the one whole disk of exactly that model and serial number (which is not empty);
 * -ENODEV for none, -ENOTUNIQ for several, with a sentence. */
int choose_disk(const struct device_list *list, const char *model, const char *serial);

/*
 * 0 where nothing that is known of the disk stands against a new partition of that label, else
 * negative with a sentence. The table itself is read later (gpt.h). held: the caller has the disk
 * exclusively himself, so that its partitions seem busy.
 */
int choose_check(const struct device_list *list, size_t disk, const char *label, bool held);

/* How many partitions of the disk the kernel knows. */
unsigned choose_partitions(const struct device_list *list, size_t disk);

#endif
