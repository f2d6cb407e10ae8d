/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the configuration's words mean. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/tree.h"
#include "run/plan.h"
#include "run/preview.h"
#include "run/unfinished.h"
#include "workload/workers.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static char top[64];
static struct config *config;
static struct plan plan;

static void put(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	_cleanup_fclose_ FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
}

static void make_folder(const char *name)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	assert_int_equal(mkdir(path, 0755), 0);
}

/* A results volume with a workload of its own, since a host has none built in. */
static int set_up(void **state)
{
	(void)state;
	if (scratch_make(top, "plan"))
		return -1;
	make_folder("workloads");
	put("workloads/mine.mtree.zst", "");
	put("workloads/mine-nano.mtree.zst", "");
	put("tree.mtree", "");
	config = config_new(plan_names);
	return config ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	config_free(config);
	return tree_remove(AT_FDCWD, top);
}

static int make(const char *command_line, bool virtual_machine)
{
	config_read_command_line(config, command_line);
	return plan_make(&plan, config, top, virtual_machine);
}

static void defaults(void **state)
{
	(void)state;
	assert_int_equal(make("blitbench.workload=mine", false), 0);
	assert_int_equal(plan.filesystem_count, 3);
	assert_string_equal(plan.filesystems[0]->name, "ext4");
	assert_string_equal(plan.filesystems[2]->name, "f2fs");
	assert_int_equal(plan.engine_count, 1);
	assert_string_equal(plan.engines[0]->name, "moss-2025");
	assert_int_equal(plan.strategy_count, 1);
	assert_int_equal(plan.strategies[0], STRATEGY_AUTO);
	assert_int_equal(plan.threads, sysconf(_SC_NPROCESSORS_ONLN));
	assert_false(plan.latency);
	assert_int_equal(plan.cache_count, 2);
	assert_int_equal(plan.caches[0], CACHE_HOT);
	assert_int_equal(plan.operations[0], OPERATION_REMOVE);
	assert_int_equal(plan.operations[1], OPERATION_INSTALL);
	assert_true(plan.cold_drop && !plan.cold_remount);
	assert_int_equal(plan.rounds, 1);
	assert_int_equal(plan.trials, 3);
	assert_int_equal(plan.limit_minutes, 0);
	assert_int_equal(plan.governor_count, 1);
	assert_string_equal(plan.governors[0], "performance");
	assert_string_equal(plan.epp, "");
	assert_int_equal(plan.boost, BOOST_KEEP);
	assert_int_equal(plan.cool_down_seconds, 60);
	assert_string_equal(plan.wish.partlabel, "blitbench-target");
	assert_false(plan.wish.overwrite || plan.wish.same_disk || plan.dry_run);
	assert_int_equal(plan.after, AFTER_POWEROFF);
	assert_string_equal(plan.content, "full");
	assert_int_equal(plan.cap_bytes, 0);
	assert_string_equal(plan.order, "moss");
	assert_int_equal(plan.writers, 8);
	assert_int_equal(plan.age, 0);
	assert_int_equal(plan.keep_states, 0);
	/* A shipped name brings its delta with it. */
	assert_non_null(strstr(plan.base_path, "workloads/mine.mtree.zst"));
	assert_non_null(strstr(plan.delta_path, "workloads/mine-nano.mtree.zst"));
}

/* A machine of so many processors; 0 = this one. */
static long processors;

long __sysconf(int name); /* the library's own */

long sysconf(int name)
{
	return name == _SC_NPROCESSORS_ONLN && processors ? processors : __sysconf(name);
}

/* As many as moss starts, also on machines that are larger than what else the program does needs. */
static void a_thread_for_each_processor(void **state)
{
	static const long machines[] = { 1, 64, 65, 96, 256 };

	(void)state;
	config_read_command_line(config, "blitbench.workload=mine");
	for (size_t i = 0; i < ARRAY_LENGTH(machines); i++) {
		processors = machines[i];
		assert_int_equal(plan_make(&plan, config, top, true), 0);
		assert_int_equal(plan.threads, machines[i]);
		assert_in_range(workers_processors(WORKERS_MAX), 1, WORKERS_MAX);
	}
	processors = 1000;
	assert_int_equal(plan_make(&plan, config, top, true), 0);
	assert_int_equal(plan.threads, BLIT_THREADS_MAX);
	processors = 0;
}

