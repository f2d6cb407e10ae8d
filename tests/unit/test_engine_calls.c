/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls that each engine makes, as strace sees them, summed over threads, against the table in
 * docs/engines.md: of an engine by itself, without timing each call and the same with it, and of
 * "blitbench run" between the two readings of its clock. strace comes to a child when that is about
 * to do what is told, and writes the test's file "log".
 */
#include "engine_tree.h"

#include "cli/command.h"
#include "lib/sysfs.h"
#include "run/latency.h"

#include <regex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Calls that fail and that nothing else makes: what lies between them is the timed region. */
#define BEGIN "/blitbench-test-begins"
#define END "/blitbench-test-ends"

enum { CALLS_MAX = 48 };

/* --- the part that is traced: two blits, of which the second is told --- */

/* Stops until somebody has strace come, and returns when it has seen a call. */
static void await_strace(void)
{
	struct stat status;

	prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
	raise(SIGSTOP);
	while (stat(in_top("log"), &status) || !status.st_size)
		usleep(1000);
}

static int blit_between_marks(const struct blit_method *method, bool marked)
{
	struct blit blit = blit_of(method);

	mode_t umask_before = umask(method->engine->umask);
	int error = blit_begin(&blit);
	if (marked)
		access(BEGIN, F_OK);
	if (!error)
		error = method->engine->blit(&blit);
	if (marked)
		access(END, F_OK);
	blit_end(&blit);
	umask(umask_before);
	return error ? error
		     : renameat(site.staging_fd, "usr", site.staging_fd, marked ? "b" : "a");
}

struct traced_blit {
	struct blit_method method;
	const char *strategy;
};

static int two_blits(void *context)
{
	struct traced_blit *wanted = context;
	struct blit_method *method = &wanted->method;

	/* To copy, the tree is on what is mounted, and the store elsewhere. */
	if (!strcmp(wanted->strategy, "copy")) {
		make_site(in_top("site"));
		close(site.staging_fd);
		site.staging_fd = open(in_top("mounted"), O_RDONLY | O_DIRECTORY);
	} else {
		make_site(in_top("mounted/site"));
	}
	if (!strategy_find(wanted->strategy, &method->strategy) ||
	    engine_probe(method, site.store_fd, site.staging_fd))
		return 1;
	struct blit blit = blit_of(method);
	if (method->engine->prepare && method->engine->prepare(&blit))
		return 1;
	if (blit_between_marks(method, false))
		return 1;
	await_strace();
	return blit_between_marks(method, true);
}

/* --- what strace saw --- */

struct call_count {
	char name[32];
	unsigned made;
};

static struct call_count counts[CALLS_MAX];
static size_t kinds;

static struct call_count *count_of(const char *name)
{
	for (size_t i = 0; i < kinds; i++)
		if (!strcmp(counts[i].name, name))
			return &counts[i];
	assert_true(kinds < CALLS_MAX);
	counts[kinds] = (struct call_count){ .made = 0 };
	snprintf(counts[kinds].name, sizeof(counts[0].name), "%s", name);
	return &counts[kinds++];
}

/* The calls one after the other, "mkdirat openat(O_RDONLY|O_DIRECTORY) close ". NULL = not wanted. */
static FILE *words;

/* With its flags as strace spells them, where these say what is meant; of calls that strace does not
 * know, with AT_SYMLINK_NOFOLLOW as the number that it is. */
static void say_call(const char *name, const char *line)
{
	static const char *const with_flags[] = { "openat", "linkat", "fchmodat2", "open_by_handle_at",
						  "ioctl" };
	const char *end = strstr(line, ") = ");

	fputs(name, words);
	for (size_t i = 0; i < ARRAY_LENGTH(with_flags); i++) {
		if (strcmp(name, with_flags[i]))
			continue;
		fputs(strstr(line, ", 0x100") ? "(AT_SYMLINK_NOFOLLOW" : "(", words);
		for (const char *at = strchr(line, '('); at && at < end; at++)
			if ((*at >= 'A' && *at <= 'Z') || *at == '_' || *at == '|')
				fputc(*at, words);
		fputc(')', words);
	}
	fputc(' ', words);
}

