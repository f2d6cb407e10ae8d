/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/hold.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "lib/values.h"
#include "machine/guard.h"
#include "machine/policy.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct hold {
	char root[PATH_MAX];
	char governors[512]; /* all that were asked for, with blanks between */
	char governor[POLICY_WORD_BYTES], epp[POLICY_WORD_BYTES]; /* asked for now; "" = as found */
	enum boost boost;
	struct policies policies;
	struct boost_switches switches;
	struct guard guard;
	json_t *settings;
};

bool hold_has_driver(const struct hold *hold)
{
	return hold->policies.count;
}

/* --- setting --- */

/* Asked of all policies before any is changed. */
static int check_offered(const struct hold *hold, const struct hold_request *request)
{
	int result = 0;

	for (size_t i = 0; !result && i < hold->policies.count; i++) {
		const struct policy *policy = &hold->policies.list[i];

		for (size_t k = 0; !result && k < request->governor_count; k++)
			result = policy_offers_governor(policy, request->governors[k], hold->root);
		if (!result)
			result = policy_offers_epp(policy, request->epp, hold->root);
	}
	return result;
}

int hold_governor(struct hold *hold, const char *governor)
{
	int result = 0;

	snprintf(hold->governor, sizeof(hold->governor), "%s", governor);
	for (size_t i = 0; !result && i < hold->policies.count; i++)
		result = policy_set(&hold->policies.list[i], governor, hold->epp, hold->root);
	return result;
}

/* The switch for all processors sets those of the policies, so boost comes first. */
static int put_back(const struct hold *hold)
{
	int result = boost_restore(&hold->switches, hold->root);

	for (size_t i = 0; i < hold->policies.count; i++) {
		int one = policy_restore(&hold->policies.list[i], hold->root);

		result = result ? result : one;
	}
	return result;
}

static void put_back_for(void *hold)
{
	put_back(hold);
}

int hold_release(struct hold *hold)
{
	if (!hold)
		return 0;
	int result = put_back(hold);
	guard_stop(&hold->guard);
	policies_free(&hold->policies);
	boost_free(&hold->switches);
	json_decref(hold->settings);
	free(hold);
	return result;
}

/* --- telling --- */

static json_t *policies_json(const struct hold *hold)
{
	json_t *policies = json_array();

	for (size_t i = 0; i < hold->policies.count; i++)
		json_array_append_new(policies, policy_json(&hold->policies.list[i], hold->root));
	return policies;
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

/* null where nothing was asked for. */
static json_t *held(const json_t *wanted, const json_t *found)
{
	return json_is_null(wanted) ? json_null() : json_boolean(json_equal(wanted, found));
}

static json_t *wanted_text(const char *text)
{
	return *text ? json_text(text) : json_null();
}

/* What one governor comes to. */
static json_t *setting_json(const struct hold *hold)
{
	json_t *policies = policies_json(hold), *wanted = wanted_text(hold->governor);
	json_t *epp = common(policies, "epp"), *epp_wanted = wanted_text(hold->epp);
	json_t *governor = common(policies, "governor");

	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
			 "governor_requested", wanted,
			 "governor", governor,
			 "governor_held", held(wanted, governor),
			 "epp_requested", epp_wanted,
			 "epp", epp,
			 "epp_held", held(epp_wanted, epp),
			 "policies", policies);
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

static void describe_boost(const struct hold *hold, json_t *told)
{
	static const char *const names[] = { [BOOST_ON] = "on", [BOOST_OFF] = "off" };
	json_t *boost = boost_json(&hold->switches, hold->root);
	bool asked = hold->boost != BOOST_KEEP;

	json_object_set_new(told, "boost_requested",
			    asked ? json_string(names[hold->boost]) : json_null());
	json_object_set_new(told, "boost_held",
			    asked ? json_boolean(json_is_boolean(boost) &&
						 json_is_true(boost) == (hold->boost == BOOST_ON)) :
				    json_null());
	json_object_set_new(told, "boost", boost);
}

static json_t *describe_without_driver(const struct hold *hold)
{
	static const char *const unknown[] = {
		"driver",    "mode", "governor", "governor_held", "epp",
		"epp_held", "boost", "boost_held",
	};
	json_t *told = json_pack("{s:s, s:[], s:[]}", "detail", "no cpufreq driver", "policies",
				 "settings");

	describe_boost(hold, told);
	for (size_t i = 0; i < ARRAY_LENGTH(unknown); i++)
		json_object_set_new(told, unknown[i], json_null());
	json_object_set_new(told, "epp_requested", wanted_text(hold->epp));
	return told;
}

json_t *hold_describe(const struct hold *hold)
{
	json_t *told;

	if (hold->policies.count) {
		told = setting_json(hold);
		json_object_set_new(told, "driver",
				    common(json_object_get(told, "policies"), "driver"));
		json_object_set_new(told, "mode", mode_json(hold));
		json_object_set(told, "settings", hold->settings);
		describe_boost(hold, told);
	} else {
		told = describe_without_driver(hold);
	}
	json_object_set_new(told, "governor_requested", wanted_text(hold->governors));
	return told;
}

/* --- the whole --- */

static struct hold *hold_new(const struct hold_request *request, const char *root)
{
	struct hold *hold = calloc(1, sizeof(*hold));

	if (!hold)
		return NULL;
	snprintf(hold->root, sizeof(hold->root), "%s", root);
	snprintf(hold->epp, sizeof(hold->epp), "%s", request->epp);
	hold->boost = request->boost;
	hold->settings = json_array();
	for (size_t i = 0; i < request->governor_count; i++) {
		size_t used = strlen(hold->governors);

		snprintf(hold->governors + used, sizeof(hold->governors) - used, "%s%s",
			 used && *request->governors[i] ? " " : "", request->governors[i]);
	}
	return hold;
}

static bool asks(const struct hold_request *request)
{
	bool governor = false;

	for (size_t i = 0; i < request->governor_count; i++)
		governor |= *request->governors[i];
	return governor || *request->epp || request->boost != BOOST_KEEP;
}

static int set_all(struct hold *hold, const struct hold_request *request)
{
	int result = check_offered(hold, request);

	if (!result && request->guarded && asks(request))
		result = guard_start(&hold->guard, put_back_for, hold);
	if (!result && request->boost != BOOST_KEEP)
		result = boost_set(&hold->switches, request->boost == BOOST_ON, hold->root);
	for (size_t i = 0; !result && i < request->governor_count; i++) {
		result = hold_governor(hold, request->governors[i]);
		if (!result)
			json_array_append_new(hold->settings, setting_json(hold));
	}
	return result || request->governor_count < 2 ? result :
						       hold_governor(hold, request->governors[0]);
}

int hold_open(struct hold **hold, const struct hold_request *request, const char *root)
{
	struct hold *fresh = hold_new(request, root);
	char why[1024];

	*hold = NULL;
	if (!fresh)
		return error_set(-ENOMEM, "no memory to hold the CPU frequency");
	int result = policies_find(&fresh->policies, root);
	if (!result)
		result = boost_find(&fresh->switches, root);
	if (!result && hold_has_driver(fresh))
		result = set_all(fresh, request);
	if (!result) {
		*hold = fresh;
		return 0;
	}
	/* The sentence of the error is the one that counts. */
	snprintf(why, sizeof(why), "%s", error_text());
	hold_release(fresh);
	return error_set(result, "%s", why);
}