static void people_get_a_countdown_and_machines_do_not(void **state)
{
	(void)state;
	assert_int_equal(make("blitbench.workload=mine", false), 0);
	assert_int_equal(plan.countdown_seconds, 10);
	assert_int_equal(plan.hold_seconds, 600);
	assert_int_equal(plan_make(&plan, config, top, true), 0);
	assert_int_equal(plan.countdown_seconds, 0);
	assert_int_equal(plan.hold_seconds, 0);
}

static void what_is_set_is_meant(void **state)
{
	(void)state;
	assert_int_equal(
		make("blitbench.workload=tree.mtree blitbench.filesystems=xfs blitbench.caches=cold "
		     "blitbench.cold=drop+remount blitbench.operations=install blitbench.rounds=6 "
		     "blitbench.governor=keep blitbench.strategy=reflink,hardlink blitbench.threads=7 "
		     "blitbench.store=flat,3x2 blitbench.content=capped:4096 blitbench.after=hold blitbench.countdown=3 "
		     "blitbench.overwrite=yes blitbench.model=SSD blitbench.latency=yes "
		     "blitbench.epp=power blitbench.boost=off blitbench.cool_down=5",
		     false),
		0);
	assert_int_equal(plan.filesystem_count, 1);
	assert_int_equal(plan.cache_count, 1);
	assert_int_equal(plan.caches[0], CACHE_COLD);
	assert_true(plan.cold_drop && plan.cold_remount);
	assert_int_equal(plan.strategy_count, 2);
	assert_int_equal(plan.strategies[0], STRATEGY_REFLINK);
	assert_int_equal(plan.strategies[1], STRATEGY_HARDLINK);
	assert_int_equal(plan.threads, 7);
	assert_true(plan.latency);
	assert_int_equal(plan.operation_count, 1);
	assert_int_equal(plan.operations[0], OPERATION_INSTALL);
	assert_int_equal(plan.rounds, 6);
	assert_int_equal(plan.governor_count, 1);
	assert_string_equal(plan.governors[0], "");
	assert_string_equal(plan.epp, "power");
	assert_int_equal(plan.boost, BOOST_OFF);
	assert_int_equal(plan.cool_down_seconds, 5);
	assert_int_equal(plan.store_count, 2);
	assert_int_equal(plan.stores[0]->levels, 0);
	assert_int_equal(plan.stores[1]->levels, 3);
	assert_string_equal(plan.content, "capped:4096");
	assert_int_equal(plan.cap_bytes, 4096);
	assert_int_equal(plan.after, AFTER_HOLD);
	assert_int_equal(plan.countdown_seconds, 3);
	assert_true(plan.wish.overwrite);
	assert_string_equal(plan.wish.model, "SSD");
	/* A path has no delta unless one is named. */
	assert_string_equal(plan.delta_path, "");
}

