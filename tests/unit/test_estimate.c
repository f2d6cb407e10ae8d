/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a plan tells of memory, time and bytes, against runs that were measured
 * (tests/data/measured-runs.jsonl, from the journals of two runs in QEMU without KVM). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "report/published.h"
#include "run/estimate.h"
#include "run/memory.h"

#include <math.h>
#include <string.h>

static struct config *config;
static struct plan plan;
static struct workload workload;
static char workload_read_is[PATH_MAX + 32]; /* its path and what its contents are capped at */
static struct needs needs;

static void make_plan(const char *words)
{
	config = config_new(plan_names);
	assert_non_null(config);
	config_read_command_line(config, words);
	assert_int_equal(plan_make_ahead(&plan, config, "workloads", false), 0);
}

/* The last one is kept: the next test may want it, too, and the large ones take a second. */
static void read_workload(void)
{
	char wanted[sizeof(workload_read_is)];

	snprintf(wanted, sizeof(wanted), "%s %llu", plan.base_path,
		 (unsigned long long)plan.cap_bytes);
	if (strcmp(wanted, workload_read_is)) {
		workload_free(&workload);
		strcpy(workload_read_is, wanted);
		assert_int_equal(workload_read(&workload, plan.workload, plan.base_path,
					       plan.delta_path, NULL),
				 0);
		if (plan.cap_bytes)
			assert_int_equal(workload_cap(&workload, plan.cap_bytes), 0);
	}
	assert_int_equal(needs_make(&needs, &plan, &workload), 0);
}

static int free_workload(void **state)
{
	(void)state;
	workload_free(&workload);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	config_free(config);
	config = NULL;
	return 0;
}

/* The runs that were measured, by the name of their workload. */
static json_t *measured(const char *name)
{
	_cleanup_fclose_ FILE *file = fopen("tests/data/measured-runs.jsonl", "r");
	json_t *run;

	assert_non_null(file);
	while ((run = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
		char words[256];

		if (strcmp(json_string_value(json_object_get(run, "workload")), name)) {
			json_decref(run);
			continue;
		}
		snprintf(words, sizeof(words),
			 "blitbench.workload=%s blitbench.content=%s blitbench.rounds=%lld "
			 "blitbench.trials=%lld",
			 name, json_string_value(json_object_get(run, "content")),
			 json_integer_value(json_object_get(run, "rounds")),
			 json_integer_value(json_object_get(run, "trials")));
		make_plan(words);
		read_workload();
		return run;
	}
	fail_msg("no run of %s is among those that were measured", name);
	return NULL;
}

static double counter(const json_t *session, const char *when, const char *name)
{
	return json_number_value(json_object_get(json_object_get(session, when), name));
}

static double kept(const json_t *session, const char *name)
{
	return counter(session, "warm", name) - counter(session, "pinned", name);
}

static void assert_near(const char *what, const char *filesystem, double told, double found,
			double least, double most)
{
	if (told < found * least || told > found * most)
		fail_msg("%s on %s: %.0f were told and %.0f were found", what, filesystem, told,
			 found);
}

/*
 * One tree stands when the counters are read, and two while a blit makes the second. xfs keeps some
 * inodes that are gone a while longer; buffers and cached pages hold some more than inodes and
 * directories.
 */
static void memory_is_as_measured(void **state)
{
	json_t *run = measured(*state), *session;
	size_t i;

	json_array_foreach(json_object_get(run, "sessions"), i, session)
	{
		const char *name = json_string_value(json_object_get(session, "filesystem"));
		const struct filesystem *fs = filesystem_find(name);
		struct memory_need need;

		memory_need(&need, &plan, &workload, fs, plan.stores[0]);
		assert_near("directories of the store", name, (double)need.store_directories,
			    json_number_value(json_object_get(session, "directories")), 0.995,
			    1.005);
		assert_near("inodes", name, (double)(need.inodes - need.tree_inodes),
			    kept(session, "inodes"), 0.9, 1.02);
		assert_near("dentries", name,
			    (double)(need.dentries - workload.install.entry_count),
			    kept(session, "dentries"), 0.97, 1.03);
		if (!strcmp(name, "ext4"))
			assert_near("buffers", name, (double)need.cached_bytes,
				    kept(session, "buffer_bytes"), 1, 1.3);
		if (!strcmp(name, "f2fs"))
			assert_near("pages", name, (double)need.cached_bytes,
				    kept(session, "cached_bytes"), 1, 1.3);
		assert_true(need.bytes > need.object_bytes + need.cached_bytes);
	}
	json_decref(run);
}

static void time_is_as_measured(void **state)
{
	json_t *run = measured(*state);
	double seconds = json_number_value(json_object_get(run, "seconds"));
	struct estimate estimate;

	estimate_make(&estimate, &plan, &workload, &needs);
	struct range all = estimate_seconds(&estimate, WHERE_EMULATED);
	if (seconds < all.low || seconds > all.high)
		fail_msg("%.0f to %.0f s were told, and it took %.0f", all.low, all.high, seconds);
	/* A range that says nothing would hold everything. */
	assert_true(all.high < 6 * all.low);
	json_decref(run);
}

/*
 * tests/data/measured-writes.jsonl: mkfs and a run in a directory of a filesystem of 4 GiB on a
 * loop device, as its counters had them. xfs is not among them: without a freeze it leaves most in
 * its log.
 */
static void bytes_are_as_measured(void **state)
{
	_cleanup_fclose_ FILE *file = fopen("tests/data/measured-writes.jsonl", "r");
	json_t *run;

	(void)state;
	assert_non_null(file);
	make_plan("");
	read_workload();
	while ((run = json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL))) {
		double bytes = json_number_value(json_object_get(run, "written_bytes"));
		struct estimate estimate;
		char words[192];

		config_free(config);
		snprintf(words, sizeof(words),
			 "blitbench.filesystems=%s blitbench.trials=%lld blitbench.caches=hot "
			 "blitbench.operations=install",
			 json_string_value(json_object_get(run, "filesystem")),
			 json_integer_value(json_object_get(run, "trials")));
		json_decref(run);
		make_plan(words);
		assert_int_equal(needs_make(&needs, &plan, &workload), 0);
		needs.partition_bytes = 4ULL << 30;
		estimate_make(&estimate, &plan, &workload, &needs);
		if (bytes < estimate.written_bytes.low || bytes > estimate.written_bytes.high)
			fail_msg("with %s %.0f to %.0f bytes were told, and %.0f were written",
				 words, estimate.written_bytes.low, estimate.written_bytes.high,
				 bytes);
	}
}

