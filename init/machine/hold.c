/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/hold.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "lib/values.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Documentation/admin-guide/pm/cpufreq.rst */
#define POLICY "/sys/devices/system/cpu/cpufreq/policy%u"

enum { GOVERNOR_BYTES = 32 };

struct policy {
	unsigned number;
	char before[GOVERNOR_BYTES];
	bool changed;
};

struct hold {
	char root[PATH_MAX];
	char requested[GOVERNOR_BYTES]; /* "" = no change asked for */
	struct policy *policies;        /* in the order of their numbers */
	size_t count;
};

static int by_number(const void *left, const void *right)
{
	unsigned a = ((const struct policy *)left)->number,
		 b = ((const struct policy *)right)->number;

	return (a > b) - (a < b);
}

static int find_policies(struct hold *hold)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpufreq", hold->root);
	_cleanup_closedir_ DIR *directory = opendir(path);
	for (struct dirent *entry = directory ? readdir(directory) : NULL; entry;
	     entry = readdir(directory)) {
		struct policy policy = { 0 };
		int end = 0;

		if (sscanf(entry->d_name, "policy%u%n", &policy.number, &end) != 1 ||
		    entry->d_name[end])
			continue;
		/* The policy of CPUs that are offline has no governor to read. */
		if (sysfs_read(policy.before, sizeof(policy.before), hold->root,
			       POLICY "/scaling_governor", policy.number))
			continue;
		struct policy *larger = realloc(hold->policies, (hold->count + 1) * sizeof(policy));
		if (!larger)
			return error_set(-ENOMEM, "no memory for the CPU frequency policies");
		hold->policies = larger;
		hold->policies[hold->count++] = policy;
	}
	if (hold->count)
		qsort(hold->policies, hold->count, sizeof(*hold->policies), by_number);
	return 0;
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

/* Asked of all policies before any is changed. */
static int check_offered(const struct hold *hold)
{
	char offered[512];

	for (size_t i = 0; i < hold->count; i++) {
		unsigned number = hold->policies[i].number;

		if (sysfs_read(offered, sizeof(offered), hold->root,
			       POLICY "/scaling_available_governors", number))
			continue;
		if (!has_word(offered, hold->requested))
			return error_set(
				-EINVAL,
				"the governor '%s' is not offered by CPU frequency policy %u; it offers: %s",
				hold->requested, number, offered);
	}
	return 0;
}

static int set_governors(struct hold *hold)
{
	int result = check_offered(hold);

	for (size_t i = 0; !result && i < hold->count; i++) {
		struct policy *policy = &hold->policies[i];

		if (!strcmp(policy->before, hold->requested))
			continue;
		result = sysfs_write(hold->requested, hold->root, POLICY "/scaling_governor",
				     policy->number);
		policy->changed = !result;
	}
	return result;
}

int hold_release(struct hold *hold)
{
	int result = 0;

	if (!hold)
		return 0;
	for (size_t i = 0; i < hold->count; i++) {
		const struct policy *policy = &hold->policies[i];

		if (!policy->changed)
			continue;
		int one = sysfs_write(policy->before, hold->root, POLICY "/scaling_governor",
				      policy->number);
		result = result ? result : one;
	}
	free(hold->policies);
	free(hold);
	return result;
}

int hold_governor(struct hold **hold, const char *governor, const char *root)
{
	struct hold *fresh = calloc(1, sizeof(*fresh));
	int result;

	*hold = NULL;
	if (!fresh)
		return error_set(-ENOMEM, "no memory to hold the CPU frequency");
	snprintf(fresh->root, sizeof(fresh->root), "%s", root);
	snprintf(fresh->requested, sizeof(fresh->requested), "%s", governor);
	result = find_policies(fresh);
	if (!result && governor[0])
		result = set_governors(fresh);
	if (!result) {
		*hold = fresh;
		return 0;
	}
	/* What was changed before the error is put back; the sentence of the error is the one that
	 * counts. */
	char why[512];
	snprintf(why, sizeof(why), "%s", error_text());
	hold_release(fresh);
	return error_set(result, "%s", why);
}