/* Each filesystem with each store once a round, none of either first in all of them. */
static void sessions_are_rotated(void **state)
{
	static const unsigned expected[][2] = {
		{ 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 }, { 2, 0 }, { 2, 1 }, /* round 1 */
		{ 1, 1 }, { 1, 0 }, { 2, 1 }, { 2, 0 }, { 0, 1 }, { 0, 0 }, /* round 2 */
		{ 2, 0 }, { 2, 1 }, { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 },
	};

	(void)state;
	assert_int_equal(make("blitbench.workload=mine blitbench.store=3x2,flat", true), 0);
	assert_int_equal(plan_sessions(&plan), 6);
	for (unsigned i = 0; i < ARRAY_LENGTH(expected); i++) {
		struct plan_session session = plan_session(&plan, 1 + i / 6, i % 6);

		assert_int_equal(session.filesystem, expected[i][0]);
		assert_int_equal(session.store, expected[i][1]);
	}
	assert_int_equal(make("blitbench.engines=primed,moss-2025,handle", true), 0);
	assert_string_equal(plan_engine(&plan, 1, 0)->name, "primed");
	assert_string_equal(plan_engine(&plan, 2, 0)->name, "moss-2025");
	assert_string_equal(plan_engine(&plan, 3, 0)->name, "handle");
	assert_string_equal(plan_engine(&plan, 3, 2)->name, "moss-2025");
	assert_string_equal(plan_engine(&plan, 4, 1)->name, "moss-2025");
	assert_int_equal(make("blitbench.governor=powersave,keep,performance", true), 0);
	assert_string_equal(plan_governor(&plan, 1, 0), "powersave");
	assert_string_equal(plan_governor(&plan, 1, 1), "");
	assert_string_equal(plan_governor(&plan, 2, 0), "");
	assert_string_equal(plan_governor(&plan, 3, 0), "performance");
	assert_string_equal(plan_governor(&plan, 3, 1), "powersave");
	/* As where there is no cpufreq driver. */
	plan_forget_governors(&plan);
	assert_string_equal(plan_governor(&plan, 3, 1), "");
	assert_int_equal(plan.governor_count, 1);
}

static void a_variant_is_a_filesystem_of_its_own(void **state)
{
	(void)state;
	assert_int_equal(make("blitbench.workload=mine blitbench.filesystems=xfs,xfs-parent", true),
			 0);
	assert_string_equal(plan.filesystems[1]->type, "xfs");
	assert_string_equal(plan.filesystems[1]->variant, "parent");
}

/* Each kind of session, engine and trial, and how much of it. */
static void a_plan_is_told_before_anything_is_done(void **state)
{
	struct workload workload;
	struct needs needs = { .partition_bytes = 3ULL << 29 };
	char *text = NULL;
	size_t size;

	(void)state;
	assert_int_equal(make("blitbench.workload=mine blitbench.filesystems=ext4,xfs-parent "
			      "blitbench.store=3x2,flat blitbench.engines=moss-2025,moss-2026 "
			      "blitbench.strategy=auto,hardlink blitbench.threads=2 "
			      "blitbench.caches=cold blitbench.rounds=2 blitbench.trials=5 "
			      "blitbench.governor=powersave,performance blitbench.limit_minutes=90",
			      true),
			 0);
	assert_int_equal(workload_read(&workload, "", "workloads/small.mtree.zst",
				       "workloads/small-nano.mtree.zst", NULL),
			 0);
	FILE *out = open_memstream(&text, &size);
	assert_non_null(out);
	preview_print(out, &plan, &workload, &needs);
	fclose(out);
	static const char expected[] =
		"profile      quick\n"
		"workload     mine: 10422 entries, 10533 with its delta\n"
		"             7586 distinct contents, 113.3 MiB, content full\n"
		"store        filled in order moss by 8 writers\n"
		"engines      moss-2025, 1 thread\n"
		"             moss-2026 auto, 2 threads\n"
		"             moss-2026 hardlink, 2 threads\n"
		"governors    powersave, performance\n"
		"caches       cold\n"
		"operations   remove, install\n"
		/* ext4 has no reflinks: there auto is hardlink. */
		"trials       5 of each kind, 400 in all\n"
		"             200 where there is no cpufreq driver, as in QEMU\n"
		"sessions     4 in each of 2 rounds, each with a fresh filesystem and store:\n"
		"  round 1    ext4 3x2, ext4 flat, xfs-parent 3x2, xfs-parent flat\n"
		"  round 2    xfs-parent flat, xfs-parent 3x2, ext4 flat, ext4 3x2\n"
		"target       a partition of at least 1.50 GiB\n"
		"memory       a hot cache needs some ";
	if (strncmp(text, expected, strlen(expected)))
		assert_string_equal(text, expected);
	static const char *const lines[] = {
		" GiB on ext4, ",
		" GiB on xfs-parent\n",
		"\nwritten      some ",
		"\ntime         on a PC with a SATA SSD: ",
		"\n             in QEMU without KVM: ",
		"\n               filling ",
		", fsck ",
		"\n             basis: ",
		"\nlimit        no session begins after 90 minutes\n"
	};
	for (size_t i = 0; i < ARRAY_LENGTH(lines); i++)
		if (!strstr(text, lines[i]))
			fail_msg("'%s' is not in %s", lines[i], text);
	/* On a screen of 80 columns. */
	for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	free(text);
	workload_free(&workload);
}

