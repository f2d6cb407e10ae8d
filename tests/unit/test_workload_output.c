/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the commands write: pipes, devices and symlinks, files that are there already, a full disk;
 * and how they end when they are interrupted. */
#include "command_fixture.h"

#include "archive_fixture.h"

#include <signal.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#define SMALL "workloads/small.mtree.zst"
#define GOLDEN "tests/data/report-golden.jsonl"

static const struct item items[] = { { "usr/bin/x", 'f', "content", 0755 }, { 0 } };

/* --- the actions that write --- */

enum action { CAPTURE, IMPORT, SUBSET, ACTIONS };

static char deb[PATH_MAX], tree[PATH_MAX];

static int make_sources(void **state)
{
	if (make_top(state))
		return -1;
	strcpy(deb, make_deb("source.deb", items));
	strcpy(tree, in_top("tree"));
	return mkdir(tree, 0755);
}

static int write_to(enum action action, const char *output)
{
	switch (action) {
	case CAPTURE:
		return RUN("workload", "capture", tree, "-o", output);
	case IMPORT:
		return RUN("workload", "import", deb, "-o", output);
	default:
		return RUN("workload", "subset", SMALL, "--entries", "9", "-o", output);
	}
}

static void assert_manifest(const char *path)
{
	static const char begin[] = "#mtree\n./usr";
	size_t size;
	_cleanup_free_ char *text = get_bytes(path, &size);

	assert_true(size > strlen(begin));
	assert_memory_equal(text, begin, strlen(begin));
	assert_int_equal(text[size - 1], '\n');
	assert_null(strstr(text, "digest"));
}

static mode_t type_of(const char *path)
{
	struct stat status;

	assert_int_equal(lstat(path, &status), 0);
	return status.st_mode & S_IFMT;
}

/* --- what is no regular file --- */

static void a_pipe_gets_the_lines_and_stays(void **state)
{
	char pipe[PATH_MAX], got[PATH_MAX], reader[2 * PATH_MAX + 16];

	(void)state;
	strcpy(pipe, in_top("pipe"));
	strcpy(got, in_top("got"));
	snprintf(reader, sizeof(reader), "cat %s > %s", pipe, got);
	assert_int_equal(mkfifo(pipe, 0600), 0);
	for (enum action action = 0; action < ACTIONS; action++) {
		FILE *process = popen(reader, "we");

		assert_non_null(process);
		assert_int_equal(write_to(action, pipe), 0);
		assert_int_equal(pclose(process), 0);
		assert_int_equal(type_of(pipe), S_IFIFO);
		assert_manifest(got);
	}
	assert_int_equal(unlink(pipe), 0);
}

/* A node of the test's own: whatever goes wrong, the machine's stay. */
static void a_device_is_written_to_and_stays(void **state)
{
	char node[PATH_MAX];
	int fd;

	(void)state;
	strcpy(node, in_top("null"));
	if (mknod(node, S_IFCHR | 0600, makedev(1, 3)))
		skip();
	fd = open(node, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		skip();
	close(fd);
	for (enum action action = 0; action < ACTIONS; action++) {
		assert_int_equal(write_to(action, node), 0);
		assert_int_equal(type_of(node), S_IFCHR);
	}
	assert_int_equal(unlink(node), 0);
}

static void a_disk_and_a_directory_are_refused(void **state)
{
	char node[PATH_MAX];

	(void)state;
	strcpy(node, in_top("disk"));
	for (enum action action = 0; action < ACTIONS; action++) {
		assert_int_equal(write_to(action, tree), 1);
		assert_complained("tree is a directory; give the name of a file");
	}
	/* A number that no disk has. */
	if (mknod(node, S_IFBLK | 0600, makedev(7, 999983)))
		skip();
	for (enum action action = 0; action < ACTIONS; action++) {
		assert_int_equal(write_to(action, node), 1);
		assert_complained("disk is a disk; give the name of a file");
		assert_int_equal(type_of(node), S_IFBLK);
	}
	assert_int_equal(unlink(node), 0);
}

static void symlinks_stay_and_are_followed(void **state)
{
	char link[PATH_MAX], target[PATH_MAX];

	(void)state;
	strcpy(link, in_top("link"));
	strcpy(target, in_top("tree/target"));
	/* Of a name beside it, by way of another link, and of a whole path. */
	assert_int_equal(symlink("tree/link", link), 0);
	assert_int_equal(symlink("target", in_top("tree/link")), 0);
	for (enum action action = 0; action < ACTIONS; action++) {
		assert_int_equal(access(target, F_OK), -1);
		/* What it leads to is made, and then replaced. */
		for (int turn = 0; turn < 2; turn++) {
			assert_int_equal(write_to(action, link), 0);
			assert_int_equal(type_of(link), S_IFLNK);
			assert_int_equal(type_of(in_top("tree/link")), S_IFLNK);
			assert_manifest(target);
		}
		assert_int_equal(unlink(target), 0);
	}
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(write_to(IMPORT, link), 0);
	assert_int_equal(type_of(link), S_IFLNK);
	assert_manifest(target);
	assert_int_equal(unlink(target), 0);
	/* In a circle. */
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink("link", link), 0);
	assert_int_equal(write_to(IMPORT, link), 1);
	assert_complained("link cannot be written: Too many levels of symbolic links");
	assert_int_equal(unlink(link), 0);
	assert_int_equal(unlink(in_top("tree/link")), 0);
}

