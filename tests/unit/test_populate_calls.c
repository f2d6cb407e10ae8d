/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls that filling a store makes, as strace sees them, against those of the bare loop. The
 * program runs itself under strace: "test_populate_calls fill DIRECTORY" and the like.
 */
#include "populate_fixture.h"

#include "../bench/bare_loop.h"

#include <sys/wait.h>

/* Calls that fail and that nothing else makes: what lies between them was the work. */
#define BEGIN "/blitbench-test-begins"
#define END "/blitbench-test-ends"

enum { PACKAGES = 12, CONTENTS = 5, LARGEST = 1400001, CALLS_MAX = 32 };

/* --- the part that is traced --- */

static int traced(const char *what, const char *directory)
{
	struct populate_result result;
	int error = 0;

	snprintf(top, sizeof(top), "%s", directory);
	if (load_packages(PACKAGES, CONTENTS, LARGEST))
		return 1;
	int store_fd = open(in_top("v2"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const struct populate_request request =
		request_for(store_fd, "3x2", !strcmp(what, "writers") ? 8 : 1);
	access(BEGIN, F_OK);
	if (!strcmp(what, "loop"))
		bare_loop(store_fd, request.fanout, request.contents, SEED);
	else
		error = store_populate(&request, &result);
	access(END, F_OK);
	close(store_fd);
	workload_free(&workload);
	return error != 0;
}

/* --- what strace saw --- */

struct call_count {
	char name[32];
	unsigned made, failed;
};

struct calls {
	struct call_count counts[CALLS_MAX];
	size_t kinds;
	uint64_t written_bytes;
	char renamed[PACKAGES * CONTENTS][STORE_PATH_BYTES]; /* in order, to what */
	size_t renames;
};

static struct call_count *count_of(struct calls *calls, const char *name)
{
	for (size_t i = 0; i < calls->kinds; i++)
		if (!strcmp(calls->counts[i].name, name))
			return &calls->counts[i];
	assert_true(calls->kinds < CALLS_MAX);
	snprintf(calls->counts[calls->kinds].name, sizeof(calls->counts[0].name), "%s", name);
	return &calls->counts[calls->kinds++];
}

/* "123 openat(3, "a", O_RDONLY) = 4"; where threads came between, its end is a line of its own. */
static void take_line(struct calls *calls, const char *line)
{
	char name[32], path[STORE_PATH_BYTES];
	const char *resumed = strstr(line, "<... "), *result = strrchr(line, '=');
	bool failed = result && !strncmp(result, "= -1 ", 5);

	if (sscanf(resumed ? resumed + 5 : line, resumed ? "%31[a-z0-9_]" : "%*d %31[a-z0-9_](",
		   name) != 1)
		return;
	/* Threads' stacks and buffers; the calling thread's waiting is none of these calls. */
	if (strstr(name, "mmap") || strstr(name, "mremap"))
		return;
	struct call_count *count = count_of(calls, name);
	count->made += !resumed;
	count->failed += failed;
	if (!strcmp(name, "write") && result)
		calls->written_bytes += strtoull(result + 1, NULL, 10);
	if (!strcmp(name, "renameat") && !resumed &&
	    sscanf(strstr(line, ".part\", ") + 7, "%*d, \"%47[^\"]", path) == 1) {
		assert_true(calls->renames < PACKAGES * CONTENTS);
		strcpy(calls->renamed[calls->renames++], path);
	}
}

static void read_log(struct calls *calls)
{
	char line[1024];
	bool within = false;
	_cleanup_fclose_ FILE *log = fopen(in_top("log"), "re");

	*calls = (struct calls){ .kinds = 0 };
	assert_non_null(log);
	while (fgets(line, sizeof(line), log)) {
		if (strstr(line, END))
			within = false;
		if (within)
			take_line(calls, line);
		if (strstr(line, BEGIN))
			within = true;
	}
}

static void trace(const char *what, struct calls *calls)
{
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	pid_t child;
	int status;

	assert_true(length > 0);
	self[length] = '\0';
	assert_int_equal(mkdir(in_top("v2"), 0755), 0);
	child = fork();
	if (!child) {
		setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* it would trace, too */
		execlp("strace", "strace", "-f", "-s", "0", "-o", in_top("log"), "-e",
		       "trace=%file,%desc", self, what, top, NULL);
		_exit(127);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (status)
		fail_msg("%s under strace ended with status %x", what, (unsigned)status);
	read_log(calls);
	count_found(in_top("v2"));
	assert_int_equal(files_found, PACKAGES * CONTENTS);
	assert_int_equal(tree_remove(AT_FDCWD, in_top("v2")), 0);
}

static void need_strace(void)
{
	if (system("strace -f -o /dev/null true >/dev/null 2>&1")) {
		print_message("skipped: strace is not there, or may not trace\n");
		skip();
	}
}

static void assert_same(const struct calls *calls, struct calls *loop)
{
	assert_int_equal(calls->kinds, loop->kinds);
	for (size_t i = 0; i < calls->kinds; i++) {
		const struct call_count *count = &calls->counts[i];

		if (count->made != count_of(loop, count->name)->made)
			fail_msg("%u calls of %s, and %u in the bare loop", count->made,
				 count->name, count_of(loop, count->name)->made);
		assert_int_equal(count->failed, 0);
	}
	assert_int_equal(calls->written_bytes, loop->written_bytes);
}

static void one_writer_makes_the_calls_of_a_bare_loop(void **state)
{
	static struct calls fill, loop;

	(void)state;
	need_strace();
	trace("loop", &loop);
	trace("fill", &fill);
	assert_int_equal(count_of(&loop, "renameat")->made, PACKAGES * CONTENTS);
	assert_int_equal(loop.written_bytes, workload.contents.bytes);
	assert_same(&fill, &loop);
	/* In the order of the contents' numbers: package by package, largest first. */
	assert_int_equal(fill.renames, loop.renames);
	for (size_t i = 0; i < fill.renames; i++) {
		char path[STORE_PATH_BYTES];

		store_path(path, fanout_find("3x2"), workload.contents.list[i].digest);
		assert_string_equal(fill.renamed[i], path);
	}
}

/* Of two writers that need a directory at the same time one makes it. */
static void many_writers_make_no_more(void **state)
{
	static struct calls fill, loop;

	(void)state;
	need_strace();
	trace("loop", &loop);
	trace("writers", &fill);
	struct call_count *made = count_of(&fill, "mkdirat");
	made->made -= made->failed;
	made->failed = 0;
	assert_same(&fill, &loop);
}

static int make_workload(void **state)
{
	return make_top(state) ? -1 : load_packages(PACKAGES, CONTENTS, LARGEST);
}

static int remove_workload(void **state)
{
	workload_free(&workload);
	return remove_top(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_writer_makes_the_calls_of_a_bare_loop),
		cmocka_unit_test(many_writers_make_no_more),
	};

	if (argc == 3)
		return traced(argv[1], argv[2]);
	return cmocka_run_group_tests(tests, make_workload, remove_workload);
}
