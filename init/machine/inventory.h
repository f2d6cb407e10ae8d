/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What machine this is: the report's "machine" object. root as in lib/sysfs.h. */
#ifndef BLITBENCH_MACHINE_INVENTORY_H
#define BLITBENCH_MACHINE_INVENTORY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* {virtual, cpu {model, cores, threads, microcode}, memory_bytes, dmi {...}, vulnerabilities {...}}; caller owns. */
json_t *inventory_machine(const char *root);

/* "qemu-tcg", "qemu-kvm", "vmware", ...; "" on bare metal. From CPUID's hypervisor leaf and DMI. */
const char *inventory_virtual(const char *root, char *buffer, size_t size);

uint64_t inventory_memory_bytes(const char *root);
unsigned inventory_threads(const char *root);

#endif
