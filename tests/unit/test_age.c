/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ageing: what it does to a store, that it does the same each time, and what it leaves behind. */
#include "populate_fixture.h"

#include "mounted_fixture.h"

#include "run/age.h"
#include "run/needs.h"
#include "run/transaction.h"
#include "run/verify.h"

#include <math.h>

enum { PACKAGES = 30, CONTENTS = 10, LARGEST = 9000, UPDATES = 8, WRITERS = 4 };

static struct site site;
static struct ageing ageing;
static struct ageing_result aged;
static struct blit_method method;

static int make_workload(void **state)
{
	umask(022);
	method = (struct blit_method){ engine_find("moss-2025"), STRATEGY_HARDLINK, 1 };
	return make_top(state) ? -1 : load_packages(PACKAGES, CONTENTS, LARGEST);
}

static int remove_workload(void **state)
{
	workload_free(&workload);
	return remove_top(state);
}

static int remove_site(void **state)
{
	(void)state;
	ageing_free(&ageing);
	site_free(&site);
	unmount_fresh();
	run_shell("rm -rf site mounted");
	return 0;
}

/* Up to where the ageing begins; the assets that the store then has. */
static uint64_t make_site(const char *name, unsigned updates, unsigned keep_states)
{
	static char path[PATH_MAX];
	struct populate_result populated;

	snprintf(path, sizeof(path), "%s", in_top(name));
	mkdir(path, 0755);
	assert_int_equal(ageing_start(&ageing, &workload, updates, SEED, NULL), 0);
	assert_int_equal(site_create(&site, -1, path, NULL, &workload, fanout_find("3x2")), 0);
	site.keep_states = keep_states;
	assert_int_equal(site_fill(&site, &ageing.now, SEED, WRITERS, NULL, &populated), 0);
	return populated.assets;
}

static int run_ageing(const struct progress *progress)
{
	return ageing_run(&ageing, &site, &method, WRITERS, progress, &aged);
}

static void must_age(void)
{
	if (run_ageing(NULL))
		fail_msg("%s", error_text());
}

static const char *in_site(const char *name)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", strrchr(site.path, '/') + 1, name);
	return in_top(path);
}

/* --- what an old state must be: whole, with assets that are still in the store --- */

static uint64_t lonely_files;

static int note_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)where;
	files_found++;
	if (type == FTW_F && status->st_nlink < 2)
		lonely_files++;
	assert_true(type == FTW_F || type == FTW_D);
	assert_null(strstr(path, ".part"));
	return 0;
}

static void assert_states(uint64_t oldest, uint64_t live)
{
	for (uint64_t id = 1; id <= live; id++) {
		char name[64];

		snprintf(name, sizeof(name), ".moss/root/%llu", (unsigned long long)id);
		assert_int_equal(access(in_site(name), F_OK), id >= oldest && id < live ? 0 : -1);
		if (id < oldest || id >= live)
			continue;
		strcat(name, "/usr");
		files_found = lonely_files = 0;
		assert_int_equal(nftw(in_site(name), note_entry, 16, FTW_PHYS), 0);
		assert_int_equal(files_found, workload.remove.entry_count);
		assert_int_equal(lonely_files, 0);
	}
	assert_int_equal(site.state, live);
	assert_int_equal(site.oldest_state, oldest);
}

static void assert_workload_is_there(void)
{
	struct transaction transaction;

	if (site_learn_assets(&site))
		fail_msg("%s", error_text());
	assert_int_equal(transaction_run(&site, &method, &workload.install, &transaction), 0);
	if (verify_tree(&site, &method, &workload.install))
		fail_msg("%s", error_text());
}

