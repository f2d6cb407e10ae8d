/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holding the clock speed: each driver with each wish, failures in the middle, a process that is killed. */
#include "cpufreq_model.h"

#include "machine/hold.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* --- everything that can be set, as it is now --- */

struct state {
	char text[1024];
};

static struct state state_now(void)
{
	struct state state = { .text = "" };

	for (unsigned i = 0; i < POLICIES; i++) {
		size_t used = strlen(state.text);

		snprintf(state.text + used, sizeof(state.text) - used, "%s/%s/%s ",
			 now(policy_file(i, "scaling_governor")),
			 now(policy_file(i, "energy_performance_preference")),
			 now(policy_file(i, "boost")));
	}
	size_t used = strlen(state.text);
	snprintf(state.text + used, sizeof(state.text) - used, "no_turbo %s boost %s",
		 now(CPU "intel_pstate/no_turbo"), now(CPU "cpufreq/boost"));
	/* What intel_pstate would come back to is the machine's as well. */
	if (driver->remembers && !strcmp(driver->governor, "performance"))
		strcat(strcat(state.text, ", remembers "), remembered[1]);
	return state;
}

static void assert_state(const struct state *expected)
{
	struct state state = state_now();

	assert_string_equal(state.text, expected->text);
}

static int open_hold(struct hold **hold, const char *const *governors, size_t count,
		     const char *epp, enum boost boost)
{
	const struct hold_request request = {
		.governors = governors, .governor_count = count, .epp = epp, .boost = boost
	};

	return hold_open(hold, &request, top);
}

/* Whatever can be asked of a driver. */
struct wish {
	const char *governors[3];
	size_t count;
	const char *epp;
	enum boost boost;
};

static const struct wish wishes[] = {
	{ { "" }, 1, "", BOOST_KEEP },
	{ { "performance" }, 1, "", BOOST_KEEP },
	{ { "powersave" }, 1, "", BOOST_OFF },
	{ { "powersave", "performance" }, 2, "", BOOST_ON },
	{ { "performance", "powersave" }, 2, "power", BOOST_OFF },
	{ { "powersave", "", "performance" }, 3, "balance_power", BOOST_KEEP },
};

static bool can_have(const struct driver *one, const struct wish *wish)
{
	return !one->name || ((!*wish->epp || one->epp) &&
			      (wish->boost == BOOST_KEEP || one->boost != NO_SWITCH));
}

static int open_wish(struct hold **hold, const struct wish *wish)
{
	return open_hold(hold, wish->governors, wish->count, wish->epp, wish->boost);
}

/* --- the tests --- */

static void assert_in_force(const char *governor, const char *epp)
{
	const char *wanted = *governor ? governor : driver->governor;
	bool own_epp = driver->active && !strcmp(wanted, "performance");

	for (unsigned i = 0; i < POLICIES; i++) {
		assert_string_equal(now(policy_file(i, "scaling_governor")), wanted);
		if (driver->epp && *epp)
			assert_string_equal(now(policy_file(i, "energy_performance_preference")),
					    own_epp ? "performance" : epp);
		else if (driver->epp && !strcmp(wanted, driver->governor))
			assert_string_equal(now(policy_file(i, "energy_performance_preference")),
					    driver->epp);
	}
}

static void assert_boost(enum boost boost)
{
	const char *off = now(CPU "intel_pstate/no_turbo"), *on = now(CPU "cpufreq/boost");

	if (driver->boost == NO_TURBO)
		assert_string_equal(off, boost == BOOST_OFF ? "1" : "0");
	if (driver->boost == FOR_ALL_AND_EACH) {
		assert_string_equal(on, boost == BOOST_OFF ? "0" : "1");
		assert_string_equal(now(policy_file(1, "boost")), boost == BOOST_OFF ? "0" : "1");
	}
}

/* As the trials of two rounds would. */
static void change_about(struct hold *hold, const struct wish *wish)
{
	for (unsigned i = 0; i < 2 * wish->count; i++) {
		const char *governor = wish->governors[(i + i / wish->count) % wish->count];

		assert_int_equal(hold_governor(hold, governor), 0);
		assert_in_force(governor, wish->epp);
		assert_boost(wish->boost);
	}
}

