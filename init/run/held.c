/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/held.h"

#include "lib/error.h"
#include "lib/values.h"
#include "run/describe.h"

static int open_hold(struct run *run)
{
	struct plan *plan = &run->plan;
	const char *governors[PLAN_LIST_MAX];
	const struct hold_request request = {
		.governors = governors,
		.governor_count = plan->governor_count,
		.epp = plan->epp,
		.boost = plan->boost,
		.guarded = run->directory,
	};

	for (unsigned i = 0; i < plan->governor_count; i++)
		governors[i] = plan->governors[i];
	int result = hold_open(&run->hold, &request, "");
	if (!result && !hold_has_driver(run->hold))
		plan_forget_governors(plan);
	return result;
}

/* What was asked for and did not come to be; each governor was tried. */
static void note_what_is_not_held(struct run *run, const json_t *cpufreq)
{
	const json_t *setting;
	size_t index;

	if (json_is_false(json_object_get(cpufreq, "boost_held")))
		journal_note(run->journal, "boost could not be switched as it was asked for");
	json_array_foreach(json_object_get(cpufreq, "settings"), index, setting) {
		const char *governor =
			json_string_value(json_object_get(setting, "governor_requested"));

		if (json_is_false(json_object_get(setting, "governor_held")))
			journal_note(run->journal,
				     "the governor %s, which was asked for, is not in force on every "
				     "processor: the clock speed was not under control",
				     governor);
		if (json_is_false(json_object_get(setting, "epp_held")))
			journal_note(run->journal,
				     "the energy preference that was asked for is not in force under "
				     "the governor %s",
				     governor ? governor : "that was found");
	}
}

int held_open(struct run *run)
{
	int result = open_hold(run);

	if (result)
		return result;
	json_t *machine = describe_machine(run);
	const char *model =
		json_string_value(json_object_get(json_object_get(machine, "cpu"), "model"));
	const char *hypervisor = json_string_value(json_object_get(machine, "virtual"));
	json_t *cpufreq = json_object_get(machine, "cpufreq");
	const char *key = run->plan.governor_count > 1 ? "governor_requested" : "governor";
	const char *governor = json_string_value(json_object_get(cpufreq, key));
	progress_say(run->progress, "machine   %s%s%s%s; governor: %s",
		     model ? model : "unknown processor", hypervisor ? ", virtual machine (" : "",
		     hypervisor ? hypervisor : "", hypervisor ? ")" : "",
		     governor ? governor : "no cpufreq driver");
	note_what_is_not_held(run, cpufreq);
	journal_append(run->journal, "machine", machine);
	return 0;
}

void held_link(struct run *run)
{
	int result = link_power_hold(&run->link_power, run->measured, run->plan.link_power, "");

	if (result)
		journal_note(run->journal, "%s", error_text());
	else if (!link_power_held(&run->link_power))
		journal_note(run->journal, "the link of the target's disk does not keep the power "
					   "management that was asked for");
}