/* A policy's file as JSON: its text, or null. */
static json_t *policy_text(const struct hold *hold, size_t index, const char *name)
{
	char text[512];

	if (sysfs_read(text, sizeof(text), hold->root, POLICY "/%s", hold->policies[index].number,
		       name) ||
	    !text[0])
		return json_null();
	return json_text(text);
}

static json_t *policy_number(const struct hold *hold, size_t index, const char *name)
{
	uint64_t value;

	if (sysfs_read_u64(&value, hold->root, POLICY "/%s", hold->policies[index].number, name))
		return json_null();
	return json_integer((json_int_t)value);
}

static json_t *policy_json(const struct hold *hold, size_t index)
{
	const struct policy *policy = &hold->policies[index];

	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "policy", (int)policy->number,
			 "cpus", policy_text(hold, index, "affected_cpus"),
			 "driver", policy_text(hold, index, "scaling_driver"),
			 "governor", policy_text(hold, index, "scaling_governor"),
			 "governor_before", json_text(policy->before),
			 "epp", policy_text(hold, index, "energy_performance_preference"),
			 "minimum_kilohertz", policy_number(hold, index, "scaling_min_freq"),
			 "maximum_kilohertz", policy_number(hold, index, "scaling_max_freq"));
}

/* What all policies agree on; "mixed" where they do not. */
static json_t *common(const json_t *policies, const char *name)
{
	json_t *first = json_object_get(json_array_get(policies, 0), name);

	for (size_t i = 1; i < json_array_size(policies); i++)
		if (!json_equal(first, json_object_get(json_array_get(policies, i), name)))
			return json_string("mixed");
	return json_incref(first);
}

/* true: the CPUs may run faster than their nominal clock. Each driver has its own file for it. */
static json_t *boost_json(const struct hold *hold)
{
	uint64_t value;

	if (!sysfs_read_u64(&value, hold->root, "/sys/devices/system/cpu/intel_pstate/no_turbo"))
		return json_boolean(!value);
	if (!sysfs_read_u64(&value, hold->root, "/sys/devices/system/cpu/cpufreq/boost"))
		return json_boolean(value);
	if (!sysfs_read_u64(&value, hold->root, POLICY "/boost", hold->policies[0].number))
		return json_boolean(value);
	return json_null();
}

/* "active", "passive" or "guided", where the driver has such a mode. */
static json_t *mode_json(const struct hold *hold)
{
	char text[32];

	if (!sysfs_read(text, sizeof(text), hold->root,
			"/sys/devices/system/cpu/intel_pstate/status") ||
	    !sysfs_read(text, sizeof(text), hold->root,
			"/sys/devices/system/cpu/amd_pstate/status"))
		return json_text(text);
	return json_null();
}

json_t *hold_describe(const struct hold *hold)
{
	json_t *requested = hold->requested[0] ? json_text(hold->requested) : json_null();

	if (!hold->count)
		return json_pack("{s:n, s:o, s:n, s:n, s:n, s:n, s:s, s:[]}", "driver",
				 "governor_requested", requested, "governor", "governor_held",
				 "epp", "boost", "detail", "no cpufreq driver", "policies");
	json_t *policies = json_array();
	for (size_t i = 0; i < hold->count; i++)
		json_array_append_new(policies, policy_json(hold, i));
	json_t *governor = common(policies, "governor");
	json_t *held =
		hold->requested[0] ? json_boolean(json_equal(governor, requested)) : json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "driver", common(policies, "driver"),
			 "mode", mode_json(hold),
			 "governor_requested", requested,
			 "governor", governor,
			 "governor_held", held,
			 "epp", common(policies, "epp"),
			 "boost", boost_json(hold),
			 "policies", policies);
}