static void each_driver_holds_each_wish_and_is_left_as_it_was(void **test)
{
	(void)test;
	for (size_t i = 0; i < ARRAY_LENGTH(drivers); i++) {
		for (size_t k = 0; k < ARRAY_LENGTH(wishes); k++) {
			struct hold *hold;

			remove_top(NULL);
			make_top(NULL);
			found(&drivers[i]);
			struct state before = state_now();
			if (!can_have(driver, &wishes[k])) {
				assert_int_equal(open_wish(&hold, &wishes[k]), -EINVAL);
				assert_int_equal(writes, 0);
				continue;
			}
			if (open_wish(&hold, &wishes[k]))
				fail_msg("%s: %s", driver->name, error_text());
			assert_int_equal(hold_has_driver(hold), driver->name != NULL);
			if (driver->name) {
				assert_in_force(wishes[k].governors[0], wishes[k].epp);
				change_about(hold, &wishes[k]);
			} else {
				assert_int_equal(hold_governor(hold, "performance"), 0);
			}
			assert_int_equal(hold_release(hold), 0);
			assert_state(&before);
			/* Nothing asked for, nothing written. */
			if (!k || !driver->name)
				assert_int_equal(writes, 0);
		}
	}
}

/* Each single write that opening makes fails once. */
static void a_failure_in_the_middle_leaves_it_as_it_was(void **test)
{
	unsigned failures = 0;

	(void)test;
	for (size_t i = 0; i < ARRAY_LENGTH(drivers); i++) {
		for (size_t k = 0; k < ARRAY_LENGTH(wishes); k++) {
			for (unsigned failing = 1;; failing++) {
				struct hold *hold;

				found(&drivers[i]);
				failing_write = failing;
				struct state before = state_now();
				if (!can_have(driver, &wishes[k]) || !open_wish(&hold, &wishes[k])) {
					if (can_have(driver, &wishes[k]))
						hold_release(hold);
					break;
				}
				assert_null(hold);
				assert_non_null(strstr(error_text(), "Input/output error"));
				assert_state(&before);
				failures++;
			}
			remove_top(NULL);
			make_top(NULL);
		}
	}
	assert_true(failures > 100);
}

/* And each that letting go makes: the rest is put back, and it is told. */
static void what_cannot_be_put_back_is_told(void **test)
{
	static const struct wish wish = { { "powersave" }, 1, "power", BOOST_OFF };
	unsigned failures = 0;

	(void)test;
	for (unsigned failing = 1;; failing++) {
		struct hold *hold;

		found(&drivers[3]);
		assert_int_equal(open_wish(&hold, &wish), 0);
		writes = 0;
		failing_write = failing;
		if (!hold_release(hold))
			break;
		assert_non_null(strstr(error_text(), "cannot write"));
		assert_true(writes >= failing);
		failures++;
	}
	assert_int_equal(failures, 3); /* boost for all, and two preferences */
}

static void what_is_not_offered_is_refused_before_anything_is_written(void **test)
{
	static const struct {
		size_t driver;
		struct wish wish;
		const char *sentence;
	} cases[] = {
		{ 0, { { "powersave", "ondemand" }, 2, "", BOOST_OFF },
		  "the governor 'ondemand' is not offered by CPU frequency policy 0; it offers: "
		  "performance powersave" },
		{ 0, { { "save" }, 1, "", BOOST_KEEP }, "the governor 'save' is not offered" },
		{ 0, { { "performance powersave x" }, 1, "", BOOST_KEEP }, "is not offered" },
		{ 0, { { "powersave" }, 1, "balanced", BOOST_KEEP },
		  "the energy preference 'balanced' is not offered by CPU frequency policy 0; it "
		  "offers: " EPPS },
		{ 7, { { "ondemand" }, 1, "power", BOOST_KEEP },
		  "CPU frequency policy 0 has no energy preference with the driver 'acpi-cpufreq'; "
		  "leave epp out" },
		{ 8, { { "ondemand" }, 1, "", BOOST_ON },
		  "boost cannot be switched on: the CPU frequency driver has no switch for it; "
		  "leave boost out" },
	};

	(void)test;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		struct hold *hold;

		remove_top(NULL);
		make_top(NULL);
		found(&drivers[cases[i].driver]);
		assert_int_equal(open_wish(&hold, &cases[i].wish), -EINVAL);
		assert_null(hold);
		if (!strstr(error_text(), cases[i].sentence))
			fail_msg("'%s' should be '%s'", error_text(), cases[i].sentence);
		assert_int_equal(writes, 0);
	}
}

static void one_policy_that_does_not_offer_it_is_enough(void **test)
{
	static const char *const governors[] = { "performance" };
	struct hold *hold;

	(void)test;
	found(&drivers[7]);
	put_policy(1, "scaling_available_governors", "schedutil ondemand");
	assert_int_equal(open_hold(&hold, governors, 1, "", BOOST_KEEP), -EINVAL);
	assert_non_null(strstr(error_text(), "policy 1; it offers: schedutil ondemand"));
	assert_int_equal(writes, 0);
}

/* --- what is told --- */

static const json_t *setting(const json_t *told, size_t index)
{
	return json_array_get(json_object_get(told, "settings"), index);
}