/* "123 openat(3, "a", O_RDONLY) = 4"; where threads came between, its end is a line of its own. */
static void take_line(const char *line)
{
	/* One call by different names: glibc's for fstat, strace's for what it does not know. */
	static const char *const aliases[][2] = { { "newfstatat", "fstat" },
						  { "syscall_0x1c4", "fchmodat2" } };
	char name[32];

	if (strstr(line, "resumed>") || sscanf(line, "%*d %31[a-z0-9_](", name) != 1)
		return;
	for (size_t i = 0; i < ARRAY_LENGTH(aliases); i++)
		if (!strcmp(name, aliases[i][0]))
			strcpy(name, aliases[i][1]);
	count_of(name)->made++;
	if (words)
		say_call(name, line);
}

static void read_log(void)
{
	char line[1024];
	bool within = false;
	_cleanup_fclose_ FILE *log = fopen(in_top("log"), "re");

	kinds = 0;
	assert_non_null(log);
	while (fgets(line, sizeof(line), log)) {
		if (strstr(line, END))
			within = false;
		if (within)
			take_line(line);
		if (strstr(line, BEGIN))
			within = true;
	}
}

/* What a child does goes into the shell's log, and ends with this program. */
static pid_t fork_quietly(void)
{
	fflush(NULL);
	pid_t child = fork();

	if (!child &&
	    (prctl(PR_SET_PDEATHSIG, SIGKILL) || !freopen(in_top("shell.log"), "a", stdout) ||
	     dup2(STDOUT_FILENO, STDERR_FILENO) < 0))
		_exit(126);
	return child;
}

static pid_t start_strace(pid_t traced)
{
	char number[16];
	pid_t child = fork_quietly();

	if (child)
		return child;
	snprintf(number, sizeof(number), "%d", traced);
	execlp("strace", "strace", "-f", "-s", "0", "-o", in_top("log"), "-p", number, NULL);
	_exit(127);
}

/* What is done in a child, under strace from await_strace on. */
static void trace_child(int (*what)(void *context), void *context)
{
	int status;

	unlink(in_top("log"));
	pid_t traced = fork_quietly();
	if (!traced) {
		status = what(context);
		fflush(NULL);
		_exit(status ? 1 : 0);
	}
	assert_int_equal(waitpid(traced, &status, WUNTRACED), traced);
	if (!WIFSTOPPED(status))
		fail_msg("the child ended with status %x before it was traced", (unsigned)status);
	pid_t tracer = start_strace(traced);
	kill(traced, SIGCONT);
	assert_int_equal(waitpid(tracer, &status, 0), tracer);
	if (status) {
		kill(traced, SIGKILL);
		fail_msg("strace ended with status %x", (unsigned)status);
	}
	assert_int_equal(waitpid(traced, &status, 0), traced);
	if (status)
		fail_msg("the child under strace ended with status %x", (unsigned)status);
}

static void trace(const char *engine, const char *strategy, unsigned threads)
{
	struct traced_blit wanted = {
		.method = { .engine = engine_find(engine), .threads = threads },
		.strategy = strategy,
	};

	run_shell("mkdir -p mounted; rm -rf site mounted/*");
	trace_child(two_blits, &wanted);
	read_log();
}

/* --- the same of the command --- */

/*
 * The timed region of a blit, in which the clock is read: between umask, right before, and syncfs,
 * right after. umask follows on that again, which tells this syncfs from others. The last one counts:
 * before it was a transaction without a clock.
 */
