/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blitbench run --directory: what it makes, tells, refuses, and leaves behind, which is nothing. */
#include "directory_fixture.h"

#include "run/directory.h"

#include <signal.h>
#include <time.h>

static void a_tree_is_blitted_told_and_removed(void **state)
{
	(void)state;
	assert_int_equal(RUN("run", "--directory", in_top("site"), workload_argument(), "trials=2",
			     "-o", in_top("out-folder")),
			 0);
	assert_empty(in_top("site"));
	assert_printed("cold trials are left out");
	assert_printed("no interval: fewer than six sessions");
	/* That nothing counts the reads of a tmpfs is said once, and kept with each of the trials. */
	assert_printed("unproven (note)");
	assert_int_equal(run_shell("test $(grep -c unproven %s) = 1", in_top("out")), 0);
	json_t *report = read_report();
	assert_string_equal(text_at(report, "run", "mode"), "directory");
	assert_string_equal(text_at(report, "run", "status"), "complete");
	assert_string_equal(text_at(report, "target", "directory"), in_top("site"));
	const json_t *session = json_array_get(json_object_get(report, "sessions"), 0);
	assert_string_equal(text_at(session, "mount", "type"), "tmpfs");
	assert_non_null(strstr(text_at(session, "mount", "effective"), "rw"));
	assert_true(json_is_null(json_object_get(session, "age")));
	const json_t *keys = json_object_get(json_object_get(report, "run"), "config");
	assert_string_equal(json_string_value(json_object_get(keys, "caches")), "hot");
	assert_null(json_object_get(keys, "partlabel"));
	/* Hot, two operations, twice. */
	assert_trials(report, 4, false);
	json_decref(report);
	assert_int_equal(access(in_top("out-folder/journal.jsonl"), R_OK), 0);
	assert_int_equal(access(in_top("out-folder/report.txt"), R_OK), 0);
}

static void sessions_fill_the_store_anew(void **state)
{
	(void)state;
	assert_int_equal(RUN("run", "--directory", in_top("site"), workload_argument(), "trials=1",
			     "rounds=3", "operations=install", "age=2", "-o", in_top("out-folder")),
			 0);
	json_t *report = read_report();
	assert_int_equal(json_array_size(json_object_get(report, "sessions")), 3);
	assert_trials(report, 3, false);
	json_decref(report);
	assert_empty(in_top("site"));
}

/* None is always the one that the others have left a filesystem to. */
static void engines_take_turns_at_being_first(void **state)
{
	static const char *const expected[] = { "moss-2025", "primed", "primed", "moss-2025" };
	const json_t *trial;
	size_t index;

	(void)state;
	assert_int_equal(RUN("run", "--directory", in_top("site"), workload_argument(), "trials=1",
			     "rounds=2", "operations=remove", "engines=moss-2025 primed", "-o",
			     in_top("out-folder")),
			 0);
	json_t *report = read_report();
	assert_trials(report, ARRAY_LENGTH(expected), false);
	json_array_foreach(json_object_get(report, "trials"), index, trial)
		assert_string_equal(json_string_value(json_object_get(trial, "engine")),
				    expected[index]);
	json_decref(report);
}

/* Nothing is asked for that could change the machine that the tests run on. */
static void the_machine_is_looked_at(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(RUN("run", "--directory", in_top("site"), workload_argument(),
			     "--control-machine", "governor=keep", "link_power=keep", "caches=hot",
			     "operations=remove", "trials=1", "cool_down=1", "-o",
			     in_top("out-folder")),
			 0);
	json_t *report = read_report();
	const json_t *session = json_array_get(json_object_get(report, "sessions"), 0);
	const json_t *trial = json_array_get(json_object_get(report, "trials"), 0);
	double session_at = json_real_value(json_object_get(session, "at_seconds"));
	double trial_at = json_real_value(json_object_get(trial, "at_seconds"));

	assert_true(strlen(text_at(session, "cooling", "result")) > 0);
	assert_true(session_at >= 0 && trial_at > session_at);
	assert_true(trial_at < session_at + json_real_value(json_object_get(session, "seconds")));
	assert_true(json_is_null(json_object_get(trial, "governor")));
	assert_true(json_is_object(json_object_get(
		json_object_get(json_object_get(trial, "details"), "machine"), "after")));
	json_decref(report);
}