static void each_governor_is_told_as_it_was_read_back(void **test)
{
	static const char *const governors[] = { "performance", "powersave" };
	struct hold *hold;

	(void)test;
	found(&drivers[0]);
	assert_int_equal(open_hold(&hold, governors, 2, "power", BOOST_OFF), 0);
	json_t *told = hold_describe(hold);
	assert_string_equal(text_of(told, "driver"), "intel_pstate");
	assert_string_equal(text_of(told, "mode"), "active");
	assert_string_equal(text_of(told, "governor_requested"), "performance powersave");
	assert_string_equal(text_of(told, "governor"), "performance");
	assert_true(json_is_true(json_object_get(told, "governor_held")));
	assert_string_equal(text_of(told, "epp_requested"), "power");
	assert_string_equal(text_of(told, "epp"), "performance");
	assert_true(json_is_false(json_object_get(told, "epp_held")));
	assert_string_equal(text_of(told, "boost_requested"), "off");
	assert_true(json_is_false(json_object_get(told, "boost")));
	assert_true(json_is_true(json_object_get(told, "boost_held")));
	assert_int_equal(json_array_size(json_object_get(told, "settings")), 2);
	assert_string_equal(text_of(setting(told, 0), "governor_requested"), "performance");
	assert_string_equal(text_of(setting(told, 1), "governor"), "powersave");
	assert_string_equal(text_of(setting(told, 1), "epp"), "power");
	assert_true(json_is_true(json_object_get(setting(told, 1), "epp_held")));
	const json_t *policies = json_object_get(setting(told, 1), "policies");
	assert_int_equal(json_array_size(policies), POLICIES);
	const json_t *second = json_array_get(policies, 1);
	assert_int_equal(json_integer_value(json_object_get(second, "policy")), 1);
	assert_string_equal(text_of(second, "cpus"), "2 3");
	assert_string_equal(text_of(second, "governor_before"), "powersave");
	assert_string_equal(text_of(second, "epp_before"), "balance_performance");
	assert_int_equal(json_integer_value(json_object_get(second, "minimum_kilohertz")), 800000);
	assert_int_equal(json_integer_value(json_object_get(second, "maximum_kilohertz")), 4200000);
	json_decref(told);
	assert_int_equal(hold_release(hold), 0);
}

static void modes_and_boost_of_each_driver(void **test)
{
	static const char *const governors[] = { "" };

	(void)test;
	for (size_t i = 0; i < ARRAY_LENGTH(drivers) - 1; i++) {
		struct hold *hold;

		remove_top(NULL);
		make_top(NULL);
		found(&drivers[i]);
		assert_int_equal(open_hold(&hold, governors, 1, "", BOOST_KEEP), 0);
		json_t *told = hold_describe(hold);
		assert_string_equal(text_of(told, "driver"), driver->name);
		assert_string_equal(text_of(told, "mode"), driver->mode ? driver->mode : "(no text)");
		assert_string_equal(text_of(told, "epp"), driver->epp ? driver->epp : "(no text)");
		assert_true(json_is_null(json_object_get(told, "governor_requested")));
		assert_true(json_is_null(json_object_get(told, "governor_held")));
		assert_true(json_is_null(json_object_get(told, "epp_held")));
		assert_true(json_is_null(json_object_get(told, "boost_held")));
		assert_int_equal(json_is_true(json_object_get(told, "boost")),
				 driver->boost != NO_SWITCH);
		assert_int_equal(json_is_null(json_object_get(told, "boost")),
				 driver->boost == NO_SWITCH);
		json_decref(told);
		assert_int_equal(hold_release(hold), 0);
	}
}

static void policies_that_differ_are_mixed(void **test)
{
	static const char *const governors[] = { "" };
	struct hold *hold;

	(void)test;
	found(&drivers[3]);
	put_policy(1, "scaling_governor", "performance");
	put_policy(1, "energy_performance_preference", "performance");
	put_policy(1, "boost", "0");
	put_policy(10, "scaling_governor", "performance");
	put_policy(2, "scaling_governor", "performance");
	assert_int_equal(open_hold(&hold, governors, 1, "", BOOST_KEEP), 0);
	json_t *told = hold_describe(hold);
	assert_string_equal(text_of(told, "governor"), "mixed");
	assert_string_equal(text_of(told, "epp"), "mixed");
	assert_string_equal(text_of(told, "boost"), "mixed");
	const json_t *policies = json_object_get(told, "policies");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(policies, 2), "policy")), 2);
	assert_int_equal(json_integer_value(json_object_get(json_array_get(policies, 3), "policy")),
			 10);
	json_decref(told);
	assert_int_equal(hold_release(hold), 0);
	assert_int_equal(writes, 0);
}