static void a_linear_fill_has_one_writer(void **state)
{
	(void)state;
	assert_int_equal(make("blitbench.workload=mine blitbench.writers=3", false), 0);
	assert_int_equal(plan.writers, 3);
	assert_int_equal(make("blitbench.order=linear blitbench.writers=auto", false), 0);
	assert_int_equal(plan.writers, 1);
	assert_int_equal(make("blitbench.writers=1", false), 0);
	assert_int_equal(make("blitbench.writers=2", false), -EINVAL);
	assert_non_null(strstr(error_text(), "writers"));
	assert_non_null(strstr(error_text(), "order = linear has one writer"));
}

/* By name in a folder that lies as on a results volume, by path below what it lies on or, where
 * that is asked for, wherever a person says. */
static void a_plan_is_made_ahead(void **state)
{
	char folder[96], argument[128];

	(void)state;
	snprintf(folder, sizeof(folder), "%s/workloads", top);
	config_read_command_line(config, "blitbench.workload=mine");
	assert_int_equal(plan_make_ahead(&plan, config, folder, false), 0);
	assert_non_null(strstr(plan.delta_path, "workloads/mine-nano.mtree.zst"));
	config_read_command_line(config, "blitbench.workload=tree.mtree");
	assert_int_equal(plan_make_ahead(&plan, config, folder, false), 0);
	assert_string_equal(plan.delta_path, "");
	snprintf(argument, sizeof(argument), "workload=%s/tree.mtree", top);
	config_read_argument(config, argument);
	assert_int_equal(plan_make_ahead(&plan, config, folder, true), 0);
	assert_string_equal(plan.base_path, strchr(argument, '/'));
	assert_int_equal(plan_make_ahead(&plan, config, NULL, true), 0);
	assert_int_equal(plan_make_ahead(&plan, config, folder, false), -EINVAL);
	assert_non_null(strstr(error_text(), "no such workload in "));
}

static void ageing_keeps_its_states_unless_told_otherwise(void **state)
{
	(void)state;
	assert_int_equal(make("blitbench.workload=mine blitbench.age=20", false), 0);
	assert_int_equal(plan.age, 20);
	assert_int_equal(plan.keep_states, 20);
	assert_int_equal(make("blitbench.keep_states=5", false), 0);
	assert_int_equal(plan.age, 20);
	assert_int_equal(plan.keep_states, 5);
	assert_int_equal(make("blitbench.age=0", false), 0);
	assert_int_equal(plan.keep_states, 5);
}

static void all_mistakes_are_told_at_once(void **state)
{
	(void)state;
	assert_int_equal(
		make("blitbench.engines=moss-1999 blitbench.workload=nothing blitbench.rounds=0 "
		     "blitbench.delta=nothing-either blitbench.partlabel=\"\"",
		     false),
		-EINVAL);
	static const char *const expected[] = { "moss-1999", "moss-2025", "workload",
						"rounds",    "delta",     "partlabel" };
	for (size_t i = 0; i < ARRAY_LENGTH(expected); i++)
		if (!strstr(error_text(), expected[i]))
			fail_msg("'%s' should tell of %s", error_text(), expected[i]);
}