static void the_standard_output_by_other_names(void **state)
{
	static const char *const names[] = { "-", "/dev/stdout", "/proc/self/fd/1" };

	(void)state;
	for (enum action action = 0; action < ACTIONS; action++)
		for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
			assert_int_equal(write_to(action, names[i]), 0);
			assert_manifest(in_top("out"));
		}
	assert_int_equal(write_to(IMPORT, in_top("out")), 0);
	assert_manifest(in_top("out"));
}

/* --- what is there already --- */

static void assert_kept(const char *path, const char *bytes, size_t size)
{
	char part[PATH_MAX + 8];
	size_t size_now;
	_cleanup_free_ char *now = get_bytes(path, &size_now);

	assert_int_equal(size_now, size);
	assert_memory_equal(now, bytes, size);
	snprintf(part, sizeof(part), "%s.part", path);
	assert_int_equal(access(part, F_OK), -1);
}

static void a_source_is_never_the_output(void **state)
{
	char x[PATH_MAX], other[PATH_MAX], manifest[PATH_MAX], output[PATH_MAX];
	_cleanup_free_ char *bytes = NULL, *text = NULL;
	size_t size, text_size;

	(void)state;
	strcpy(x, make_deb("x.deb", items));
	strcpy(other, in_top("other.deb"));
	strcpy(output, in_top("output"));
	bytes = get_bytes(x, &size);
	/* By another name, too. */
	assert_int_equal(link(x, other), 0);
	assert_int_equal(RUN("workload", "import", x, "-o", x), 1);
	assert_complained("x.deb is a source and cannot be the output too; give another name");
	assert_int_equal(RUN("workload", "import", deb, x, "-o", other), 1);
	assert_complained("other.deb is a source");
	assert_int_equal(
		RUN("workload", "import", deb, "-o", x, "--delta", other, "--delta-output", output),
		1);
	assert_complained("x.deb is a source");
	assert_int_equal(
		RUN("workload", "import", x, "-o", output, "--delta", deb, "--delta-output", x), 1);
	assert_complained("x.deb is a source");
	assert_int_equal(access(output, F_OK), -1);
	assert_kept(x, bytes, size);

	strcpy(manifest, put_text("in", "./usr/a type=file size=1\n"));
	text = get_bytes(manifest, &text_size);
	assert_int_equal(RUN("workload", "subset", manifest, "--entries", "1", "-o", manifest), 1);
	assert_complained("in is a source");
	assert_int_equal(RUN("workload", "subset", "-", "--entries", "1", "-o", manifest), 1);
	assert_complained("in is a source");
	assert_kept(manifest, text, text_size);
	assert_int_equal(unlink(manifest), 0);
}

static void only_manifests_are_replaced(void **state)
{
	static const char *const precious[] = { "a letter to somebody\n", "type=file\n", "\n",
						"{\"record\": \"verdict\"}\n" };
	static const char *const replaced[] = { "", "#mtree\n./usr type=dir\n",
						"./usr/a type=file size=1\ndamaged" };
	char path[PATH_MAX];
	size_t size;
	_cleanup_free_ char *bytes = NULL;

	(void)state;
	for (enum action action = 0; action < ACTIONS; action++) {
		for (size_t i = 0; i < ARRAY_LENGTH(precious); i++) {
			strcpy(path, put_text("there", precious[i]));
			assert_int_equal(write_to(action, path), 1);
			assert_complained("there is there already and is no manifest, so it is");
			assert_kept(path, precious[i], strlen(precious[i]));
		}
		strcpy(path, make_deb("there", items));
		free(bytes);
		bytes = get_bytes(path, &size);
		assert_int_equal(write_to(action, path), 1);
		assert_complained("there is there already and is no manifest");
		assert_kept(path, bytes, size);
		for (size_t i = 0; i < ARRAY_LENGTH(replaced); i++) {
			strcpy(path, put_text("there", replaced[i]));
			assert_int_equal(write_to(action, path), 0);
			assert_manifest(path);
		}
	}
	/* What another program may be writing. */
	assert_int_equal(unlink(path), 0);
	put_text("there.part", "half");
	assert_int_equal(write_to(IMPORT, path), 1);
	assert_complained("there.part is there already: another program writes it, or was killed");
	assert_int_equal(access(in_top("there.part"), F_OK), 0);
	assert_int_equal(access(path, F_OK), -1);
}

/* --- no room --- */