static void one_policy_whose_boost_was_off_stays_off(void **test)
{
	static const char *const governors[] = { "" };
	struct hold *hold;

	(void)test;
	for (unsigned i = 0; i < 2; i++) {
		found(&drivers[7]);
		put_policy(1, "boost", "0");
		struct state before = state_now();
		assert_int_equal(open_hold(&hold, governors, 1, "", i ? BOOST_ON : BOOST_OFF), 0);
		assert_boost(i ? BOOST_ON : BOOST_OFF);
		assert_int_equal(hold_release(hold), 0);
		assert_state(&before);
	}
}

static void what_did_not_stick_is_told(void **test)
{
	static const char *const governors[] = { "performance" };
	struct hold *hold;

	(void)test;
	found(&drivers[7]);
	struct state before = state_now();
	assert_int_equal(open_hold(&hold, governors, 1, "", BOOST_OFF), 0);
	/* Someone else, or the firmware, has its own way. */
	put_policy(1, "scaling_governor", "ondemand");
	put(CPU "cpufreq/boost", "1\n");
	json_t *told = hold_describe(hold);
	assert_string_equal(text_of(told, "governor"), "mixed");
	assert_true(json_is_false(json_object_get(told, "governor_held")));
	assert_true(json_is_false(json_object_get(told, "boost_held")));
	json_decref(told);
	assert_int_equal(hold_release(hold), 0);
	put_policy(0, "boost", "1");
	put_policy(1, "boost", "1");
	assert_state(&before);
}

/* In a process of its own that gets no chance to put anything back. */
static void hold_and_die(const struct wish *wish)
{
	const struct hold_request request = {
		.governors = wish->governors,
		.governor_count = wish->count,
		.epp = wish->epp,
		.boost = wish->boost,
		.guarded = true,
	};
	struct hold *hold;

	if (!hold_open(&hold, &request, top) && !hold_governor(hold, wish->governors[wish->count - 1]))
		raise(SIGKILL);
	_exit(1);
}

static void who_is_killed_leaves_it_as_it_was(void **test)
{
	(void)test;
	/* The guard is then ours to await. */
	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	for (size_t i = 0; i < ARRAY_LENGTH(drivers) - 2; i++) {
		int status, second;

		remove_top(NULL);
		make_top(NULL);
		found(&drivers[i]);
		struct state before = state_now();
		pid_t child = fork();
		if (!child)
			hold_and_die(&wishes[driver->epp ? 4 : 2]);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		pid_t guard = waitpid(-1, &second, 0);
		assert_true(guard > 0 && guard != child);
		assert_true(WIFEXITED(second) && !WEXITSTATUS(second));
		/* What the model remembers was in the memory of those processes. */
		struct state after = state_now();
		before.text[strcspn(before.text, ",")] = after.text[strcspn(after.text, ",")] = '\0';
		assert_string_equal(after.text, before.text);
	}
	prctl(PR_SET_CHILD_SUBREAPER, 0);
}

static void no_driver_is_no_error(void **test)
{
	static const char *const governors[] = { "performance", "powersave" };
	struct hold *hold;

	(void)test;
	found(&drivers[ARRAY_LENGTH(drivers) - 1]);
	assert_int_equal(open_hold(&hold, governors, 2, "power", BOOST_OFF), 0);
	assert_false(hold_has_driver(hold));
	json_t *told = hold_describe(hold);
	assert_true(json_is_null(json_object_get(told, "driver")));
	assert_true(json_is_null(json_object_get(told, "governor")));
	assert_string_equal(text_of(told, "governor_requested"), "performance powersave");
	assert_string_equal(text_of(told, "epp_requested"), "power");
	assert_string_equal(text_of(told, "boost_requested"), "off");
	assert_true(json_is_null(json_object_get(told, "boost_held")));
	assert_string_equal(text_of(told, "detail"), "no cpufreq driver");
	assert_int_equal(json_array_size(json_object_get(told, "policies")), 0);
	json_decref(told);
	assert_int_equal(hold_release(hold), 0);
	assert_int_equal(hold_release(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_driver_holds_each_wish_and_is_left_as_it_was),
		TEST(a_failure_in_the_middle_leaves_it_as_it_was),
		TEST(what_cannot_be_put_back_is_told),
		TEST(what_is_not_offered_is_refused_before_anything_is_written),
		TEST(one_policy_that_does_not_offer_it_is_enough),
		TEST(each_governor_is_told_as_it_was_read_back),
		TEST(modes_and_boost_of_each_driver),
		TEST(policies_that_differ_are_mixed),
		TEST(one_policy_whose_boost_was_off_stays_off),
		TEST(what_did_not_stick_is_told),
		TEST(who_is_killed_leaves_it_as_it_was),
		TEST(no_driver_is_no_error),
	};

	return cmocka_run_group_tests_name("hold", tests, NULL, NULL);
}
