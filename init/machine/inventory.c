/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/inventory.h"

#include "lib/cleanup.h"
#include "lib/sysfs.h"
#include "lib/values.h"

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

enum { KIBIBYTE = 1024, CPUS_MAX = 8192 };

/* Is this number in a list such as "0-3,8,10-11" (Documentation/admin-guide/cputopology.rst)? */
static bool in_cpu_list(const char *list, unsigned wanted)
{
	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list)
			return false;
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		if (wanted >= first && wanted <= last)
			return true;
		if (*end != ',')
			return false;
		list = end + 1;
	}
	return false;
}

/* Logical CPUs that are online, and the distinct (package, core) pairs among them; 0 where sysfs
 * tells nothing. */
static void count_cpus(const char *root, unsigned *threads, unsigned *cores)
{
	char online[4096];

	*threads = *cores = 0;
	if (sysfs_read(online, sizeof(online), root, "/sys/devices/system/cpu/online"))
		return;
	_cleanup_free_ uint64_t *seen = calloc(CPUS_MAX, sizeof(*seen));
	for (unsigned cpu = 0; seen && cpu < CPUS_MAX; cpu++) {
		uint64_t core, package, pair;
		unsigned i = 0;

		if (!in_cpu_list(online, cpu))
			continue;
		(*threads)++;
		if (sysfs_read_u64(&core, root, "/sys/devices/system/cpu/cpu%u/topology/core_id",
				   cpu) ||
		    sysfs_read_u64(&package, root,
				   "/sys/devices/system/cpu/cpu%u/topology/physical_package_id",
				   cpu))
			continue;
		pair = package << 32 | core;
		while (i < *cores && seen[i] != pair)
			i++;
		if (i == *cores)
			seen[(*cores)++] = pair;
	}
}

/* The value of the first "key<blanks>: value" line; NULL where there is none. Freed by the caller.
 */
static char *line_value(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, length))
			continue;
		const char *colon = line + length + strspn(line + length, " \t");
		if (*colon != ':')
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		return strndup(colon, strcspn(colon, "\n"));
	}
	return NULL;
}

uint64_t inventory_memory_bytes(const char *root)
{
	_cleanup_free_ char *text = sysfs_slurp(root, "/proc/meminfo");
	_cleanup_free_ char *value = text ? line_value(text, "MemTotal") : NULL;
	return value ? strtoull(value, NULL, 10) * KIBIBYTE : 0;
}

const char *inventory_virtual_name(const char *signature, const char *sys_vendor,
				   const char *product_name)
{
	static const struct {
		const char *signature, *name;
	} signatures[] = {
		/* The vendors' own documents; arch/x86/kernel/cpu/ of the kernel compares the same
		   strings. */
		{ "KVMKVMKVM", "kvm" },		  { "VMwareVMware", "vmware" },
		{ "VBoxVBoxVBox", "virtualbox" }, { "Microsoft Hv", "hyper-v" },
		{ "XenVMMXenVMM", "xen" },	  { "bhyve bhyve ", "bhyve" },
		{ " lrpepyh  vr", "parallels" },  { "ACRNACRNACRN", "acrn" },
		{ "Jailhouse", "jailhouse" },
	};

	if (!strcmp(signature, "TCGTCGTCGTCG"))
		return "qemu-tcg";
	/* What the firmware says is finer than KVM's or an imitated Hyper-V's signature. */
	if (!strcmp(sys_vendor, "QEMU"))
		return !strcmp(signature, "KVMKVMKVM") || !strcmp(signature, "Microsoft Hv")
			       ? "qemu-kvm"
			       : "qemu";
	if (!strcmp(product_name, "VirtualBox"))
		return "virtualbox";
	if (!strncmp(sys_vendor, "VMware", 6))
		return "vmware";
	for (size_t i = 0; i < ARRAY_LENGTH(signatures); i++)
		if (!strcmp(signature, signatures[i].signature))
			return signatures[i].name;
	if (!strcmp(sys_vendor, "Microsoft Corporation") &&
	    !strcmp(product_name, "Virtual Machine"))
		return "hyper-v";
	if (!strcmp(sys_vendor, "Xen"))
		return "xen";
	return signature[0] ? "unknown-hypervisor" : "";
}

