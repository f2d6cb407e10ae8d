/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The policies of cpufreq (Documentation/admin-guide/pm/cpufreq.rst), each with a governor and, with
 * some drivers, an energy performance preference (EPP). root as in lib/sysfs.h.
 */
#ifndef BLITBENCH_MACHINE_POLICY_H
#define BLITBENCH_MACHINE_POLICY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#define POLICY_DIRECTORY "/sys/devices/system/cpu/cpufreq"
#define POLICY_PATH POLICY_DIRECTORY "/policy%u"

enum { POLICY_WORD_BYTES = 32 };

struct policy {
	unsigned number;
	char governor[POLICY_WORD_BYTES]; /* as found */
	char epp[POLICY_WORD_BYTES];      /* as found; "" = there is none */
	/* As found under the governor that is set now, where another one stands in its place. */
	char epp_covered[POLICY_WORD_BYTES];
};

struct policies {
	struct policy *list; /* in the order of their numbers, shared with child processes */
	size_t count, room;
};

/* None is no error: there is no cpufreq driver. Freed by policies_free. */
int policies_find(struct policies *policies, const char *root);
void policies_free(struct policies *policies);

/* -EINVAL with a sentence that lists what there is where the policy does not offer the governor; the
 * same of an EPP. Nothing is written. */
int policy_offers_governor(const struct policy *policy, const char *governor, const char *root);
int policy_offers_epp(const struct policy *policy, const char *epp, const char *root);

/*
 * Sets both; "" = as found. With intel_pstate and amd-pstate in active mode the governor performance
 * has an EPP of its own and takes no other (EBUSY): that is no error, what is in force must be read
 * back.
 */
int policy_set(struct policy *policy, const char *governor, const char *epp, const char *root);

/* As it was found. Does all that can be done; the first error is told. */
int policy_restore(struct policy *policy, const char *root);

/* {policy, cpus, driver, governor, governor_before, epp, epp_before, boost, minimum_kilohertz,
 * maximum_kilohertz}, read anew; null for what there is not. */
json_t *policy_json(const struct policy *policy, const char *root);

#endif
