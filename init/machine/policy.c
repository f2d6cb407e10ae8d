/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/policy.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "lib/values.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#define GOVERNOR "scaling_governor"
#define EPP "energy_performance_preference"

static int read_file(char *text, size_t size, unsigned number, const char *file, const char *root)
{
	return sysfs_read(text, size, root, POLICY_PATH "/%s", number, file);
}

static size_t list_bytes(size_t room)
{
	return (room + 1) * sizeof(struct policy);
}

int policies_find(struct policies *policies, const char *root)
{
	_cleanup_free_ unsigned *numbers = NULL;
	size_t count = sysfs_numbers(&numbers, "policy", root, POLICY_DIRECTORY);

	policies->count = 0;
	policies->list = mmap(NULL, list_bytes(count), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	policies->room = count;
	if (policies->list == MAP_FAILED) {
		policies->list = NULL;
		return error_set(-ENOMEM, "no memory for the CPU frequency policies");
	}
	for (size_t i = 0; i < count; i++) {
		struct policy policy = { .number = numbers[i] };

		/* The policy of CPUs that are offline has no governor to read. */
		if (read_file(policy.governor, sizeof(policy.governor), policy.number, GOVERNOR,
			      root))
			continue;
		if (read_file(policy.epp, sizeof(policy.epp), policy.number, EPP, root))
			policy.epp[0] = '\0';
		policies->list[policies->count++] = policy;
	}
	return 0;
}

void policies_free(struct policies *policies)
{
	if (policies->list)
		munmap(policies->list, list_bytes(policies->room));
	*policies = (struct policies){ .list = NULL };
}

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	return false;
}

int policy_offers_governor(const struct policy *policy, const char *governor, const char *root)
{
	char offered[512];

	if (!*governor ||
	    read_file(offered, sizeof(offered), policy->number, "scaling_available_governors",
		      root) ||
	    has_word(offered, governor))
		return 0;
	return error_set(
		-EINVAL,
		"the governor '%s' is not offered by CPU frequency policy %u; it offers: %s",
		governor, policy->number, offered);
}

int policy_offers_epp(const struct policy *policy, const char *epp, const char *root)
{
	char offered[512], driver[POLICY_WORD_BYTES];

	if (!*epp)
		return 0;
	if (!*policy->epp) {
		read_file(driver, sizeof(driver), policy->number, "scaling_driver", root);
		return error_set(-EINVAL,
				 "CPU frequency policy %u has no energy preference with the driver "
				 "'%s'; leave epp out",
				 policy->number, driver);
	}
	if (read_file(offered, sizeof(offered), policy->number,
		      "energy_performance_available_preferences", root) ||
	    has_word(offered, epp))
		return 0;
	return error_set(-EINVAL,
			 "the energy preference '%s' is not offered by CPU frequency policy %u; it "
			 "offers: %s",
			 epp, policy->number, offered);
}

/* Nothing is written that stands there already. */
static int put(unsigned number, const char *file, const char *text, const char *root)
{
	char now[POLICY_WORD_BYTES];

	if (!read_file(now, sizeof(now), number, file, root) && !strcmp(now, text))
		return 0;
	return sysfs_write(text, root, POLICY_PATH "/%s", number, file);
}

/* What stood under this governor stands there again before it is left: intel_pstate keeps an EPP for
 * the other governor, which can be read and written only while that one is set. */
static int uncover_epp(struct policy *policy, const char *root)
{
	int result = *policy->epp_covered ?
			     put(policy->number, EPP, policy->epp_covered, root) :
			     0;

	if (!result)
		policy->epp_covered[0] = '\0';
	return result;
}

static int cover_epp(struct policy *policy, const char *epp, const char *root)
{
	char found[POLICY_WORD_BYTES];

	if (read_file(found, sizeof(found), policy->number, EPP, root))
		found[0] = '\0';
	if (!strcmp(found, epp))
		return 0;
	int result = sysfs_write(epp, root, POLICY_PATH "/" EPP, policy->number);
	if (!result)
		snprintf(policy->epp_covered, sizeof(policy->epp_covered), "%s", found);
	return result == -EBUSY ? 0 : result;
}

int policy_set(struct policy *policy, const char *governor, const char *epp, const char *root)
{
	bool found = !*governor || !strcmp(governor, policy->governor);
	int result = uncover_epp(policy, root);

	if (!result)
		result = put(policy->number, GOVERNOR, *governor ? governor : policy->governor, root);
	/* amd-pstate leaves behind the EPP that performance has. */
	if (!result && found && *policy->epp)
		result = put(policy->number, EPP, policy->epp, root);
	if (!result && *epp && *policy->epp)
		result = cover_epp(policy, epp, root);
	return result;
}

int policy_restore(struct policy *policy, const char *root)
{
	int first = uncover_epp(policy, root);
	int second = put(policy->number, GOVERNOR, policy->governor, root);
	int third = *policy->epp ? put(policy->number, EPP, policy->epp, root) : 0;

	return first ? first : second ? second : third;
}

/* A policy's file as JSON: its text, or null. */
static json_t *text_json(const struct policy *policy, const char *file, const char *root)
{
	char text[512];

	if (read_file(text, sizeof(text), policy->number, file, root) || !text[0])
		return json_null();
	return json_text(text);
}

static json_t *number_json(const struct policy *policy, const char *file, const char *root)
{
	uint64_t value;

	if (sysfs_read_u64(&value, root, POLICY_PATH "/%s", policy->number, file))
		return json_null();
	return json_integer((json_int_t)value);
}

static json_t *switch_json(const struct policy *policy, const char *file, const char *root)
{
	uint64_t value;

	if (sysfs_read_u64(&value, root, POLICY_PATH "/%s", policy->number, file))
		return json_null();
	return json_boolean(value);
}

json_t *policy_json(const struct policy *policy, const char *root)
{
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "policy", (json_int_t)policy->number,
			 "cpus", text_json(policy, "affected_cpus", root),
			 "driver", text_json(policy, "scaling_driver", root),
			 "governor", text_json(policy, GOVERNOR, root),
			 "governor_before", json_text(policy->governor),
			 "epp", text_json(policy, EPP, root),
			 "epp_before", *policy->epp ? json_text(policy->epp) : json_null(),
			 "boost", switch_json(policy, "boost", root),
			 "minimum_kilohertz", number_json(policy, "scaling_min_freq", root),
			 "maximum_kilohertz", number_json(policy, "scaling_max_freq", root));
}