static unsigned read_timed_regions(void)
{
	static struct call_count last[CALLS_MAX];
	bool within = false, synced = false;
	unsigned regions = 0;
	int main_thread = 0;
	size_t last_kinds = 0;
	char line[1024];
	_cleanup_fclose_ FILE *log = fopen(in_top("log"), "re");

	kinds = 0;
	assert_non_null(log);
	while (fgets(line, sizeof(line), log)) {
		if (strstr(line, " umask(")) {
			if (synced) {
				memcpy(last, counts, sizeof(last));
				last_kinds = kinds;
				regions++;
			}
			kinds = 0;
			within = !synced;
			synced = false;
			main_thread = atoi(line);
		} else if (strstr(line, " syncfs(")) {
			synced = within;
			within = false;
		} else if (within) {
			take_line(line);
		} else if (atoi(line) == main_thread && !strstr(line, "resumed>")) {
			synced = false;
		}
	}
	memcpy(counts, last, sizeof(counts));
	kinds = last_kinds;
	return regions;
}

static int run_traced(void *context)
{
	char **arguments = context;
	int count = 0;

	while (arguments[count])
		count++;
	await_strace();
	return command_main(count, arguments);
}

static void trace_command(const char *engine, const char *strategy, unsigned threads)
{
	char site_path[PATH_MAX], manifest[PATH_MAX + 16];
	char engine_key[64], strategy_key[64], threads_key[32];
	char *arguments[] = { "blitbench", "run", "--directory", site_path, manifest, engine_key,
			      strategy_key, threads_key, "delta=none", "operations=remove", "trials=1",
			      NULL };

	snprintf(site_path, sizeof(site_path), "%s", in_top("run-site"));
	assert_int_equal(mkdir(site_path, 0755), 0);
	snprintf(manifest, sizeof(manifest), "workload=%s", in_top("base.mtree"));
	snprintf(engine_key, sizeof(engine_key), "engines=%s", engine);
	snprintf(strategy_key, sizeof(strategy_key), "strategy=%s", strategy);
	snprintf(threads_key, sizeof(threads_key), "threads=%u", threads);
	trace_child(run_traced, arguments);
	/* The untimed one and the trial. */
	assert_int_equal(read_timed_regions(), 2);
	assert_int_equal(rmdir(site_path), 0);
}

static void need_strace(void)
{
	if (!system("strace -f -o /dev/null true >/dev/null 2>&1"))
		return;
	print_message("skipped: strace is not there, or may not trace\n");
	skip();
}

/* --- the table --- */

static unsigned with_special_bits, with_owners; /* files of the layout */

static int set_up(void **state)
{
	int error = make_engine_test(state);

	if (error)
		return error;
	load_tree();
	const struct layout *layout = &workload.remove;

	count_entries();
	with_special_bits = with_owners = 0;
	for (uint32_t i = 0; i < layout->entry_count; i++) {
		const struct entry *entry = &layout->entries[i];

		if (entry->type != ENTRY_FILE || entry->asset == NO_ASSET)
			continue;
		with_special_bits += !!(entry->mode & 07000);
		with_owners += entry->uid && entry->gid;
	}
	assert_true(directories && symlinks && empties && with_special_bits && with_owners);
	assert_true(assets < files);
	timed = false;
	return 0;
}

/* Timed, an engine is traced once, on several threads. */
static unsigned fewest(void)
{
	return timed ? MANY_THREADS : 1;
}

static int set_up_timed(void **state)
{
	int error = set_up(state);

	timed = true;
	return error;
}