static void a_partuuid_alone_is_enough(void **state)
{
	(void)state;
	assert_int_equal(
		make("blitbench.workload=mine blitbench.partuuid=5b1d6e0a-3c52-4e1b-9c0e-b117be7c0009",
		     false),
		0);
	assert_string_equal(plan.wish.partlabel, "");
	assert_int_equal(make("blitbench.partlabel=mine", false), 0);
	assert_string_equal(plan.wish.partlabel, "mine");
}

static void operations_have_their_layouts(void **state)
{
	struct workload workload = { .remove = { .entry_count = 1 },
				     .install = { .entry_count = 2 } };

	(void)state;
	assert_ptr_equal(plan_layout(&workload, OPERATION_REMOVE), &workload.remove);
	assert_ptr_equal(plan_layout(&workload, OPERATION_INSTALL), &workload.install);
}

/* A run's folder with these lines in its journal. */
static void put_run(const char *id, const char *lines)
{
	char path[300];

	snprintf(path, sizeof(path), "runs/%s", id);
	make_folder(path);
	snprintf(path, sizeof(path), "runs/%s/journal.jsonl", id);
	put(path, lines);
}

#define BEGUN "{\"record\":\"verdict\",\"status\":\"incomplete\"}\n"
#define ENDED(status) "{\"record\":\"verdict\",\"status\":\"" status "\"}\n"
#define TARGET(uuid) "{\"record\":\"target\",\"partuuid\":\"" uuid "\"}\n"
#define SESSION(status) "{\"record\":\"session\",\"status\":\"" status "\"}\n"
#define RESUME(id, count) "{\"record\":\"resume\",\"run\":\"" id "\",\"sessions\":" count "}\n"

/* What is found is compared, and let go. */
static void expect_unfinished(const char *newest, const char *name, const char *partuuid,
			      const char *source, unsigned barren)
{
	struct unfinished unfinished;

	unfinished_find(top, &unfinished);
	assert_string_equal(unfinished.newest, newest);
	assert_string_equal(unfinished.name, name);
	assert_string_equal(unfinished.partuuid, partuuid);
	assert_string_equal(unfinished.source, source);
	assert_int_equal(!unfinished.lines, !*source);
	assert_int_equal(unfinished.barren, barren);
	unfinished_free(&unfinished);
}

#define FIRST "20250101-000000-0001"
#define SECOND "20250102-000000-0001"
#define THIRD "20250103-000000-0001"
#define FOURTH "20250104-000000-0001"

