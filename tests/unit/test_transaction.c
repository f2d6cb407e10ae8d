/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Site, transaction, verification and the moss-2025 engine, on an ordinary folder. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/tree.h"
#include "run/transaction.h"
#include "run/trial.h"
#include "run/verify.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

/*
 * Contents 1 and 2 are shared: a and z want different modes for one inode, and z comes last in a depth-first, bytewise
 * walk although m/b (depth 3) would come last in a breadth-first one.
 */
static const char manifest[] =
	"#mtree\n"
	"./usr type=dir mode=0755 uid=0 gid=0\n"
	"./usr/bin type=dir mode=0755 uid=0 gid=0\n"
	"./usr/bin/a type=file mode=0644 uid=0 gid=0 size=100 inode=1\n"
	"./usr/bin/m type=dir mode=02775 uid=0 gid=50\n"
	"./usr/bin/m/b type=file mode=0600 uid=0 gid=0 size=100 inode=1\n"
	"./usr/bin/z type=file mode=04755 uid=0 gid=0 size=100 inode=1\n"
	"./usr/empty type=file mode=0666 uid=0 gid=0 size=0 inode=3\n"
	"./usr/other type=file mode=0640 uid=0 gid=0 size=40000 inode=2\n"
	"./usr/sticky type=dir mode=01777 uid=0 gid=0\n"
	"./usr/link type=link mode=0777 uid=0 gid=0 link=../bin/a\n";

static const char delta[] =
	"#mtree\n"
	"./usr/share/new type=file mode=0755 uid=0 gid=0 size=100 inode=1\n";

static char top[64];
static struct workload workload;
static struct site site;
static struct blit_method method;

static void put(const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	_cleanup_fclose_ FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
}

static int set_up(void **state)
{
	static char path[96];
	struct populate_result populated;
	char base[96], more[96];

	(void)state;
	umask(022);
	if (scratch_make(top, "transaction"))
		return -1;
	put("base.mtree", manifest);
	put("delta.mtree", delta);
	snprintf(base, sizeof(base), "%s/base.mtree", top);
	snprintf(more, sizeof(more), "%s/delta.mtree", top);
	snprintf(path, sizeof(path), "%s/site", top);
	mkdir(path, 0755);
	method = (struct blit_method){ engine_find("moss-2025"), STRATEGY_HARDLINK, 1 };
	int result = workload_read(&workload, "test", base, more, NULL);
	if (!result)
		result = contents_name(&workload.contents, 1, 2, NULL);
	if (!result)
		result = site_create(&site, -1, path, NULL, &workload, fanout_find("3x2"));
	if (!result)
		result = site_fill(&site, &workload.contents, 1, 2, NULL, &populated);
	if (!result)
		result = site_learn_assets(&site);
	if (result)
		print_error("%s\n", error_text());
	return result;
}

static int tear_down(void **state)
{
	(void)state;
	site_free(&site);
	workload_free(&workload);
	return tree_remove(AT_FDCWD, top);
}

static int run(const struct layout *layout, struct transaction *transaction)
{
	return transaction_run(&site, &method, layout, transaction);
}

static mode_t mode_of(const char *path)
{
	struct stat status;

	assert_int_equal(fstatat(site.root_fd, path, &status, AT_SYMLINK_NOFOLLOW), 0);
	return status.st_mode & 07777;
}

static void assert_verified(const struct layout *layout)
{
	if (verify_tree(&site, &method, layout))
		fail_msg("%s", error_text());
}