/* CPUID leaf 1, ECX bit 31: there is a hypervisor; leaf 0x40000000, EBX, ECX, EDX: its twelve
 * characters. */
static void hypervisor_signature(char signature[13])
{
	memset(signature, 0, 13);
#if defined(__x86_64__) || defined(__i386__)
	unsigned leaf, parts[3], capabilities;

	if (!__get_cpuid(1, &leaf, &parts[0], &capabilities, &parts[1]) ||
	    !(capabilities & 1U << 31))
		return;
	__cpuid(0x40000000, leaf, parts[0], parts[1], parts[2]);
	memcpy(signature, parts, 12);
	if (!signature[0])
		memcpy(signature, "unsigned", 9);
#endif
}

const char *inventory_virtual(const char *root, char *buffer, size_t size)
{
	char signature[13] = "", vendor[128], product[128];

	if (!root[0])
		hypervisor_signature(signature);
	sysfs_read(vendor, sizeof(vendor), root, "/sys/class/dmi/id/sys_vendor");
	sysfs_read(product, sizeof(product), root, "/sys/class/dmi/id/product_name");
	snprintf(buffer, size, "%s", inventory_virtual_name(signature, vendor, product));
	return buffer;
}

static json_t *count_json(unsigned count)
{
	return count ? json_integer(count) : json_null();
}

static json_t *cpu_json(const char *root)
{
	unsigned threads, cores;

	_cleanup_free_ char *text = sysfs_slurp(root, "/proc/cpuinfo");
	_cleanup_free_ char *model = text ? line_value(text, "model name") : NULL;
	_cleanup_free_ char *microcode = text ? line_value(text, "microcode") : NULL;
	count_cpus(root, &threads, &cores);
	return json_pack("{s:o, s:o, s:o, s:o}", "model", json_text(model), "cores",
			 count_json(cores), "threads", count_json(threads), "microcode",
			 json_text(microcode));
}

/* No serial numbers and no UUID: they name a machine, and say nothing about its speed. */
static json_t *dmi_json(const char *root)
{
	static const char *const names[] = {
		"sys_vendor", "product_name", "product_version", "board_vendor",
		"board_name", "bios_vendor",  "bios_version",	 "bios_date",
	};
	json_t *dmi = json_object();
	char text[256];

	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		bool told =
			!sysfs_read(text, sizeof(text), root, "/sys/class/dmi/id/%s", names[i]) &&
			text[0];

		json_object_set_new(dmi, names[i], told ? json_text(text) : json_null());
	}
	return dmi;
}

static json_t *vulnerabilities_json(const char *root)
{
	json_t *found = json_object();
	char path[PATH_MAX], text[512];

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/vulnerabilities", root);
	_cleanup_closedir_ DIR *directory = opendir(path);
	for (struct dirent *entry = directory ? readdir(directory) : NULL; entry;
	     entry = readdir(directory))
		if (entry->d_name[0] != '.' &&
		    !sysfs_read(text, sizeof(text), root,
				"/sys/devices/system/cpu/vulnerabilities/%s", entry->d_name))
			json_object_set_new(found, entry->d_name, json_text(text));
	return found;
}

json_t *inventory_machine(const char *root)
{
	char name[32];
	uint64_t memory_bytes = inventory_memory_bytes(root);

	inventory_virtual(root, name, sizeof(name));
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "virtual",
			 name[0] ? json_text(name) : json_null(), "cpu", cpu_json(root),
			 "memory_bytes",
			 memory_bytes ? json_integer((json_int_t)memory_bytes) : json_null(), "dmi",
			 dmi_json(root), "vulnerabilities", vulnerabilities_json(root));
}