static void updates_replace_assets_and_old_states_stay(void **state)
{
	enum { KEEP = 3 };
	uint64_t begun = make_site("site", UPDATES, KEEP);

	(void)state;
	assert_int_equal(begun, workload.contents.count);
	/* Nearly all of it begins as something else. */
	unsigned old = 0;
	for (uint32_t i = 0; i < ageing.now.count; i++) {
		old += ageing.now.list[i].version != 0;
		assert_true(ageing.now.list[i].size <= workload.contents.list[i].size);
		assert_true(ageing.now.list[i].size > 0);
	}
	assert_in_range(old, workload.contents.count / 2, workload.contents.count);
	must_age();
	assert_true(aged.assets_written > old && aged.assets_removed > 0 && aged.seconds > 0);
	for (uint32_t i = 0; i < ageing.now.count; i++)
		assert_string_equal(ageing.now.list[i].digest, workload.contents.list[i].digest);
	assert_states(UPDATES + 1 - KEEP, UPDATES + 1);
	count_found(in_site(".moss/assets/v2"));
	assert_int_equal(files_found, begun + aged.assets_written - aged.assets_removed);
	assert_true(files_found > workload.contents.count);
	assert_workload_is_there();
}

/* With no old state nothing of what was replaced is left, and no directory that it needed. */
static void without_old_states_the_store_is_that_of_a_fresh_one(void **state)
{
	struct populate_result fresh;
	const struct populate_request request = request_for(open_store_in("fresh"), "3x2", 1);

	(void)state;
	assert_int_equal(store_populate(&request, &fresh), 0);
	close(request.store_fd);
	make_site("site", UPDATES, 0);
	must_age();
	assert_states(UPDATES + 1, UPDATES + 1);
	assert_int_equal(aged.assets_removed, aged.assets_written);
	assert_int_equal(run_shell("diff -r fresh site/.moss/assets/v2 && rm -r fresh"), 0);
	assert_workload_is_there();
}

/* The trials go on pruning: with the last state of before the updates the last old asset goes. */
static void pruning_removes_what_no_state_needs(void **state)
{
	enum { KEEP = 3 };
	struct populate_result fresh;
	const struct populate_request request = request_for(open_store_in("fresh"), "3x2", 1);

	(void)state;
	assert_int_equal(store_populate(&request, &fresh), 0);
	close(request.store_fd);
	make_site("site", UPDATES, KEEP);
	must_age();
	uint64_t before = site.assets_removed;
	for (unsigned i = 0; i < KEEP; i++) {
		assert_true(site.assets_removed < aged.assets_written);
		assert_workload_is_there();
	}
	assert_true(site.assets_removed > before);
	assert_int_equal(site.assets_removed, aged.assets_written);
	assert_int_equal(run_shell("diff -r fresh site/.moss/assets/v2 && rm -r fresh"), 0);
}

static void the_same_seed_ages_in_the_same_way(void **state)
{
	(void)state;
	make_site("site", UPDATES, 5);
	must_age();
	assert_int_equal(run_shell("find site -type f -printf '%%P %%s %%n\\n' | sort >one"), 0);
	remove_site(state);
	make_site("site", UPDATES, 5);
	must_age();
	assert_int_equal(run_shell("find site -type f -printf '%%P %%s %%n\\n' | sort >two"), 0);
	assert_int_equal(run_shell("test -s one && cmp one two"), 0);
}

static void old_states_without_updates(void **state)
{
	(void)state;
	make_site("site", 0, 4);
	must_age();
	assert_int_equal(aged.assets_written, 0);
	assert_states(1, 5);
	assert_workload_is_there();
}

static void more_old_states_than_updates(void **state)
{
	(void)state;
	make_site("site", 2, 4);
	must_age();
	assert_int_equal(aged.assets_removed, 0);
	assert_states(1, 5);
	assert_workload_is_there();
	assert_states(2, 6);
}

/* --- room --- */