static void unfinished_runs_are_remembered(void **state)
{
	(void)state;
	expect_unfinished("", "", "", "", 0);
	make_folder("runs");
	put_run(FIRST, BEGUN TARGET("aaaa"));
	expect_unfinished(FIRST, FIRST, "aaaa", FIRST, 1);
	/* One that was refused has formatted nothing, and changes nothing for the one before it. */
	put_run(SECOND, BEGUN TARGET("bbbb") ENDED("refused"));
	expect_unfinished(SECOND, "", "aaaa", FIRST, 0);
	/* One that was finished formats nothing any more; a line that was cut off is passed over. */
	put_run(THIRD, BEGUN TARGET("bbbb") ENDED("complete") "{\"record\":\"ver");
	expect_unfinished(THIRD, "", "", "", 0);
	/* A dry run that was cut short formatted nothing. */
	put_run(FOURTH, BEGUN "{\"record\":\"run\",\"dry_run\":true}\n" TARGET("bbbb"));
	expect_unfinished(FOURTH, "", "", "", 0);
	/* What is no run's name is no run, however late it sorts. */
	put_run("99990101-somebody's-own", BEGUN TARGET("cccc"));
	char name[241];
	memset(name, 'z', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	char path[300];
	snprintf(path, sizeof(path), "runs/%s", name);
	make_folder(path);
	expect_unfinished(FOURTH, "", "", "", 0);
}

/* Whatever has formatted nothing is passed over, in any number; but not what cannot be read. */
static void runs_that_formatted_nothing_hide_none_that_did(void **state)
{
	char id[32], path[160];

	(void)state;
	make_folder("runs");
	put_run(FIRST, BEGUN TARGET("aaaa") SESSION("complete") SESSION("running"));
	for (unsigned i = 0; i < 12; i++) {
		static const char *const nothing[] = {
			BEGUN ENDED("refused"),
			BEGUN "{\"record\":\"run\",\"dry_run\":true}\n" TARGET("aaaa") ENDED("complete"),
			"",
		};

		snprintf(id, sizeof(id), "20260101-0000%02u-0000", i);
		put_run(id, nothing[i % 3]);
		expect_unfinished(id, i % 3 == 2 ? id : "", "aaaa", FIRST, i % 3 == 2);
	}
	snprintf(path, sizeof(path), "%s/runs/%s/journal.jsonl", top, id);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	expect_unfinished(id, "", "", "", 0);
	assert_int_equal(rmdir(path), 0);
}

static void a_run_that_somebody_stopped_can_be_gone_on_with(void **state)
{
	(void)state;
	make_folder("runs");
	put_run(FIRST, BEGUN TARGET("aaaa") SESSION("complete") ENDED("aborted"));
	expect_unfinished(FIRST, "", "", FIRST, 0);
}

static void boots_that_lead_nowhere_are_counted(void **state)
{
	(void)state;
	make_folder("runs");
	put_run(FIRST, BEGUN TARGET("aaaa") SESSION("running"));
	put_run(SECOND, BEGUN);
	expect_unfinished(SECOND, SECOND, "aaaa", FIRST, 2);
	put_run(THIRD, BEGUN TARGET("aaaa") SESSION("running") SESSION("complete"));
	expect_unfinished(THIRD, THIRD, "aaaa", THIRD, 0);
	/* What was copied from another is nothing that it has finished itself. */
	put_run(FOURTH, BEGUN TARGET("aaaa") RESUME(THIRD, "1") SESSION("running") SESSION("complete") SESSION("running"));
	expect_unfinished(FOURTH, FOURTH, "aaaa", FOURTH, 1);
}

/* All that it would have copied is still in the journal of the run that it copied from. */
static void a_run_cut_short_while_copying_is_none_to_go_on_with(void **state)
{
	(void)state;
	make_folder("runs");
	put_run(FIRST, BEGUN TARGET("aaaa") SESSION("complete") SESSION("complete"));
	put_run(SECOND, BEGUN TARGET("aaaa") RESUME(FIRST, "2") SESSION("complete"));
	expect_unfinished(SECOND, SECOND, "aaaa", FIRST, 1);
	put_run(THIRD, BEGUN TARGET("aaaa") RESUME(FIRST, "2"));
	expect_unfinished(THIRD, THIRD, "aaaa", FIRST, 2);
	/* A name that leads elsewhere is no run's. */
	put_run(FOURTH, BEGUN TARGET("aaaa") RESUME("../../" FIRST, "2"));
	expect_unfinished(FOURTH, FOURTH, "aaaa", FOURTH, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(defaults, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_thread_for_each_processor, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(people_get_a_countdown_and_machines_do_not, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_set_is_meant, set_up, tear_down),
		cmocka_unit_test_setup_teardown(sessions_are_rotated, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_variant_is_a_filesystem_of_its_own, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_plan_is_told_before_anything_is_done, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_plan_is_made_ahead, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_linear_fill_has_one_writer, set_up, tear_down),
		cmocka_unit_test_setup_teardown(ageing_keeps_its_states_unless_told_otherwise,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_mistakes_are_told_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_partuuid_alone_is_enough, set_up, tear_down),
		cmocka_unit_test(operations_have_their_layouts),
		cmocka_unit_test_setup_teardown(unfinished_runs_are_remembered, set_up, tear_down),
		cmocka_unit_test_setup_teardown(runs_that_formatted_nothing_hide_none_that_did, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_run_that_somebody_stopped_can_be_gone_on_with, set_up, tear_down),
		cmocka_unit_test_setup_teardown(boots_that_lead_nowhere_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_run_cut_short_while_copying_is_none_to_go_on_with, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
