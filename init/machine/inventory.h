/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What machine this is: the report's "machine" object. root as in lib/sysfs.h. */
#ifndef BLITBENCH_MACHINE_INVENTORY_H
#define BLITBENCH_MACHINE_INVENTORY_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

/* {virtual, cpu {model, cores, threads, microcode}, memory_bytes, dmi {...}, vulnerabilities
 * {...}}; caller owns. */
json_t *inventory_machine(const char *root);

/* "qemu-tcg", "qemu-kvm", "vmware", ...; "" on bare metal. From CPUID's hypervisor leaf (not asked
 * where root is a tree) and DMI. */
const char *inventory_virtual(const char *root, char *buffer, size_t size);

/* The pure rule behind it. signature: the 12 characters of CPUID leaf 0x40000000; "" where the CPU
 * tells of no hypervisor. */
const char *inventory_virtual_name(const char *signature, const char *sys_vendor,
				   const char *product_name);

uint64_t inventory_memory_bytes(const char *root); /* MemTotal; 0 where it is not told */

#endif