/* What was added up is enough, and not far from what is taken when all of it stands. */
static void enough_room_is_asked_for(const char *name, unsigned mebibytes, const char *options)
{
	enum { KEEP = 6 };
	const struct plan plan = {
		.filesystems = { filesystem_find(name) },
		.filesystem_count = 1,
		.engines = { method.engine },
		.engine_count = 1,
		.stores = { fanout_find("3x2") },
		.store_count = 1,
		.age = UPDATES,
		.keep_states = KEEP - 1,
	};
	struct statvfs before, after;
	struct needs needs;

	mount_fresh(name, mebibytes, options);
	assert_int_equal(statvfs(in_top("mounted"), &before), 0);
	assert_int_equal(needs_make(&needs, &plan, &workload), 0);
	make_site("mounted", UPDATES, KEEP);
	must_age();
	assert_int_equal(syncfs(site.root_fd), 0);
	assert_int_equal(statvfs(in_top("mounted"), &after), 0);
	/* One tree more has stayed than was asked for: the one that is staged in a transaction. */
	uint64_t bytes = (before.f_bfree - after.f_bfree) * before.f_frsize;
	uint64_t inodes = (after.f_files - after.f_ffree) - (before.f_files - before.f_ffree);
	print_message("%s: %llu bytes of %llu, %llu inodes of %llu\n", name,
		      (unsigned long long)bytes, (unsigned long long)needs.rooms[0][0].bytes,
		      (unsigned long long)inodes, (unsigned long long)needs.rooms[0][0].inodes);
	assert_in_range(bytes, needs.rooms[0][0].bytes / 2, needs.rooms[0][0].bytes);
	/* btrfs does not count its inodes. */
	if (before.f_files)
		assert_in_range(inodes, needs.rooms[0][0].inodes / 2, needs.rooms[0][0].inodes);
	assert_true(needs.rooms[0][0].links == 1 + (KEEP + 1));
}

static void room_on_ext4(void **state)
{
	(void)state;
	enough_room_is_asked_for("ext4", 256, "-F -q -b 4096");
}

static void room_on_xfs(void **state)
{
	(void)state;
	enough_room_is_asked_for("xfs", 320, "-q");
}

static void room_on_btrfs(void **state)
{
	(void)state;
	enough_room_is_asked_for("btrfs", 512, "-q");
}

/* --- what goes wrong --- */

static unsigned calls;

static int stop_later(void *context, const char *phase, uint64_t done, uint64_t total)
{
	(void)context;
	assert_string_equal(phase, "age");
	assert_true(done <= total && total == UPDATES);
	return ++calls > 10;
}

static void ageing_can_be_stopped(void **state)
{
	const struct progress progress = { .update = stop_later };
	unsigned descriptors = open_descriptors();
	struct stat status;

	(void)state;
	make_site("site", UPDATES, 2);
	descriptors = open_descriptors();
	assert_int_equal(run_ageing(&progress), -EINTR);
	assert_sentence("ageing: stopped");
	assert_int_equal(open_descriptors(), descriptors);
	assert_true(site.state > 1 && site.state < UPDATES);
	/* The site has its own paths back. */
	char path[STORE_PATH_BYTES];
	store_path(path, site.fanout, workload.contents.list[0].digest);
	assert_string_equal(site.asset_paths[0], path);
	assert_int_equal(fstatat(site.staging_fd, "usr", &status, 0), -1);
}

static void a_disk_that_becomes_full(void **state)
{
	(void)state;
	mount_fresh("ext4", 10, "-F -q -b 4096 -O ^has_journal -N 4096");
	make_site("mounted", UPDATES, UPDATES);
	assert_int_equal(run_ageing(NULL), -ENOSPC);
	assert_sentence("ageing: ");
	assert_sentence("No space left on device");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(updates_replace_assets_and_old_states_stay, remove_site),
		cmocka_unit_test_teardown(without_old_states_the_store_is_that_of_a_fresh_one,
					  remove_site),
		cmocka_unit_test_teardown(pruning_removes_what_no_state_needs, remove_site),
		cmocka_unit_test_teardown(the_same_seed_ages_in_the_same_way, remove_site),
		cmocka_unit_test_teardown(old_states_without_updates, remove_site),
		cmocka_unit_test_teardown(more_old_states_than_updates, remove_site),
		cmocka_unit_test_teardown(room_on_ext4, remove_site),
		cmocka_unit_test_teardown(room_on_xfs, remove_site),
		cmocka_unit_test_teardown(room_on_btrfs, remove_site),
		cmocka_unit_test_teardown(ageing_can_be_stopped, remove_site),
		cmocka_unit_test_teardown(a_disk_that_becomes_full, remove_site),
	};

	return cmocka_run_group_tests(tests, make_workload, remove_workload);
}
