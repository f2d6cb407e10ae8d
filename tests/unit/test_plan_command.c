/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blitbench plan: wrong uses, the profiles that are shipped, a person's own manifest and conf. */
#include "command_fixture.h"

#include <dirent.h>
#include <jansson.h>

static void wrong_uses_of_plan(void **state)
{
	(void)state;
	assert_int_equal(RUN("plan", "--bogus"), 2);
	assert_complained("blitbench: '--bogus' is no option of plan; see 'blitbench plan --help'");
	assert_int_equal(RUN("plan", "--print-conf", "bogus"), 2);
	assert_complained("'--print-conf' is no option of plan");
	assert_int_equal(RUN("plan"), 2);
	assert_complained("plan needs a profile, or one of --print-conf and --print-keys");
	assert_int_equal(RUN("plan", "quick", "--json", "--conf"), 2);
	assert_complained("--conf needs a file");
	assert_int_equal(RUN("plan", "--print-conf", "--print-keys"), 2);
	assert_complained("'--print-conf' is no option of plan");
	assert_int_equal(RUN("plan", "quick", "seed"), 2);
	assert_complained("plan takes one profile, and 'seed' is a second");
	assert_int_equal(RUN("plan", "quick", "--workloads"), 2);
	assert_complained("--workloads needs a folder");
	assert_int_equal(RUN("plan", "missing", "--workloads", "workloads"), 2);
	assert_complained("no such profile in workloads");
	assert_int_equal(RUN("plan", "quick", "--workloads", "workloads", "trials=0"), 2);
	assert_complained("the command line: trials = \"0\": must be a number from 1 to 100");
	assert_int_equal(RUN("plan", "quick", "--workloads", "workloads", "workload=none"), 2);
	assert_complained("no such workload");
}

struct shipped_profile {
	const char *name, *workload;
	unsigned rounds, sessions, trials, without_cpufreq;
};

/* By their names, as they are shipped: no session or trial more or less than they are meant to
 * have. Most are looked at with a small workload, which reads faster. */
static const struct shipped_profile shipped_profiles[] = {
	{ "quick", "small", 1, 3, 3 * 2 * 2 * 3, 36 },
	/* Two governors. */
	{ "seed", NULL, 6, 6 * 3, 2 * 6 * 3 * 2 * 2 * 3, 216 },
	{ "seed-vm", NULL, 6, 6 * 3, 6 * 3 * 2 * 2 * 3, 216 },
	/* ext4 and f2fs have five ways, those with reflinks six. */
	{ "engines", "small", 1, 5, (2 * 5 + 3 * 6) * 2 * 5, 280 },
	{ "layouts", "small", 1, 3 * 4, 3 * 4 * 2 * 2 * 5, 240 },
	{ "full", "small", 6, 6 * 5 * 4, 6 * 4 * (2 * 5 + 3 * 6) * 2 * 2, 2688 },
};

static json_int_t printed_number(const json_t *plan, const char *name)
{
	return json_integer_value(json_object_get(plan, name));
}

static void shipped_profiles_are_exact(void **state)
{
	_cleanup_closedir_ DIR *folder = opendir("workloads/profiles");
	unsigned files = 0;

	(void)state;
	assert_non_null(folder);
	for (const struct dirent *entry; (entry = readdir(folder));)
		files += entry->d_name[0] != '.';
	assert_int_equal(files, ARRAY_LENGTH(shipped_profiles));
	for (size_t i = 0; i < ARRAY_LENGTH(shipped_profiles); i++) {
		const struct shipped_profile *profile = &shipped_profiles[i];
		char workload[48];

		if (profile->workload)
			snprintf(workload, sizeof(workload), "workload=%s", profile->workload);
		assert_int_equal(RUN("plan", profile->name, "--json", "--workloads", "workloads",
				     profile->workload ? workload : "threads=2"),
				 0);
		json_t *plan = json_load_file(in_top("out"), 0, NULL);
		assert_non_null(plan);
		assert_int_equal(printed_number(plan, "rounds"), profile->rounds);
		assert_int_equal(printed_number(plan, "sessions"), profile->sessions);
		assert_int_equal(printed_number(plan, "trials"), profile->trials);
		assert_int_equal(printed_number(plan, "trials_without_cpufreq"),
				 profile->without_cpufreq);
		assert_int_equal(json_array_size(json_object_get(plan, "order")), profile->rounds);
		json_decref(plan);
	}
}

/* With a workload and trials that win over it. */
static void shipped_profiles_can_be_previewed(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(shipped_profiles); i++) {
		assert_int_equal(RUN("plan", shipped_profiles[i].name, "--workloads", "workloads",
				     "workload=small", "trials=1", "threads=2"),
				 0);
		assert_printed("workload     small: ");
		assert_printed("trials       1 of each kind, ");
	}
	assert_printed("moss-2026 auto, 2 threads\n             moss-2026 hardlink, 2 threads\n");
	assert_printed("  round 1    ext4 3x2, ext4 2x2, ext4 1x2, ext4 flat,\n");
}

/* A person's own manifest, and what a stick's copy of blitbench.conf says. */
static void plan_takes_paths_and_a_conf(void **state)
{
	char path[PATH_MAX], workload[PATH_MAX + 16], conf[PATH_MAX];

	(void)state;
	assert_non_null(realpath("workloads/small.mtree.zst", path));
	snprintf(workload, sizeof(workload), "workload=%s", path);
	assert_int_equal(RUN("plan", "quick", "--workloads", "workloads", workload), 0);
	assert_printed("10422 entries");
	assert_int_equal(
		RUN("plan", "quick", "--workloads", "workloads", "workload=small.mtree.zst"), 2);
	assert_complained("no such file, and no such workload in workloads");

	strcpy(conf, in_top("conf"));
	put_text("conf", "[blitbench]\nprofile = layouts\nworkload = small\nrounds = 2\n");
	assert_int_equal(RUN("plan", "--conf", conf, "--workloads", "workloads", "--command-line",
			     "quiet blitbench.trials=2"),
			 0);
	assert_printed("profile      layouts\n");
	assert_printed("trials       2 of each kind, ");
	put_text("conf", "[blitbench]\nround = 2\nworkload = /etc/passwd\n");
	assert_int_equal(RUN("plan", "--conf", conf, "--workloads", "workloads"), 2);
	assert_complained("conf, line 2: \"round\" is not a key; did you mean rounds?");
	assert_complained(
		"conf, line 3: workload = \"/etc/passwd\": must be the name of a workload");
	assert_int_equal(RUN("plan", "--conf", "/nonexistent/missing"), 1);
	assert_complained("missing: No such file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_uses_of_plan),
		cmocka_unit_test(shipped_profiles_are_exact),
		cmocka_unit_test(shipped_profiles_can_be_previewed),
		cmocka_unit_test(plan_takes_paths_and_a_conf),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