static void first_and_second_transaction(void **state)
{
	struct transaction transaction;
	struct stat status;

	(void)state;
	assert_int_equal(run(&workload.install, &transaction), 0);
	assert_true(isnan(transaction.archive_seconds));
	assert_verified(&workload.install);
	assert_int_equal(site.state, 1);

	assert_int_equal(run(&workload.remove, &transaction), 0);
	assert_verified(&workload.remove);
	assert_true(transaction.durable_seconds >= transaction.seconds && transaction.seconds > 0);
	assert_true(isnan(transaction.quiesced_seconds)); /* cannot freeze here */
	assert_true(transaction.swap_seconds > 0 && transaction.archive_seconds > 0 && transaction.prune_seconds > 0);
	assert_false(transaction.disk_counted);
	/* The old tree is archived and pruned, staging is empty again, the delta's file is gone. */
	assert_int_equal(fstatat(site.states_fd, "1", &status, 0), -1);
	assert_int_equal(fstatat(site.staging_fd, "usr", &status, 0), -1);
	assert_int_equal(fstatat(site.root_fd, "usr/share/new", &status, 0), -1);
}

static void old_states_stay_as_long_as_asked_for(void **state)
{
	struct transaction transaction;
	struct stat status;
	char id[16];

	(void)state;
	site.keep_states = 2;
	for (unsigned live = 1; live <= 5; live++) {
		assert_int_equal(run(live % 2 ? &workload.remove : &workload.install, &transaction), 0);
		/* Nothing to prune, no time for it. */
		assert_int_equal(isnan(transaction.prune_seconds), live <= 3);
		for (unsigned i = 1; i <= live; i++) {
			snprintf(id, sizeof(id), "%u/usr", i);
			bool there = !fstatat(site.states_fd, id, &status, 0);

			assert_int_equal(there, i < live && i + 2 >= live);
		}
	}
	assert_verified(&workload.remove);
	/* Whoever wants fewer gets rid of several at once. */
	site.keep_states = 0;
	assert_int_equal(run(&workload.remove, &transaction), 0);
	assert_int_equal(site.oldest_state, site.state);
	assert_int_equal(fstatat(site.states_fd, "5", &status, 0), -1);
	assert_int_equal(fstatat(site.states_fd, "4", &status, 0), -1);
}

static void modes_are_the_engine_s(void **state)
{
	struct transaction transaction;

	(void)state;
	assert_int_equal(run(&workload.remove, &transaction), 0);
	/* One inode: the last writer in a depth-first walk wins. */
	assert_int_equal(mode_of("usr/bin/a"), 04755);
	assert_int_equal(mode_of("usr/bin/m/b"), 04755);
	/* mkdir drops setgid and takes the umask; so do created files; chmod does not. */
	assert_int_equal(mode_of("usr/bin/m"), 0755);
	assert_int_equal(mode_of("usr/sticky"), 01755);
	assert_int_equal(mode_of("usr/empty"), 0644);
	assert_int_equal(mode_of("usr/other"), 0640);
	/* The delta's link changes the shared mode, and the next removal changes it back. */
	assert_int_equal(run(&workload.install, &transaction), 0);
	assert_int_equal(mode_of("usr/bin/a"), 0755);
	assert_verified(&workload.install);
	assert_int_equal(run(&workload.remove, &transaction), 0);
	assert_int_equal(mode_of("usr/bin/a"), 04755);
	assert_verified(&workload.remove);
}

/* Damages the live tree in one way each; the verification must name the path. */
static void verification_finds(void (*damage)(void), const char *path, const char *words)
{
	struct transaction transaction;

	assert_int_equal(run(&workload.remove, &transaction), 0);
	assert_verified(&workload.remove);
	damage();
	assert_int_equal(verify_tree(&site, &method, &workload.remove), -EUCLEAN);
	if (!strstr(error_text(), path) || !strstr(error_text(), words))
		fail_msg("'%s' should name '%s' and '%s'", error_text(), path, words);
}

static void put_at(const char *path, mode_t mode)
{
	_cleanup_close_ int fd = openat(site.root_fd, path, O_CREAT | O_WRONLY, mode);

	assert_true(fd >= 0);
}

static void missing(void)
{
	unlinkat(site.root_fd, "usr/bin/a", 0);
}

static void superfluous(void)
{
	put_at("usr/sticky/more", 0644);
}

static void wrong_mode(void)
{
	fchmodat(site.root_fd, "usr/other", 0600, 0);
}