/* With a device behind it, whose counters are read. */
static void on_a_disk_reads_are_counted(void **state)
{
	(void)state;
	mount_fresh("ext4", 64, "-q");
	assert_int_equal(RUN("run", "--directory", in_top("mounted"), workload_argument()), 1);
	assert_complained("not empty, there is 'lost+found' in it");
	assert_int_equal(mkdir(in_top("mounted/site"), 0755), 0);
	assert_int_equal(RUN("run", "--directory", in_top("mounted/site"), workload_argument(),
			     "trials=1", "operations=remove", "-o", in_top("out-folder")),
			 0);
	json_t *report = read_report();
	const json_t *session = json_array_get(json_object_get(report, "sessions"), 0);
	assert_string_equal(text_at(session, "mount", "type"), "ext4");
	assert_trials(report, 1, true);
	json_decref(report);
	assert_empty(in_top("mounted/site"));
}

/* --- refusals --- */

static void what_cannot_be_meant_is_a_wrong_use(void **state)
{
	char site[128];

	(void)state;
	snprintf(site, sizeof(site), "%s/site", top);
	REFUSED(2, "needs --directory DIR", "trials=1");
	REFUSED(2, "--directory needs a directory", "--directory");
	REFUSED(2, "--directory is given twice", "--directory", site, "--directory", site);
	REFUSED(2, "'--fast' is no option", "--fast");
	REFUSED(2, "'quick' is neither", "--directory", site, "quick");
	REFUSED(2, "did you mean workload", "--directory", site, "wrkload=small");
	REFUSED(2, "only the image knows this key", "--directory", site, workload_argument(),
		"filesystems=ext4");
	REFUSED(2, "only the image knows this key", "--directory", site, workload_argument(),
		"partlabel=x");
	REFUSED(2, "needs root and --control-machine", "--directory", site, workload_argument(),
		"caches=cold");
	REFUSED(2, "unless --control-machine", "--directory", site, workload_argument(),
		"governor=powersave");
	REFUSED(2, "unless --control-machine", "--directory", site, workload_argument(), "epp=power");
	REFUSED(2, "unless --control-machine", "--directory", site, workload_argument(), "boost=on");
	REFUSED(2, "unless --control-machine", "--directory", site, workload_argument(),
		"link_power=min_power");
	REFUSED(2, "is not remounted", "--directory", site, workload_argument(), "cold=remount");
	REFUSED(2, "no such file, and no workload", "--directory", site, "workload=/nowhere");
	REFUSED(2, "no such profile", "--directory", site, workload_argument(), "profile=nowhere");
	assert_empty(site);
}

static void a_directory_that_is_none_or_not_empty_is_refused(void **state)
{
	(void)state;
	REFUSED(1, "no such directory", "--directory", in_top("nowhere"), workload_argument());
	REFUSED(1, "no directory", "--directory", in_top("tree.mtree"), workload_argument());
	put_text("site/keep", "precious");
	REFUSED(1, "not empty, there is 'keep' in it", "--directory", in_top("site"),
		workload_argument());
	size_t size;
	_cleanup_free_ char *kept = get_bytes(in_top("site/keep"), &size);
	assert_string_equal(kept, "precious");
}

static void results_go_into_a_new_folder_elsewhere(void **state)
{
	(void)state;
	mkdir(in_top("old"), 0755);
	REFUSED(1, "there already", "--directory", in_top("site"), workload_argument(), "-o",
		in_top("old"));
	REFUSED(1, "in the directory that is left empty", "--directory", in_top("site"),
		workload_argument(), "-o", in_top("site/results"));
	assert_empty(in_top("site"));
}

static void names_are_looked_up_in_the_folder_of_workloads(void **state)
{
	(void)state;
	mkdir(in_top("folder"), 0755);
	mkdir(in_top("folder/profiles"), 0755);
	put_text("folder/mine.mtree.zst", tree); /* what it is compressed by is seen, not believed */
	put_text("folder/profiles/short.conf", "[blitbench]\nworkload = mine\ntrials = 1\n"
					       "filesystems = f2fs\ncaches = hot cold\n");
	assert_int_equal(RUN("run", "--directory", in_top("site"), "--workloads", in_top("folder"),
			     "profile=short", "-o", in_top("out-folder")),
			 0);
	json_t *report = read_report();
	assert_string_equal(text_at(report, "workload", "name"), "mine");
	assert_string_equal(text_at(report, "run", "profile"), "short");
	assert_trials(report, 2, false);
	json_decref(report);
}

