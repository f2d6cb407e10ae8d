/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the cpufreq drivers of Linux 6.12 show, refuse, and change besides what is written: a model on a
 * hand-written tree, which the linker puts in the place of sysfs_write.
 */
#ifndef BLITBENCH_TESTS_CPUFREQ_MODEL_H
#define BLITBENCH_TESTS_CPUFREQ_MODEL_H

#include "machine_fixture.h"

#include "lib/error.h"
#include "lib/sysfs.h"

#include <errno.h>

enum { POLICIES = 2 };

enum boost_kind { NO_SWITCH, NO_TURBO, FOR_ALL, FOR_ALL_AND_EACH };

/* A machine as it is found. */
struct driver {
	const char *name, *mode; /* mode NULL = the driver has none */
	const char *offered, *governor;
	const char *epp; /* NULL = it has none */
	enum boost_kind boost;
	/* drivers/cpufreq/intel_pstate.c and amd-pstate.c: performance has an EPP of its own and takes no
	 * other; the former remembers the other governor's, the latter does not. */
	bool active, remembers;
};

static const struct driver drivers[] = {
	{ "intel_pstate", "active", "performance powersave", "powersave", "balance_performance",
	  NO_TURBO, true, true },
	{ "intel_pstate", "active", "performance powersave", "performance", "performance", NO_TURBO,
	  true, true },
	{ "intel_cpufreq", "passive", "conservative powersave performance schedutil", "schedutil",
	  "balance_performance", NO_TURBO, false, false },
	{ "amd-pstate-epp", "active", "performance powersave", "powersave", "balance_performance",
	  FOR_ALL_AND_EACH, true, false },
	{ "amd-pstate-epp", "active", "performance powersave", "performance", "performance",
	  FOR_ALL_AND_EACH, true, false },
	{ "amd-pstate", "passive", "powersave performance schedutil", "schedutil", NULL,
	  FOR_ALL_AND_EACH, false, false },
	{ "amd-pstate", "guided", "powersave performance schedutil", "schedutil", NULL,
	  FOR_ALL_AND_EACH, false, false },
	{ "acpi-cpufreq", NULL, "powersave ondemand performance schedutil", "ondemand", NULL,
	  FOR_ALL_AND_EACH, false, false },
	{ "acpi-cpufreq", NULL, "powersave ondemand performance schedutil", "powersave", NULL,
	  NO_SWITCH, false, false },
	{ NULL, NULL, NULL, NULL, NULL, NO_SWITCH, false, false },
};

#define EPPS "default performance balance_performance balance_power power"

static const struct driver *driver;
static char remembered[POLICIES][32];
static unsigned writes, failing_write; /* counted from 1; 0 = none fails */

static const char *policy_file(unsigned number, const char *file)
{
	static char path[128];

	snprintf(path, sizeof(path), CPU "cpufreq/policy%u/%s", number, file);
	return path;
}

static void put_policy(unsigned number, const char *file, const char *text)
{
	char line[256];

	snprintf(line, sizeof(line), "%s\n", text);
	put(policy_file(number, file), line);
}

static void found(const struct driver *as)
{
	driver = as;
	writes = failing_write = 0;
	for (unsigned i = 0; as->name && i < POLICIES; i++) {
		strcpy(remembered[i], "balance_power");
		put_policy(i, "scaling_driver", as->name);
		put_policy(i, "scaling_governor", as->governor);
		put_policy(i, "scaling_available_governors", as->offered);
		put_policy(i, "affected_cpus", i ? "2 3" : "0 1");
		put_policy(i, "scaling_min_freq", "800000");
		put_policy(i, "scaling_max_freq", "4200000");
		if (as->epp) {
			put_policy(i, "energy_performance_preference", as->epp);
			put_policy(i, "energy_performance_available_preferences", EPPS);
		}
		if (as->boost == FOR_ALL_AND_EACH)
			put_policy(i, "boost", "1");
	}
	if (as->boost == NO_TURBO)
		put(CPU "intel_pstate/no_turbo", "0\n");
	if (as->boost == FOR_ALL || as->boost == FOR_ALL_AND_EACH)
		put(CPU "cpufreq/boost", "1\n");
	if (as->mode)
		put(*as->name == 'i' ? CPU "intel_pstate/status" : CPU "amd_pstate/status", as->mode);
}

/* --- the model --- */

static const char *now(const char *path)
{
	static char text[4][512];
	static unsigned which;
	char *next = text[which++ % 4];

	sysfs_read(next, sizeof(text[0]), top, "%s", path);
	return next;
}

static int write_governor(unsigned number, const char *text)
{
	char before[32];

	if (!strstr(driver->offered, text))
		return -EINVAL;
	snprintf(before, sizeof(before), "%s", now(policy_file(number, "scaling_governor")));
	put_policy(number, "scaling_governor", text);
	if (!driver->active || !strcmp(before, text))
		return 0;
	if (!strcmp(text, "performance")) {
		snprintf(remembered[number], sizeof(remembered[0]), "%s",
			 now(policy_file(number, "energy_performance_preference")));
		put_policy(number, "energy_performance_preference", "performance");
	} else if (driver->remembers) {
		put_policy(number, "energy_performance_preference", remembered[number]);
	}
	return 0;
}

static int write_epp(unsigned number, const char *text)
{
	if (driver->active && strcmp(text, "performance") &&
	    !strcmp(now(policy_file(number, "scaling_governor")), "performance"))
		return -EBUSY;
	if (!strstr(EPPS, text))
		return -EINVAL;
	put_policy(number, "energy_performance_preference", text);
	return 0;
}

/* drivers/cpufreq/cpufreq.c */
static int write_boost_of_one(unsigned number, const char *text)
{
	if (strcmp(now(CPU "cpufreq/boost"), "1"))
		return -EINVAL;
	put_policy(number, "boost", text);
	return 0;
}

static int write_boost_of_all(const char *text)
{
	put(CPU "cpufreq/boost", text);
	for (unsigned i = 0; i < POLICIES && driver->boost == FOR_ALL_AND_EACH; i++)
		put_policy(i, "boost", text);
	return 0;
}

static int model(const char *path, const char *text)
{
	unsigned number;
	char file[64];

	if (sscanf(path, CPU "cpufreq/policy%u/%63s", &number, file) == 2)
		return !strcmp(file, "scaling_governor") ? write_governor(number, text) :
		       !strcmp(file, "boost")            ? write_boost_of_one(number, text) :
							   write_epp(number, text);
	if (!strcmp(path, CPU "cpufreq/boost"))
		return write_boost_of_all(text);
	assert_string_equal(path, CPU "intel_pstate/no_turbo");
	put(path, text);
	return 0;
}

int __wrap_sysfs_write(const char *text, const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

int __wrap_sysfs_write(const char *text, const char *root, const char *format, ...)
{
	char path[256];
	va_list arguments;

	assert_string_equal(root, top);
	va_start(arguments, format);
	vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	int result = ++writes == failing_write ? -EIO : model(path, text);
	return result ? error_set(result, "cannot write '%s' to %s%s: %s", text, top, path,
				  strerror(-result)) :
			0;
}

#endif