static void wrong_directory_mode(void)
{
	fchmodat(site.root_fd, "usr/bin/m", 0700, 0);
}

static void wrong_link(void)
{
	unlinkat(site.root_fd, "usr/link", 0);
	symlinkat("elsewhere", site.root_fd, "usr/link");
}

static void wrong_type(void)
{
	unlinkat(site.root_fd, "usr/other", 0);
	mkdirat(site.root_fd, "usr/other", 0640);
}

static void copy_instead_of_link(void)
{
	unlinkat(site.root_fd, "usr/other", 0);
	put_at("usr/other", 0640);
}

static void empty_file_shared(void)
{
	linkat(site.root_fd, "usr/empty", site.root_fd, "second", 0);
}

static void every_kind_of_damage_is_found(void **state)
{
	(void)state;
	verification_finds(missing, "usr/bin/a", "is not there");
	verification_finds(superfluous, "usr/sticky", "holds 1 names, not 0");
	verification_finds(wrong_mode, "usr/other", "has mode 0600, not 0640");
	verification_finds(wrong_directory_mode, "usr/bin/m", "has mode 0700, not 0755");
	verification_finds(wrong_link, "usr/link", "points to 'elsewhere', not to '../bin/a'");
	verification_finds(wrong_type, "usr/other", "is of another type");
	verification_finds(copy_instead_of_link, "usr/other", "not the same inode");
	verification_finds(empty_file_shared, "usr/empty", "should be an empty file of its own");
}

static void several_mismatches_are_counted(void **state)
{
	struct transaction transaction;

	(void)state;
	assert_int_equal(run(&workload.remove, &transaction), 0);
	wrong_mode();
	wrong_link();
	assert_int_equal(verify_tree(&site, &method, &workload.remove), -EUCLEAN);
	assert_non_null(strstr(error_text(), "(and 1 more)"));
}

/* A blit that fails names entry and call, leaves the live tree and an empty staging, and the next one works. */
static void failed_blit_is_told_and_cleared(void **state)
{
	struct transaction transaction;
	struct stat status;
	char asset[STORE_PATH_BYTES + 8];

	(void)state;
	assert_int_equal(run(&workload.remove, &transaction), 0);
	const char *path = site.asset_paths[1];
	snprintf(asset, sizeof(asset), "%s.away", path);
	assert_int_equal(renameat(site.store_fd, path, site.store_fd, asset), 0);
	assert_int_equal(run(&workload.install, &transaction), -ENOENT);
	assert_string_equal(error_text(), "usr/other: linkat failed: No such file or directory");
	assert_true(isnan(transaction.seconds));
	assert_true(isnan(transaction.cpu.user_seconds) && !transaction.disk_counted);
	assert_int_equal(fstatat(site.staging_fd, "usr", &status, 0), -1);
	assert_int_equal(renameat(site.store_fd, asset, site.store_fd, path), 0);
	assert_verified(&workload.remove);
	assert_int_equal(run(&workload.install, &transaction), 0);
	assert_verified(&workload.install);
}

static unsigned open_descriptors(void)
{
	unsigned count = 0;
	_cleanup_closedir_ DIR *directory = opendir("/proc/self/fd");

	while (readdir(directory))
		count++;
	return count;
}

static void no_descriptor_is_left_open(void **state)
{
	struct transaction transaction;
	unsigned before = open_descriptors();

	(void)state;
	assert_int_equal(run(&workload.remove, &transaction), 0);
	assert_verified(&workload.remove);
	assert_int_equal(unlinkat(site.store_fd, site.asset_paths[0], 0), 0);
	assert_int_equal(run(&workload.install, &transaction), -ENOENT);
	assert_int_equal(open_descriptors(), before);
}

static void site_closes_and_opens_again(void **state)
{
	struct transaction transaction;
	unsigned before = open_descriptors();

	(void)state;
	site_close(&site);
	assert_int_equal(open_descriptors(), before - 5);
	assert_int_equal(site_open(&site), 0);
	assert_int_equal(run(&workload.remove, &transaction), 0);
	assert_verified(&workload.remove);
}