/* Reading the clock is a system call on machines whose clock cannot be read without. */
static bool reads_the_clock(const char *call)
{
	char source[64] = "";

	sysfs_read(source, sizeof(source), "",
		   "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	return timed && !strcmp(call, "clock_gettime") && !latency_clock_is_cheap(source);
}

static struct call_count wanted[CALLS_MAX];
static size_t wanted_kinds;

static void want(const char *name, unsigned made)
{
	wanted[wanted_kinds] = (struct call_count){ .made = made };
	snprintf(wanted[wanted_kinds++].name, sizeof(wanted[0].name), "%s", name);
}

/* Each call as often as wanted, and no other, but for those that are how threads wait and how
 * memory is got. */
static void compare(const char *engine, const char *also)
{
	for (size_t i = 0; i < wanted_kinds; i++)
		if (count_of(wanted[i].name)->made != wanted[i].made)
			fail_msg("%s: %u calls of %s, not %u", engine,
				 count_of(wanted[i].name)->made, wanted[i].name, wanted[i].made);
	for (size_t i = 0; i < kinds; i++) {
		bool known = strstr(also, counts[i].name) || reads_the_clock(counts[i].name);

		for (size_t j = 0; j < wanted_kinds; j++)
			known = known || !strcmp(counts[i].name, wanted[j].name);
		if (!known)
			fail_msg("%s: %u calls of %s, which is none of its", engine, counts[i].made,
				 counts[i].name);
	}
}

/* With what all engines have in common; more_opened descriptors beside. */
static void want_tree(unsigned more_opened)
{
	wanted_kinds = 0;
	want("mkdirat", directories);
	want("symlinkat", symlinks);
	want("openat", directories + empties + more_opened);
	want("close", directories + empties + more_opened);
}

/* How threads wait; and how the clock is read where the kernel must be asked. */
#define WAITING "futex "
#define CLOCK "clock_gettime "

static void want_moss_2025(void)
{
	want_tree(0);
	want("linkat", files);
	want("fchmodat2", files);
}

static void moss_2025(void **state)
{
	static const char *const engines[] = { "moss-2025", "primed", "moss-2025-parallel",
					       "moss-2025-parallel" };

	(void)state;
	need_strace();
	for (size_t i = timed ? 3 : 0; i < ARRAY_LENGTH(engines); i++) {
		trace(engines[i], "auto", i == 3 ? MANY_THREADS : 1);
		want_moss_2025();
		compare(engines[i], i == 3 ? WAITING : "");
	}
}

/* The modes were put right by the first blit. */
static void want_moss_2026_hardlink(void)
{
	want_tree(files);
	want("fstat", files);
	want("linkat", files);
}

static void moss_2026_hardlink(void **state)
{
	(void)state;
	need_strace();
	for (unsigned threads = fewest(); threads <= MANY_THREADS; threads += MANY_THREADS - 1) {
		trace("moss-2026", "hardlink", threads);
		want_moss_2026_hardlink();
		compare("moss-2026 hardlink", threads > 1 ? WAITING : "");
	}
}

static void want_new_files(void)
{
	want_tree(2 * files);
	want("fchmod", with_special_bits);
	want("fchown", with_owners);
}

static void moss_2026_reflink(void **state)
{
	(void)state;
	need_strace();
	mount_fresh("xfs", 400, "-q -m reflink=1");
	for (unsigned threads = fewest(); threads <= MANY_THREADS; threads += MANY_THREADS - 1) {
		trace("moss-2026", "reflink", threads);
		want_new_files();
		want("ioctl", files);
		compare("moss-2026 reflink", threads > 1 ? WAITING : "");
	}
}

/* From one filesystem to another; the kernel refuses copy_file_range there. */
static void moss_2026_copy(void **state)
{
	(void)state;
	need_strace();
	mount_fresh("ext4", 64, "-q");
	trace("moss-2026", "copy", MANY_THREADS);
	want_new_files();
	want("copy_file_range", files);
	want("sendfile", 2 * files);
	compare("moss-2026 copy", WAITING);
}

/* Hot: a sample of the inodes, which come from memory, and then the tree. */
static void want_handle(void)
{
	enum { SAMPLE = 64 };

	want_tree(1); /* the table */
	count_of("close")->made -= SAMPLE + files;
	want("open_by_handle_at", SAMPLE + files);
	want("fstat", files + 1);
	want("linkat", files);
	want("read", 1);
	want("fstatfs", 1);
}

#define MEMORY "getrusage mmap munmap brk madvise "

static void handle(void **state)
{
	(void)state;
	need_strace();
	for (unsigned threads = fewest(); threads <= MANY_THREADS; threads += MANY_THREADS - 1) {
		trace("handle", "auto", threads);
		want_handle();
		compare("handle", MEMORY WAITING);
	}
}

/* What blitbench run times is what the engine does, and nothing else. */
static void the_command(void **state)
{
	(void)state;
	need_strace();
	if (geteuid())
		skip(); /* handle is root's */
	trace_command("moss-2025", "auto", 1);
	want_moss_2025();
	compare("run: moss-2025", CLOCK);
	trace_command("moss-2025-parallel", "auto", MANY_THREADS);
	want_moss_2025();
	compare("run: moss-2025-parallel", CLOCK WAITING);
	trace_command("moss-2026", "hardlink", MANY_THREADS);
	want_moss_2026_hardlink();
	compare("run: moss-2026", CLOCK WAITING);
	trace_command("handle", "auto", MANY_THREADS);
	want_handle();
	compare("run: handle", CLOCK MEMORY WAITING);
}

/* --- their order and their flags --- */

/* Traced on one thread: from the first directory on there is nothing but what directories, symlinks,
 * empty files and files with content are made by, each in one piece. */
static void assert_order(const char *engine, const char *strategy, const char *file)
{
	_cleanup_free_ char *said = NULL;
	char pattern[512];
	size_t size;
	regex_t regex;

	words = open_memstream(&said, &size);
	trace(engine, strategy, 1);
	fclose(take_pointer(words));
	snprintf(pattern, sizeof(pattern),
		 "^(mkdirat openat[(]O_RDONLY[|]O_DIRECTORY[)] |close |symlinkat |"
		 "openat[(]O_WRONLY[|]O_CREAT[|]O_TRUNC[)] close |%s)+$",
		 file);
	assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
	const char *tree = strstr(said, "mkdirat ");
	if (!tree || regexec(&regex, tree, 0, NULL, 0))
		fail_msg("%s %s, not all of it is %s: %s", engine, strategy, pattern, said);
	regfree(&regex);
}

#define ASSET "openat[(]O_RDONLY[)] "
#define NEW_FILE ASSET "openat[(]O_WRONLY[|]O_CREAT[|]O_EXCL[)] (fchmod )?"

static void each_entry_is_made_in_one_piece(void **state)
{
	(void)state;
	need_strace();
	assert_order("moss-2025", "auto", "linkat[(][)] fchmodat2[(]AT_SYMLINK_NOFOLLOW[)] ");
	assert_order("primed", "auto", "linkat[(][)] fchmodat2[(]AT_SYMLINK_NOFOLLOW[)] ");
	assert_order("moss-2026", "hardlink", ASSET "fstat linkat[(]AT_EMPTY_PATH[)] close ");
	assert_order("handle", "auto",
		     "open_by_handle_at[(][A-Z_|]*O_PATH[)] fstat linkat[(]AT_EMPTY_PATH[)] close ");
	mount_fresh("xfs", 400, "-q -m reflink=1");
	assert_order("moss-2026", "reflink", NEW_FILE "ioctl[(][A-Z_]*FICLONE[)] (fchown )?close close ");
	assert_order("moss-2026", "copy",
		     NEW_FILE "copy_file_range sendfile sendfile (fchown )?close close ");
}

#define calls_test(name)                                                      \
	cmocka_unit_test_setup_teardown(name, set_up, remove_engine_test), {  \
		#name ", timed", name, set_up_timed, remove_engine_test, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		calls_test(moss_2025),
		calls_test(moss_2026_hardlink),
		calls_test(moss_2026_reflink),
		calls_test(moss_2026_copy),
		calls_test(handle),
		cmocka_unit_test_setup_teardown(each_entry_is_made_in_one_piece, set_up,
						remove_engine_test),
		cmocka_unit_test_setup_teardown(the_command, set_up, remove_engine_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