/* More of anything is more of the time, the bytes and, but for rounds, the memory. */
static void more_takes_more(void **state)
{
	static const char *const more[] = {
		"rounds=2",
		"trials=4",
		"filesystems=ext4,xfs,f2fs,btrfs",
		"engines=moss-2025,handle",
		"age=3",
	};
	struct estimate least, estimate;

	(void)state;
	make_plan("");
	read_workload();
	estimate_make(&least, &plan, &workload, &needs);
	for (size_t i = 0; i < ARRAY_LENGTH(more); i++) {
		char words[128];

		snprintf(words, sizeof(words), "blitbench.%s", more[i]);
		config_free(config);
		make_plan(words);
		assert_int_equal(needs_make(&needs, &plan, &workload), 0);
		estimate_make(&estimate, &plan, &workload, &needs);
		for (enum where where = 0; where < WHERES; where++) {
			struct range few = estimate_seconds(&least, where);
			struct range many = estimate_seconds(&estimate, where);

			assert_true(many.low > few.low && many.high > few.high);
			assert_true(many.low < many.high);
		}
		assert_true(estimate.written_bytes.low > least.written_bytes.low);
		assert_true(estimate.written_bytes.low < estimate.written_bytes.high);
	}
}

/* Filling and fsck come once, and an emulated machine has no governors. */
static void governors_double_the_trials_of_a_pc(void **state)
{
	struct estimate one, two;

	(void)state;
	make_plan("blitbench.cool_down=0");
	read_workload();
	estimate_make(&one, &plan, &workload, &needs);
	config_free(config);
	make_plan("blitbench.cool_down=0 blitbench.governor=powersave,performance");
	estimate_make(&two, &plan, &workload, &needs);
	assert_int_equal(two.trials, 2 * one.trials);
	assert_int_equal(two.trials_without_cpufreq, one.trials);
	assert_int_equal(two.sessions, one.sessions);
	for (enum part part = 0; part < PARTS; part++) {
		double times = part == PART_TRIALS || part == PART_WAITS ? 2 : 1;

		for (enum where where = 0; where < WHERES; where++)
			assert_true(fabs(two.seconds[where][part].high -
					 one.seconds[where][part].high *
						 (where == WHERE_METAL ? times : 1)) < 1e-6);
	}
	assert_true(two.written_bytes.high > one.written_bytes.high);
}

/* The store's layout decides how much has to stay in memory. */
static void fewer_directories_need_less_memory(void **state)
{
	struct memory_need deep, flat;

	(void)state;
	make_plan("");
	read_workload();
	for (unsigned i = 0; i < plan.filesystem_count; i++) {
		const struct filesystem *fs = plan.filesystems[i];

		memory_need(&deep, &plan, &workload, fs, fanout_find("3x2"));
		memory_need(&flat, &plan, &workload, fs, fanout_find("flat"));
		assert_int_equal(flat.store_directories, 1);
		assert_true(flat.bytes < deep.bytes);
		assert_true(memory_most(&plan, &workload, fs) == deep.bytes);
	}
}