/* --- the order of things around a trial --- */

static char order[16]; /* what happened: syncfs, prepare, blit */

static void happened(const char *what)
{
	if (strlen(order) + 1 < sizeof(order))
		strcat(order, what);
}

int syncfs(int fd)
{
	(void)fd;
	happened("s");
	return 0;
}

static int prepare(const struct blit *blit)
{
	(void)blit;
	happened("p");
	return 0;
}

static int blit_moss_2025(struct blit *blit)
{
	happened("b");
	return engine_find("moss-2025")->blit(blit);
}

/* What an engine prepares reads the whole store: after a trial that failed it must come before the
 * next one settles and empties the caches, and not again in it. */
static void a_trial_is_prepared_before_it_settles(void **state)
{
	const struct plan plan = { .trials = 1 };
	const struct filesystem fs = { .type = "some", .variant = "default" };
	struct engine engine = *engine_find("moss-2025");
	struct trial_series series = { .plan = &plan, .fs = &fs, .site = &site };
	struct trial_record record;

	(void)state;
	engine.prepare = prepare;
	engine.blit = blit_moss_2025;
	series.method = (struct blit_method){ &engine, STRATEGY_HARDLINK, 1 };
	assert_int_equal(trial_warm_up(&series, OPERATION_REMOVE), 0);
	/* Settled already by the one before; only what is prepared is new. */
	assert_int_equal(site_learn_assets(&site), 0);
	site.settled = true;
	order[0] = '\0';
	assert_int_equal(trial_run(&series, CACHE_HOT, OPERATION_REMOVE, 1, &record), 0);
	assert_true(record.verified);
	assert_int_equal(strncmp(order, "psbs", 4), 0);
	assert_null(strchr(order + 1, 'p'));
	trial_record_free(&record);
}

static bool is_cold(uint64_t count, uint64_t bytes, uint64_t first_count, uint64_t first_bytes)
{
	const struct trial_reads reads = { count, bytes }, first = { first_count, first_bytes };

	return trial_is_cold(&reads, &first, 1000);
}

static void rules_of_hot_and_cold(void **state)
{
	(void)state;
	assert_true(trial_is_hot(0, 10));
	assert_true(trial_is_hot(100, 10000));
	assert_false(trial_is_hot(101, 10000));
	assert_true(is_cold(1000, 9000, 1000, 9000));
	/* Either their number or their bytes. */
	assert_true(is_cold(970, 1, 1000, 9000));
	assert_true(is_cold(1030, 99999, 1000, 9000));
	assert_true(is_cold(969, 8730, 1000, 9000));
	assert_false(is_cold(969, 8729, 1000, 9000));
	assert_false(is_cold(1031, 9271, 1000, 9000));
	assert_false(is_cold(0, 9000, 1000, 9000));
	assert_false(is_cold(0, 0, 0, 0));
	/* As many more or fewer as a hot trial might make: 10 for 1000 entries. */
	assert_true(is_cold(110, 990, 100, 9000));
	assert_true(is_cold(90, 990, 100, 9000));
	assert_false(is_cold(111, 990, 100, 9000));
	assert_false(is_cold(89, 990, 100, 9000));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(first_and_second_transaction, set_up, tear_down),
		cmocka_unit_test_setup_teardown(old_states_stay_as_long_as_asked_for, set_up, tear_down),
		cmocka_unit_test_setup_teardown(modes_are_the_engine_s, set_up, tear_down),
		cmocka_unit_test_setup_teardown(every_kind_of_damage_is_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(several_mismatches_are_counted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(failed_blit_is_told_and_cleared, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_descriptor_is_left_open, set_up, tear_down),
		cmocka_unit_test_setup_teardown(site_closes_and_opens_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_trial_is_prepared_before_it_settles, set_up, tear_down),
		cmocka_unit_test(rules_of_hot_and_cold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
