/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine, from hand-written trees: what it is, and its caches. */
#include "machine_fixture.h"

#include "lib/error.h"
#include "lib/sysfs.h"
#include "run/caches.h"
#include "machine/inventory.h"

#include <errno.h>

static void virtual_machines_have_names(void **state)
{
	static const struct {
		const char *signature, *vendor, *product, *name;
	} cases[] = {
		{ "", "Dell Inc.", "OptiPlex 7040", "" },
		{ "", "", "", "" },
		{ "", "Amazon EC2", "m5.metal", "" },
		{ "TCGTCGTCGTCG", "QEMU", "Standard PC (Q35 + ICH9, 2009)", "qemu-tcg" },
		{ "KVMKVMKVM", "QEMU", "Standard PC (Q35 + ICH9, 2009)", "qemu-kvm" },
		{ "Microsoft Hv", "QEMU", "Standard PC", "qemu-kvm" },
		{ "", "QEMU", "Standard PC", "qemu" },
		{ "KVMKVMKVM", "Amazon EC2", "m5.large", "kvm" },
		{ "KVMKVMKVM", "", "", "kvm" },
		{ "VMwareVMware", "VMware, Inc.", "VMware Virtual Platform", "vmware" },
		{ "", "VMware, Inc.", "VMware7,1", "vmware" },
		{ "VBoxVBoxVBox", "innotek GmbH", "VirtualBox", "virtualbox" },
		{ "KVMKVMKVM", "innotek GmbH", "VirtualBox", "virtualbox" },
		{ "Microsoft Hv", "Microsoft Corporation", "Virtual Machine", "hyper-v" },
		{ "", "Microsoft Corporation", "Virtual Machine", "hyper-v" },
		{ "", "Microsoft Corporation", "Surface Pro", "" },
		{ "XenVMMXenVMM", "Xen", "HVM domU", "xen" },
		{ "bhyve bhyve ", "FreeBSD", "BHYVE", "bhyve" },
		{ "SomethingNew", "", "", "unknown-hypervisor" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
		assert_string_equal(inventory_virtual_name(cases[i].signature, cases[i].vendor,
							   cases[i].product),
				    cases[i].name);
}

static void the_machine_of_a_tree(void **state)
{
	(void)state;
	put("/proc/cpuinfo",
	    "processor\t: 0\nmodel\t\t: 94\nmodel name\t: Intel(R) Core(TM) i7-6700K CPU @ 4.00GHz\n"
	    "microcode\t: 0xf0\nprocessor\t: 1\nmodel name\t: another\n");
	put("/proc/meminfo", "MemTotal:       24573684 kB\nMemFree:  1 kB\n");
	put(CPU "online", "0-2,4\n");
	static const struct {
		unsigned cpu;
		const char *package, *core;
	} places[] = {
		{ 0, "0", "0" }, { 1, "0", "1" }, { 2, "0", "0" }, { 3, "0", "2" }, { 4, "1", "0" }
	};
	for (size_t i = 0; i < ARRAY_LENGTH(places); i++) {
		char name[128];

		snprintf(name, sizeof(name), CPU "cpu%u/topology/core_id", places[i].cpu);
		put(name, places[i].core);
		snprintf(name, sizeof(name), CPU "cpu%u/topology/physical_package_id",
			 places[i].cpu);
		put(name, places[i].package);
	}
	put("/sys/class/dmi/id/sys_vendor", "Gigabyte Technology Co., Ltd.\n");
	put("/sys/class/dmi/id/product_name", "Z170-\xff\n");
	put("/sys/class/dmi/id/product_serial", "secret\n");
	put("/sys/class/dmi/id/board_name", "\n");
	put(CPU "vulnerabilities/meltdown", "Mitigation: PTI\n");
	put(CPU "vulnerabilities/mds", "Vulnerable\n");
	json_t *machine = inventory_machine(top);
	assert_true(json_is_null(json_object_get(machine, "virtual")));
	const json_t *cpu = json_object_get(machine, "cpu");
	assert_string_equal(text_of(cpu, "model"), "Intel(R) Core(TM) i7-6700K CPU @ 4.00GHz");
	assert_string_equal(text_of(cpu, "microcode"), "0xf0");
	assert_int_equal(json_integer_value(json_object_get(cpu, "threads")), 4);
	assert_int_equal(json_integer_value(json_object_get(cpu, "cores")), 3);
	assert_true(json_integer_value(json_object_get(machine, "memory_bytes")) ==
		    24573684LL * 1024);
	const json_t *dmi = json_object_get(machine, "dmi");
	assert_string_equal(text_of(dmi, "sys_vendor"), "Gigabyte Technology Co., Ltd.");
	assert_string_equal(text_of(dmi, "product_name"), "Z170-\xef\xbf\xbd");
	assert_true(json_is_null(json_object_get(dmi, "board_name")));
	assert_true(json_is_null(json_object_get(dmi, "bios_version")));
	const json_t *vulnerabilities = json_object_get(machine, "vulnerabilities");
	assert_int_equal(json_object_size(vulnerabilities), 2);
	assert_string_equal(text_of(vulnerabilities, "meltdown"), "Mitigation: PTI");
	char *text = json_dumps(machine, 0);
	assert_null(strstr(text, "secret"));
	free(text);
	json_decref(machine);
}

static void a_machine_that_tells_nothing_is_null(void **state)
{
	(void)state;
	json_t *machine = inventory_machine(top);
	assert_true(json_is_null(json_object_get(machine, "virtual")));
	assert_true(json_is_null(json_object_get(machine, "memory_bytes")));
	assert_true(json_is_null(json_object_get(json_object_get(machine, "cpu"), "model")));
	assert_true(json_is_null(json_object_get(json_object_get(machine, "cpu"), "threads")));
	json_decref(machine);
	assert_true(inventory_memory_bytes(top) == 0);
}

static void this_machine_has_cpus_and_memory(void **state)
{
	char name[32];

	(void)state;
	json_t *machine = inventory_machine("");
	assert_true(json_is_integer(json_object_get(machine, "memory_bytes")));
	assert_true(json_integer_value(json_object_get(json_object_get(machine, "cpu"), "threads")) >= 1);
	assert_true(strlen(inventory_virtual("", name, sizeof(name))) < sizeof(name));
	json_decref(machine);
}

static void cold_is_a_rule_of_counts(void **state)
{
	enum { MEBIBYTE = 1024 * 1024 };
	static const struct {
		struct cache_counters warm, pinned, now;
		bool cold;
	} cases[] = {
		{ { .inodes = 100000, .buffer_bytes = 500 * MEBIBYTE },
		  { 0 },
		  { .inodes = 999, .buffer_bytes = 9 * MEBIBYTE },
		  true },
		{ { .inodes = 100000, .buffer_bytes = 500 * MEBIBYTE },
		  { 0 },
		  { .inodes = 1000, .buffer_bytes = 9 * MEBIBYTE },
		  false },
		{ { .inodes = 100000, .buffer_bytes = 500 * MEBIBYTE },
		  { 0 },
		  { .inodes = 999, .buffer_bytes = 10 * MEBIBYTE },
		  false },
		/* What an empty filesystem pins does not count, and nothing beyond it is forgiven.
		 */
		{ { .inodes = 100000, .buffer_bytes = 500 * MEBIBYTE },
		  { .inodes = 500, .buffer_bytes = 5 * MEBIBYTE },
		  { .inodes = 1499, .buffer_bytes = 14 * MEBIBYTE },
		  true },
		{ { .inodes = 100000, .buffer_bytes = 500 * MEBIBYTE },
		  { .inodes = 500, .buffer_bytes = 5 * MEBIBYTE },
		  { .inodes = 1500, .buffer_bytes = 14 * MEBIBYTE },
		  false },
		{ { .inodes = 100000, .buffer_bytes = 500 * MEBIBYTE },
		  { .inodes = 500, .buffer_bytes = 5 * MEBIBYTE },
		  { .inodes = 1499, .buffer_bytes = 15 * MEBIBYTE },
		  false },
		{ { .inodes = 100000, .buffer_bytes = 500 * MEBIBYTE },
		  { .inodes = 500, .buffer_bytes = 5 * MEBIBYTE },
		  { 0 },
		  true },
		/* Small counts: what is held open may stay. */
		{ { .inodes = 1000, .buffer_bytes = 0 },
		  { .inodes = 10 },
		  { .inodes = 10 + CACHES_MARGIN_INODES,
		    .buffer_bytes = CACHES_MARGIN_BUFFER_BYTES },
		  true },
		{ { .inodes = 1000, .buffer_bytes = 0 },
		  { .inodes = 10 },
		  { .inodes = 11 + CACHES_MARGIN_INODES, .buffer_bytes = 0 },
		  false },
		{ { .inodes = 1000, .buffer_bytes = 0 },
		  { .inodes = 10 },
		  { .inodes = 10, .buffer_bytes = CACHES_MARGIN_BUFFER_BYTES + 1 },
		  false },
		{ { 0 }, { 0 }, { 0 }, true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
		assert_int_equal(caches_cold(&cases[i].warm, &cases[i].pinned, &cases[i].now),
				 cases[i].cold);
}

static const struct cache_counters warm = { .inodes = 5000 }, nothing_pinned;

static int drop(struct caches_drop_result *result)
{
	return caches_drop(result, "ext4_inode_cache", &warm, &nothing_pinned, top);
}

static void put_caches(unsigned inodes)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "slabinfo - version: 2.1\n# name\next4_inode_cache %u 9 9\ndentry 7 9 9\n",
		 inodes);
	put("/proc/slabinfo", text);
	put("/proc/meminfo", "Buffers: 100 kB\nCached: 100 kB\n");
	put("/proc/sys/vm/drop_caches", "0\n");
}

static void caches_that_stay_warm_are_told_after_a_few_attempts(void **state)
{
	struct caches_drop_result result;
	char text[16];

	(void)state;
	put_caches(5000);
	assert_int_equal(drop(&result), 0);
	assert_false(result.proven);
	assert_int_equal(result.attempts, CACHES_DROP_ATTEMPTS_MAX);
	assert_non_null(strstr(result.detail, "5000 of 5000 inodes"));
	sysfs_read(text, sizeof(text), top, "/proc/sys/vm/drop_caches");
	assert_string_equal(text, "3");
}

static void caches_that_are_cold_take_one_attempt(void **state)
{
	struct caches_drop_result result;
	char text[16];

	(void)state;
	put_caches(5);
	put("/sys/kernel/slab/ext4_inode_cache/shrink", "\n");
	assert_int_equal(drop(&result), 0);
	assert_true(result.proven);
	assert_int_equal(result.attempts, 1);
	assert_int_equal(result.cold.inodes, 5);
	assert_string_equal(result.detail, "");
	sysfs_read(text, sizeof(text), top, "/sys/kernel/slab/ext4_inode_cache/shrink");
	assert_string_equal(text, "1");
}

static void caches_that_cannot_be_dropped_are_an_error(void **state)
{
	struct caches_drop_result result;
	char path[PATH_MAX];

	(void)state;
	assert_int_equal(drop(&result), -ENOENT);
	put_caches(5000);
	snprintf(path, sizeof(path), "%s/proc/sys/vm/drop_caches", top);
	unlink(path);
	assert_int_equal(drop(&result), -ENOENT);
	assert_non_null(strstr(error_text(), "drop_caches"));
	assert_false(result.proven);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(virtual_machines_have_names),
		TEST(the_machine_of_a_tree),
		TEST(a_machine_that_tells_nothing_is_null),
		TEST(this_machine_has_cpus_and_memory),
		TEST(cold_is_a_rule_of_counts),
		TEST(caches_that_stay_warm_are_told_after_a_few_attempts),
		TEST(caches_that_are_cold_take_one_attempt),
		TEST(caches_that_cannot_be_dropped_are_an_error),
	};

	return cmocka_run_group_tests_name("machine", tests, NULL, NULL);
}
