/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's counters, from hand-written files. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/tree.h"
#include "lib/clock.h"
#include "measure/counters.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char top[64];

static int make_top(void **state)
{
	char path[128];

	(void)state;
	if (scratch_make(top, "counters"))
		return -1;
	snprintf(path, sizeof(path), "%s/proc", top);
	return mkdir(path, 0755);
}

static int remove_top(void **state)
{
	(void)state;
	return tree_remove(AT_FDCWD, top);
}

static const char *put(const char *name, const char *text)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	_cleanup_fclose_ FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	return path;
}

static void the_clock_runs_forward(void **state)
{
	double first = clock_seconds();

	(void)state;
	assert_true(first > 0);
	assert_true(clock_seconds() >= first);
}

static void disk_counters_of_all_ages(void **state)
{
	struct disk_counters counters;

	(void)state;
	const char *path = put(
		"stat",
		"     101      2      303        4      505        6      707        8        9       10       11"
		"       12       13      1400       15       16       17\n");
	assert_int_equal(disk_counters_read(&counters, path), 0);
	assert_int_equal(counters.reads, 101);
	assert_int_equal(counters.read_bytes, 303 * 512);
	assert_int_equal(counters.writes, 505);
	assert_int_equal(counters.write_bytes, 707 * 512);
	assert_int_equal(counters.in_flight, 9);
	assert_int_equal(counters.discards, 12);
	assert_int_equal(counters.discard_bytes, 1400 * 512);

	path = put("stat", "1 2 3 4 5 6 7 8 9 10 11\n");
	assert_int_equal(disk_counters_read(&counters, path), 0);
	assert_int_equal(counters.writes, 5);
	assert_int_equal(counters.discards, 0);
	assert_int_equal(counters.discard_bytes, 0);
}

static void damaged_disk_counters_are_told(void **state)
{
	struct disk_counters counters;

	(void)state;
	assert_int_equal(disk_counters_read(&counters, put("stat", "1 2 3 4 5 6 7 8 9 10\n")),
			 -EINVAL);
	assert_int_equal(disk_counters_read(&counters, put("stat", "1 2 3 -4 5 6 7 8 9 10 11\n")),
			 -EINVAL);
	assert_int_equal(disk_counters_read(&counters, put("stat", "")), -EINVAL);
	assert_int_equal(disk_counters_read(&counters, "/nonexistent/stat"), -ENODEV);
	assert_non_null(strstr(error_text(), "the disk that is measured is gone"));
	assert_non_null(strstr(error_text(), "/nonexistent/stat"));
}

static void disk_counters_are_subtracted_but_for_what_is_in_flight(void **state)
{
	const struct disk_counters before = { 1, 2, 3, 4, 5, 6, 7 },
				   after = { 11, 22, 33, 44, 55, 66, 2 };
	struct disk_counters since = disk_counters_since(&before, &after);

	(void)state;
	assert_int_equal(since.reads, 10);
	assert_int_equal(since.read_bytes, 20);
	assert_int_equal(since.writes, 30);
	assert_int_equal(since.write_bytes, 40);
	assert_int_equal(since.discards, 50);
	assert_int_equal(since.discard_bytes, 60);
	assert_int_equal(since.in_flight, 2);
}

static void cpu_times_of_the_whole_machine(void **state)
{
	double tick = 1.0 / (double)sysconf(_SC_CLK_TCK);
	struct cpu_counters counters, later;

	(void)state;
	put("proc/stat",
	    "cpu  100 20 300 4000 500 6 70 8 50 5\ncpu0 1 2 3 4 5 6 7 8 9 10\nintr 1\n");
	assert_int_equal(cpu_counters_read(&counters, top), 0);
	assert_float_equal(counters.machine_busy_seconds, (100 + 20 + 300 + 6 + 70) * tick,
			   tick / 100);
	assert_float_equal(counters.stolen_seconds, 8 * tick, tick / 100);
	assert_true(counters.user_seconds + counters.system_seconds > 0);

	put("proc/stat", "cpu  110 20 300 9000 900 6 70 10\n");
	assert_int_equal(cpu_counters_read(&later, top), 0);
	struct cpu_counters since = cpu_counters_since(&counters, &later);
	assert_float_equal(since.machine_busy_seconds, 10 * tick, tick / 100);
	assert_float_equal(since.stolen_seconds, 2 * tick, tick / 100);
	assert_true(since.user_seconds >= 0 && since.system_seconds >= 0);

	put("proc/stat", "intr 1\n");
	assert_int_equal(cpu_counters_read(&counters, top), -EINVAL);
	put("proc/stat", "cpu  1 2\n");
	assert_int_equal(cpu_counters_read(&counters, top), -EINVAL);
	assert_int_equal(cpu_counters_read(&counters, "/nonexistent"), -ENOENT);
	assert_int_equal(cpu_counters_read(&counters, ""), 0);
}

static const char slabs[] =
	"slabinfo - version: 2.1\n"
	"# name            <active_objs> <num_objs> <objsize> <objperslab> <pagesperslab> : tunables <limit> <batchcount>\n"
	"xfs_inode_item        17     30    264   15    1 : tunables    0    0    0 : slabdata      2      2      0\n"
	"xfs_inode           4321   4400   1024   16    4 : tunables    0    0    0 : slabdata    275    275      0\n"
	"ext4_inode_cache       0      0   1176   27    8 : tunables    0    0    0 : slabdata      0      0      0\n"
	"dentry             98765  99000    192   21    1 : tunables    0    0    0 : slabdata   4715   4715      0\n";

static void caches_are_counted_by_the_exact_name_of_the_slab(void **state)
{
	struct cache_counters counters;

	(void)state;
	put("proc/slabinfo", slabs);
	put("proc/meminfo",
	    "MemTotal:        1000000 kB\nBuffers:            2048 kB\nCached:            4096 kB\nSwapCached:            7 kB\n");
	assert_int_equal(cache_counters_read(&counters, "xfs_inode", top), 0);
	assert_int_equal(counters.inodes, 4321);
	assert_int_equal(counters.dentries, 98765);
	assert_int_equal(counters.buffer_bytes, 2048 * 1024);
	assert_int_equal(counters.cached_bytes, 4096 * 1024);
	assert_int_equal(cache_counters_read(&counters, "ext4_inode_cache", top), 0);
	assert_int_equal(counters.inodes, 0);
}

static void caches_that_cannot_be_counted_are_told(void **state)
{
	struct cache_counters counters;

	(void)state;
	put("proc/slabinfo", slabs);
	put("proc/meminfo", "MemTotal:        1000000 kB\n");
	assert_int_equal(cache_counters_read(&counters, "xfs_inode", top), -EINVAL);
	assert_int_equal(cache_counters_read(&counters, "f2fs_inode_cache", top), -ENOENT);
	assert_non_null(strstr(error_text(), "f2fs_inode_cache"));
	put("proc/slabinfo", "slabinfo - version: 3.0\n");
	assert_int_equal(cache_counters_read(&counters, "xfs_inode", top), -EINVAL);
	assert_int_equal(cache_counters_read(&counters, "xfs_inode", "/nonexistent"), -ENOENT);
	assert_non_null(strstr(error_text(), "SLUB_DEBUG"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_top, remove_top)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_clock_runs_forward),
		TEST(disk_counters_of_all_ages),
		TEST(damaged_disk_counters_are_told),
		TEST(disk_counters_are_subtracted_but_for_what_is_in_flight),
		TEST(cpu_times_of_the_whole_machine),
		TEST(caches_are_counted_by_the_exact_name_of_the_slab),
		TEST(caches_that_cannot_be_counted_are_told),
	};

	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