static void a_machine_that_is_too_small_is_told(void **state)
{
	uint64_t ext4, xfs;
	char text[512];

	(void)state;
	make_plan("blitbench.filesystems=ext4,xfs");
	read_workload();
	ext4 = memory_most(&plan, &workload, plan.filesystems[0]);
	xfs = memory_most(&plan, &workload, plan.filesystems[1]);
	assert_true(xfs < ext4);
	assert_string_equal(memory_warning(&plan, &workload, ext4, text, sizeof(text)), "");
	assert_string_equal(memory_warning(&plan, &workload, 0, text, sizeof(text)), "");
	memory_warning(&plan, &workload, xfs, text, sizeof(text));
	assert_non_null(strstr(text, "GiB on ext4, and this machine has"));
	assert_null(strstr(text, "xfs"));
	memory_warning(&plan, &workload, xfs - 1, text, sizeof(text));
	assert_non_null(strstr(text, "on ext4, "));
	assert_non_null(strstr(text, "GiB on xfs, and this machine has"));
	config_free(config);
	make_plan("blitbench.caches=cold");
	assert_string_equal(memory_warning(&plan, &workload, 1, text, sizeof(text)), "");
}

/* Every row has facts of its own, whose ranges are ranges; what was published lies in them. */
static void each_filesystem_has_facts(void **state)
{
	char word[CONFIG_WORD_BYTES];
	const char *names = filesystem_names();

	(void)state;
	while (config_next_word(&names, word, sizeof(word))) {
		const struct facts *facts = facts_of(filesystem_find(word));

		assert_string_equal(facts->filesystem, word);
		assert_true(facts->inode_bytes > 0 && facts->cached_inode_bytes > 0);
		const struct range ranges[] = { facts->hot,    facts->cold, facts->cold_fewer,
						facts->settle, facts->fill, facts->check,
						facts->write };
		for (size_t i = 0; i < ARRAY_LENGTH(ranges); i++)
			assert_true(ranges[i].low > 0 && ranges[i].low < ranges[i].high);
	}
	const struct filesystem other = { .name = "bcachefs" };
	assert_string_equal(facts_of(&other)->filesystem, "");
	for (size_t i = 0; i < published_cell_count; i++) {
		const struct published_cell *cell = &published_cells[i];
		const struct blit_method method = { .engine = engine_find("moss-2025"),
						    .strategy = STRATEGY_HARDLINK };
		struct range told = facts_blit(
			facts_of(filesystem_find(cell->filesystem)), WHERE_METAL, &method,
			fanout_find("3x2"), strcmp(cell->cache, "hot") ? CACHE_COLD : CACHE_HOT,
			strcmp(cell->operation, "remove") ? OPERATION_INSTALL : OPERATION_REMOVE);
		double found = cell->seconds / (double)cell->entries;

		assert_true(told.low < found && found < told.high);
	}
}

/* As the engine settles it where it runs. */
static void no_way_is_tried_twice(void **state)
{
	static const struct {
		const char *filesystem;
		enum strategy expected[2];
		unsigned count;
	} cases[] = {
		{ "ext4", { STRATEGY_HARDLINK }, 1 },
		{ "f2fs", { STRATEGY_HARDLINK }, 1 },
		{ "xfs", { STRATEGY_REFLINK, STRATEGY_HARDLINK }, 2 },
		{ "btrfs", { STRATEGY_REFLINK, STRATEGY_HARDLINK }, 2 },
	};
	struct blit_method methods[STRATEGIES];

	(void)state;
	make_plan("blitbench.strategy=auto,reflink,hardlink,copy");
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		const struct filesystem *fs = filesystem_find(cases[i].filesystem);

		assert_int_equal(plan_methods(&plan, engine_find("moss-2026"), fs, methods),
				 cases[i].count);
		for (unsigned k = 0; k < cases[i].count; k++)
			assert_int_equal(methods[k].strategy, cases[i].expected[k]);
		assert_int_equal(plan_methods(&plan, engine_find("handle"), fs, methods), 1);
		assert_int_equal(methods[0].strategy, STRATEGY_HARDLINK);
	}
}

int main(void)
{
	static const char small[] = "small", desktop[] = "desktop";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate_setup_teardown(memory_is_as_measured, NULL, tear_down,
							 (void *)small),
		cmocka_unit_test_prestate_setup_teardown(time_is_as_measured, NULL, tear_down,
							 (void *)small),
		cmocka_unit_test_prestate_setup_teardown(memory_is_as_measured, NULL, tear_down,
							 (void *)desktop),
		cmocka_unit_test_prestate_setup_teardown(time_is_as_measured, NULL, tear_down,
							 (void *)desktop),
		cmocka_unit_test_teardown(bytes_are_as_measured, tear_down),
		cmocka_unit_test_teardown(more_takes_more, tear_down),
		cmocka_unit_test_teardown(governors_double_the_trials_of_a_pc, tear_down),
		cmocka_unit_test_teardown(fewer_directories_need_less_memory, tear_down),
		cmocka_unit_test_teardown(a_machine_that_is_too_small_is_told, tear_down),
		cmocka_unit_test(each_filesystem_has_facts),
		cmocka_unit_test_teardown(no_way_is_tried_twice, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, free_workload);
}