/* --- an ordinary user --- */

static void no_root_is_needed_for_what_needs_none(void **state)
{
	(void)state;
	assert_int_equal(RUN_AS_NOBODY("run", "--directory", in_top("site"), workload_argument(),
				       "trials=1", "operations=remove",
				       "engines=moss-2025 moss-2025-parallel primed", "-o",
				       in_top("out-folder")),
			 0);
	assert_empty(in_top("site"));
	json_t *report = read_report();
	assert_trials(report, 3, false);
	json_decref(report);
	assert_int_equal(RUN_AS_NOBODY("run", "--directory", in_top("site"), "--control-machine"),
			 2);
	assert_complained("--control-machine needs root");
}

static void what_needs_root_is_told_and_the_rest_goes_on(void **state)
{
	(void)state;
	assert_int_equal(RUN_AS_NOBODY("run", "--directory", in_top("site"), workload_argument(),
				       "trials=1", "operations=remove", "engines=handle moss-2025"),
			 0);
	assert_printed("unsupported: files cannot be opened by handle here");
	assert_printed("entries blitted");
	assert_empty(in_top("site"));
}

/* A directory that its owner may not write to stops an ordinary user's blit, and not the removal. */
static void a_failed_blit_leaves_nothing(void **state)
{
	(void)state;
	put_text("tree.mtree", "#mtree\n./usr/shut type=dir mode=0555\n"
			       "./usr/shut/a type=file mode=0644 size=9 inode=1\n");
	assert_int_equal(RUN_AS_NOBODY("run", "--directory", in_top("site"), workload_argument(),
				       "trials=1", "delta=none", "-o", in_top("out-folder")),
			 1);
	assert_printed("usr/shut/a: linkat failed: Permission denied");
	assert_empty(in_top("site"));
	json_t *report = read_report();
	assert_string_equal(text_at(report, "run", "status"), "partial");
	json_decref(report);
}

/* --- signals --- */

/* Sends it twice, once the name is there; how the command ended. */
static int interrupt_when_there(const char *name, int signal_number)
{
	const struct timespec step = { .tv_nsec = 1000000 };
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	if (!child)
		_exit(RUN("run", "--directory", in_top("site"), workload_argument(), "rounds=100",
			  "trials=100", "-o", in_top("out-folder")));
	for (unsigned waited = 0; access(in_top(name), F_OK); waited++) {
		assert_true(waited < 20000 && !waitpid(child, &status, WNOHANG));
		nanosleep(&step, NULL);
	}
	kill(child, signal_number);
	kill(child, signal_number);
	nanosleep(&step, NULL);
	kill(child, signal_number);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void a_signal_in_the_middle_leaves_nothing(void **state)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	static const char *const names[] = { "site/usr", "site/.moss/root", "site/usr/bin/a" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(signals); i++) {
		int status = interrupt_when_there(names[i], signals[i]);

		assert_true(WIFSIGNALED(status));
		assert_int_equal(WTERMSIG(status), signals[i]);
		assert_empty(in_top("site"));
		json_t *report = read_report();
		assert_string_equal(text_at(report, "run", "status"), "aborted");
		json_decref(report);
		assert_int_equal(tree_remove(AT_FDCWD, in_top("out-folder")), 0);
	}
}

/* As in "blitbench run ... | head -n 1". */
static void a_reader_that_goes_away_leaves_nothing(void **state)
{
	int ends[2];
	pid_t child;
	int status;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	fflush(NULL);
	child = fork();
	if (!child) {
		const char *arguments[] = { "blitbench", "run",     "--directory", in_top("site"),
					    workload_argument(), "trials=1", NULL };

		dup2(ends[1], STDOUT_FILENO);
		_exit(command_main(6, (char **)arguments));
	}
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	assert_empty(in_top("site"));
}

/* --- others in the same place --- */

static const char *awaited; /* a phase; when it comes, meddle is called, once */
static void (*meddle)(void);

static int meddle_when_awaited(void *context, const char *phase, uint64_t done, uint64_t total)
{
	(void)context, (void)done, (void)total;
	if (meddle && strstr(phase, awaited))
		take_pointer(meddle)();
	return 0;
}

