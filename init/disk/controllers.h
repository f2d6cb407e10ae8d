/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Storage controllers on the PCI bus: a disk behind one without a driver does not exist for us. */
#ifndef BLITBENCH_DISK_CONTROLLERS_H
#define BLITBENCH_DISK_CONTROLLERS_H

#include <jansson.h>
#include <stddef.h>

/*
 * The report's machine.storage_controllers: [{address, vendor, device, class, driver}], numbers as "8086",
 * driver null where nothing has claimed it. root as in lib/sysfs.h.
 */
json_t *controllers_json(const char *root);

/*
 * For the refusal when a disk is missing: those that hide disks, and what to do about each, as in "an
 * Intel VMD controller at 0000:00:0e.0 has no driver here: turn VMD/RAID off in the firmware"; ""
 * where there are none. Returns buffer.
 */
const char *controllers_hiding(const char *root, char *buffer, size_t size);

#endif