#define assert_lost(...)                                                               \
	do {                                                                           \
		assert_int_equal(RUN_INTO("/dev/full", __VA_ARGS__), 1);               \
		assert_complained("blitbench: the standard output cannot be written"); \
	} while (0)

static void lost_output_is_told(void **state)
{
	(void)state;
	if (access("/dev/full", W_OK))
		skip();
	assert_lost("--help");
	assert_lost("--version");
	assert_lost("plan", "--help");
	assert_lost("plan", "--print-conf");
	assert_lost("plan", "--print-keys");
	assert_lost("report", "--help");
	assert_lost("report", GOLDEN);
	assert_lost("report", "--table", GOLDEN);
	assert_lost("report", "--json", GOLDEN);
	assert_lost("workload", "--help");
	assert_lost("workload", "inspect", SMALL);
	assert_lost("workload", "inspect", "--json", SMALL);
	assert_lost("workload", "capture", tree, "-o", "-");
	assert_lost("workload", "import", deb, "-o", "-");
	assert_lost("workload", "subset", SMALL, "--entries", "9", "-o", "-");
	assert_lost("workload", "import", deb, "-o", in_top("figures.mtree"));
	/* The next one starts afresh. */
	assert_int_equal(RUN("--version"), 0);
}

/* --- interrupted --- */

static bool catches(pid_t process, int number)
{
	char path[64], line[128];
	unsigned long long caught = 0;
	_cleanup_fclose_ FILE *file = NULL;

	snprintf(path, sizeof(path), "/proc/%d/status", process);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "SigCgt: %llx", &caught) == 1)
			break;
	return caught >> (number - 1) & 1;
}

static pid_t start(int argc, const char **argv)
{
	pid_t child;

	/* Before the fork: a handler that an earlier command has left would look like the child's.
	 */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (child)
		return child;
	_exit(run_command(in_top("out"), argc, argv));
}

/* Once it listens, as often as it takes: one signal may come just before it begins to wait. */
static void assert_dies_of(int number, int argc, const char **argv)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	pid_t child = start(argc, argv);
	bool listens = false;
	int status = 0;

	while (!waitpid(child, &status, WNOHANG)) {
		listens = listens || catches(child, number);
		if (listens)
			kill(child, number);
		nanosleep(&pause, NULL);
	}
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), number);
	assert_complained("blitbench: interrupted\n");
	assert_int_equal(access(in_top("output"), F_OK), -1);
	assert_int_equal(access(in_top("output.part"), F_OK), -1);
}

#define ASSERT_DIES_OF(number, ...)                                                  \
	assert_dies_of(number, (int)ARRAY_LENGTH(((const char *[]){ __VA_ARGS__ })), \
		       (const char *[]){ __VA_ARGS__, NULL })

static void assert_all_die_of(int number, const char *pipe, const char *output)
{
	ASSERT_DIES_OF(number, "blitbench", "workload", "import", pipe, "-o", output);
	ASSERT_DIES_OF(number, "blitbench", "workload", "subset", pipe, "--entries", "1", "-o",
		       output);
	ASSERT_DIES_OF(number, "blitbench", "workload", "inspect", pipe);
}

static void an_interrupted_command_dies_of_the_signal(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	char pipe[PATH_MAX], output[PATH_MAX];

	(void)state;
	strcpy(pipe, in_top("pipe"));
	strcpy(output, in_top("output"));
	assert_int_equal(mkfifo(pipe, 0600), 0);
	for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++) {
		_cleanup_close_ int fd = -1;

		/* Waiting for the pipe's other end: to read, and to write. */
		assert_all_die_of(numbers[i], pipe, output);
		ASSERT_DIES_OF(numbers[i], "blitbench", "workload", "capture", tree, "-o", pipe);
		ASSERT_DIES_OF(numbers[i], "blitbench", "workload", "import", deb, "-o", pipe);
		/* Waiting for what comes through it. */
		fd = open(pipe, O_RDWR | O_CLOEXEC);
		assert_true(fd >= 0);
		assert_all_die_of(numbers[i], pipe, output);
		/* Waiting for room in it. */
		while (fcntl(fd, F_SETFL, O_NONBLOCK) || write(fd, top, sizeof(top)) > 0)
			;
		ASSERT_DIES_OF(numbers[i], "blitbench", "workload", "import", deb, "-o", pipe);
	}
	assert_int_equal(unlink(pipe), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pipe_gets_the_lines_and_stays),
		cmocka_unit_test(a_device_is_written_to_and_stays),
		cmocka_unit_test(a_disk_and_a_directory_are_refused),
		cmocka_unit_test(symlinks_stay_and_are_followed),
		cmocka_unit_test(the_standard_output_by_other_names),
		cmocka_unit_test(a_source_is_never_the_output),
		cmocka_unit_test(only_manifests_are_replaced),
		cmocka_unit_test(lost_output_is_told),
		cmocka_unit_test(an_interrupted_command_dies_of_the_signal),
	};

	return cmocka_run_group_tests(tests, make_sources, remove_top);
}