/* A run in "site" with these keys, while somebody does that in this phase: how its sessions ended. */
static int run_meddled_with(const char *keys, const char *phase, void (*what)(void))
{
	static int (*const steps[])(struct run *run) = { directory_start, run_load_workload,
							 run_name_contents, directory_sessions };
	const struct progress progress = { .update = meddle_when_awaited };
	static struct run run; /* large */
	struct directory directory;
	int result = 0;

	awaited = phase;
	meddle = what;
	run_init(&run, &progress);
	run.config = config_new(plan_names);
	config_read_argument(run.config, workload_argument());
	config_read_argument(run.config, "trials=1");
	config_read_argument(run.config, keys);
	assert_int_equal(plan_make_in_directory(&run.plan, run.config, NULL, false), 0);
	assert_int_equal(directory_open(&directory, in_top("site")), 0);
	run.directory = &directory;
	for (size_t i = 0; !result && i < ARRAY_LENGTH(steps); i++)
		result = steps[i](&run);
	assert_null(meddle);
	directory_close(&directory);
	run_release(&run);
	workload_free(&run.workload);
	config_free(run.config);
	return result;
}

static void put_store(void)
{
	assert_int_equal(mkdir(in_top("site/.moss"), 0755), 0);
	put_text("site/.moss/keep", "precious");
}

static void put_usr(void)
{
	assert_int_equal(mkdir(in_top("site/usr"), 0755), 0);
	put_text("site/usr/keep", "precious");
}

static void put_empty_usr(void)
{
	assert_int_equal(mkdir(in_top("site/usr"), 0755), 0);
}

static void put_another_directory(void)
{
	assert_int_equal(rename(in_top("site"), in_top("moved")), 0);
	assert_int_equal(mkdir(in_top("site"), 0755), 0);
}

static void assert_kept(const char *name)
{
	size_t size;
	_cleanup_free_ char *kept = get_bytes(in_top(name), &size);

	assert_string_equal(kept, "precious");
}

/* Also where two runs were begun at once: the later one takes nothing away from the other. */
static void what_others_put_there_meanwhile_stays(void **state)
{
	(void)state;
	assert_int_equal(run_meddled_with("age=1", ": name contents", put_store), -EIO);
	assert_sentence("/.moss: File exists");
	assert_kept("site/.moss/keep");
	assert_int_equal(tree_remove(AT_FDCWD, in_top("site/.moss")), 0);

	assert_int_equal(run_meddled_with("age=0", ": populate", put_usr), -EIO);
	assert_sentence("cannot exchange the new usr");
	assert_kept("site/usr/keep");
	assert_int_equal(tree_remove(AT_FDCWD, in_top("site/usr")), 0);
	assert_empty(in_top("site")); /* what was ours has gone */

	assert_int_equal(run_meddled_with("age=0", ": populate", put_empty_usr), -EIO);
	assert_empty(in_top("site/usr"));
	assert_int_equal(rmdir(in_top("site/usr")), 0);
	assert_empty(in_top("site"));
}

static void another_directory_in_its_place_is_left_alone(void **state)
{
	(void)state;
	assert_int_equal(run_meddled_with("rounds=2", "removing", put_another_directory), -EIO);
	assert_sentence("not the directory any more");
	assert_empty(in_top("moved"));
	assert_empty(in_top("site"));

	/* Once a session has begun it goes on in the one that was opened. */
	assert_int_equal(rmdir(in_top("moved")), 0);
	assert_int_equal(run_meddled_with("age=1", ": name contents", put_another_directory), 0);
	assert_empty(in_top("moved"));
	assert_empty(in_top("site"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		directory_test(a_tree_is_blitted_told_and_removed),
		directory_test(sessions_fill_the_store_anew),
		directory_test(engines_take_turns_at_being_first),
		directory_test(the_machine_is_looked_at),
		directory_test(on_a_disk_reads_are_counted),
		directory_test(what_cannot_be_meant_is_a_wrong_use),
		directory_test(a_directory_that_is_none_or_not_empty_is_refused),
		directory_test(results_go_into_a_new_folder_elsewhere),
		directory_test(names_are_looked_up_in_the_folder_of_workloads),
		directory_test(no_root_is_needed_for_what_needs_none),
		directory_test(what_needs_root_is_told_and_the_rest_goes_on),
		directory_test(a_failed_blit_leaves_nothing),
		directory_test(a_signal_in_the_middle_leaves_nothing),
		directory_test(a_reader_that_goes_away_leaves_nothing),
		directory_test(what_others_put_there_meanwhile_stays),
		directory_test(another_directory_in_its_place_is_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
