/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine, from hand-written trees: what it is, its frequency governors, its caches. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "lib/tree.h"
#include "run/caches.h"
#include "machine/hold.h"
#include "machine/inventory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CPU "/sys/devices/system/cpu/"

static char top[64];

static int make_top(void **state)
{
	(void)state;
	return scratch_make(top, "machine");
}

static int remove_top(void **state)
{
	(void)state;
	return tree_remove(AT_FDCWD, top);
}

/* Writes a file of the tree with its folders. */
static void put(const char *name, const char *text)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s%s", top, name);
	for (char *slash = path + strlen(top) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	unlink(path);
	_cleanup_fclose_ FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
}

static void policy(unsigned number, const char *driver, const char *governor, const char *offered,
		   const char *epp)
{
	const struct {
		const char *name, *text;
	} files[] = {
		{ "scaling_driver", driver },
		{ "scaling_governor", governor },
		{ "scaling_available_governors", offered },
		{ "energy_performance_preference", epp },
		{ "scaling_min_freq", "800000\n" },
		{ "scaling_max_freq", "4200000\n" },
		{ "affected_cpus", number ? "2 3\n" : "0 1\n" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(files); i++) {
		char name[128];

		snprintf(name, sizeof(name), CPU "cpufreq/policy%u/%s", number, files[i].name);
		if (files[i].text)
			put(name, files[i].text);
	}
}

/* A plain file keeps the tail of a longer text that stood in it before, which sysfs does not: only
 * the start counts. */
static void assert_governor(unsigned number, const char *governor)
{
	char text[64];

	sysfs_read(text, sizeof(text), top, CPU "cpufreq/policy%u/scaling_governor", number);
	assert_memory_equal(text, governor, strlen(governor));
}

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "(no text)";
}

/* Holds, describes, checks what all drivers have in common, and lets go. */
static json_t *held(const char *governor)
{
	struct hold *hold;

	assert_int_equal(hold_governor(&hold, governor, top), 0);
	json_t *told = hold_describe(hold);
	assert_string_equal(text_of(told, "governor_requested"), governor);
	assert_string_equal(text_of(told, "governor"), governor);
	assert_true(json_is_true(json_object_get(told, "governor_held")));
	assert_governor(0, governor);
	assert_int_equal(hold_release(hold), 0);
	return told;
}

static void intel_pstate_active(void **state)
{
	(void)state;
	policy(0, "intel_pstate\n", "powersave\n", "performance powersave\n",
	       "balance_performance\n");
	policy(1, "intel_pstate\n", "powersave\n", "performance powersave\n",
	       "balance_performance\n");
	put(CPU "intel_pstate/status", "active\n");
	put(CPU "intel_pstate/no_turbo", "0\n");
	json_t *told = held("performance");
	assert_string_equal(text_of(told, "driver"), "intel_pstate");
	assert_string_equal(text_of(told, "mode"), "active");
	assert_string_equal(text_of(told, "epp"), "balance_performance");
	assert_true(json_is_true(json_object_get(told, "boost")));
	const json_t *policies = json_object_get(told, "policies");
	assert_int_equal(json_array_size(policies), 2);
	const json_t *second = json_array_get(policies, 1);
	assert_int_equal(json_integer_value(json_object_get(second, "policy")), 1);
	assert_string_equal(text_of(second, "cpus"), "2 3");
	assert_string_equal(text_of(second, "governor_before"), "powersave");
	assert_int_equal(json_integer_value(json_object_get(second, "minimum_kilohertz")), 800000);
	assert_int_equal(json_integer_value(json_object_get(second, "maximum_kilohertz")), 4200000);
	json_decref(told);
	assert_governor(0, "powersave");
	assert_governor(1, "powersave");
}

static void intel_pstate_active_offers_only_two(void **state)
{
	struct hold *hold;

	(void)state;
	policy(0, "intel_pstate\n", "powersave\n", "performance powersave\n", NULL);
	assert_int_equal(hold_governor(&hold, "ondemand", top), -EINVAL);
	assert_null(hold);
	assert_string_equal(
		error_text(),
		"the governor 'ondemand' is not offered by CPU frequency policy 0; it offers: "
		"performance powersave");
	assert_int_equal(hold_governor(&hold, "save", top), -EINVAL);
	assert_int_equal(hold_governor(&hold, "performance powersave x", top), -EINVAL);
	assert_governor(0, "powersave");
}

static void nothing_is_changed_where_one_policy_does_not_offer_it(void **state)
{
	struct hold *hold;

	(void)state;
	policy(0, "acpi-cpufreq\n", "schedutil\n", "performance schedutil\n", NULL);
	policy(1, "acpi-cpufreq\n", "schedutil\n", "schedutil\n", NULL);
	assert_int_equal(hold_governor(&hold, "performance", top), -EINVAL);
	assert_non_null(strstr(error_text(), "policy 1; it offers: schedutil"));
	assert_governor(0, "schedutil");
}

static void intel_pstate_passive(void **state)
{
	(void)state;
	policy(0, "intel_cpufreq\n", "schedutil\n",
	       "conservative ondemand userspace powersave performance schedutil\n", NULL);
	put(CPU "intel_pstate/status", "passive\n");
	put(CPU "intel_pstate/no_turbo", "1\n");
	json_t *told = held("performance");
	assert_string_equal(text_of(told, "driver"), "intel_cpufreq");
	assert_string_equal(text_of(told, "mode"), "passive");
	assert_true(json_is_null(json_object_get(told, "epp")));
	assert_true(json_is_false(json_object_get(told, "boost")));
	json_decref(told);
	assert_governor(0, "schedutil");
}

static void amd_pstate(void **state)
{
	(void)state;
	policy(0, "amd-pstate-epp\n", "powersave\n", "performance powersave\n", "performance\n");
	policy(10, "amd-pstate-epp\n", "performance\n", "performance powersave\n",
	       "balance_power\n");
	policy(2, "amd-pstate-epp\n", "powersave\n", "performance powersave\n", "performance\n");
	put(CPU "amd_pstate/status", "active\n");
	put(CPU "cpufreq/policy0/boost", "1\n");
	json_t *told = held("performance");
	assert_string_equal(text_of(told, "driver"), "amd-pstate-epp");
	assert_string_equal(text_of(told, "mode"), "active");
	assert_string_equal(text_of(told, "epp"), "mixed");
	assert_true(json_is_true(json_object_get(told, "boost")));
	const json_t *policies = json_object_get(told, "policies");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(policies, 1), "policy")),
			 2);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(policies, 2), "policy")),
			 10);
	json_decref(told);
	assert_governor(2, "powersave");
	assert_governor(10, "performance");
}

static void acpi_cpufreq(void **state)
{
	(void)state;
	policy(0, "acpi-cpufreq\n", "ondemand\n", "conservative ondemand performance schedutil \n",
	       NULL);
	put(CPU "cpufreq/boost", "0\n");
	json_t *told = held("schedutil");
	assert_string_equal(text_of(told, "driver"), "acpi-cpufreq");
	assert_true(json_is_null(json_object_get(told, "mode")));
	assert_true(json_is_false(json_object_get(told, "boost")));
	json_decref(told);
	assert_governor(0, "ondemand");
}

static void no_driver_is_no_error(void **state)
{
	struct hold *hold;

	(void)state;
	assert_int_equal(hold_governor(&hold, "performance", top), 0);
	json_t *told = hold_describe(hold);
	assert_true(json_is_null(json_object_get(told, "driver")));
	assert_true(json_is_null(json_object_get(told, "governor")));
	assert_string_equal(text_of(told, "governor_requested"), "performance");
	assert_string_equal(text_of(told, "detail"), "no cpufreq driver");
	assert_int_equal(json_array_size(json_object_get(told, "policies")), 0);
	json_decref(told);
	assert_int_equal(hold_release(hold), 0);
	assert_int_equal(hold_release(NULL), 0);
}

static void no_change_asked_for_is_none_made(void **state)
{
	struct hold *hold;

	(void)state;
	policy(0, "acpi-cpufreq\n", "ondemand\n", "ondemand performance\n", NULL);
	policy(1, "acpi-cpufreq\n", "performance\n", "ondemand performance\n", NULL);
	assert_int_equal(hold_governor(&hold, "", top), 0);
	json_t *told = hold_describe(hold);
	assert_true(json_is_null(json_object_get(told, "governor_requested")));
	assert_true(json_is_null(json_object_get(told, "governor_held")));
	assert_string_equal(text_of(told, "governor"), "mixed");
	json_decref(told);
	hold_release(hold);
	assert_governor(0, "ondemand");
}

static void a_governor_that_did_not_stick_is_told(void **state)
{
	struct hold *hold;

	(void)state;
	policy(0, "acpi-cpufreq\n", "ondemand\n", "ondemand performance\n", NULL);
	policy(1, "acpi-cpufreq\n", "ondemand\n", "ondemand performance\n", NULL);
	assert_int_equal(hold_governor(&hold, "performance", top), 0);
	/* Someone else, or the firmware, has its own way. */
	put(CPU "cpufreq/policy1/scaling_governor", "ondemand\n");
	json_t *told = hold_describe(hold);
	assert_string_equal(text_of(told, "governor"), "mixed");
	assert_true(json_is_false(json_object_get(told, "governor_held")));
	assert_string_equal(
		text_of(json_array_get(json_object_get(told, "policies"), 1), "governor"),
		"ondemand");
	json_decref(told);
	hold_release(hold);
	assert_governor(0, "ondemand");
}

static void a_governor_that_cannot_be_written_is_an_error_and_all_are_put_back(void **state)
{
	struct hold *hold;
	char path[PATH_MAX];

	(void)state;
	policy(0, "acpi-cpufreq\n", "ondemand\n", "ondemand performance\n", NULL);
	policy(1, "acpi-cpufreq\n", "ondemand\n", "ondemand performance\n", NULL);
	/* /dev/full reads as NULs and takes no byte. */
	snprintf(path, sizeof(path), "%s" CPU "cpufreq/policy1/scaling_governor", top);
	unlink(path);
	assert_int_equal(symlink("/dev/full", path), 0);
	assert_int_equal(hold_governor(&hold, "performance", top), -ENOSPC);
	assert_null(hold);
	assert_non_null(strstr(error_text(), "policy1/scaling_governor"));
	assert_governor(0, "ondemand");
}

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

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_top, remove_top)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(intel_pstate_active),
		TEST(intel_pstate_active_offers_only_two),
		TEST(nothing_is_changed_where_one_policy_does_not_offer_it),
		TEST(intel_pstate_passive),
		TEST(amd_pstate),
		TEST(acpi_cpufreq),
		TEST(no_driver_is_no_error),
		TEST(no_change_asked_for_is_none_made),
		TEST(a_governor_that_did_not_stick_is_told),
		TEST(a_governor_that_cannot_be_written_is_an_error_and_all_are_put_back),
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
