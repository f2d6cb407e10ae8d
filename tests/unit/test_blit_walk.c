/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The walk that all engines share: its order, who makes what, what is open, and how it stops. */
#include "workload_fixture.h"

#include "blit/walk.h"

#include <sys/syscall.h>

enum { THREADS = 4, MANY = 3000 };

static struct workload workload;

/* --- a file maker that looks on --- */

static uint32_t made[MANY * 4];
static unsigned made_count; /* atomic, as is most_open */
static unsigned most_open;
static pid_t makers[THREADS];
static uint32_t fails_at;

static unsigned count_in(const char *directory)
{
	unsigned count = 0;
	_cleanup_closedir_ DIR *stream = opendir(directory);

	assert_non_null(stream);
	while (readdir(stream))
		count++;
	return count - 2;
}

static void note_maker(void)
{
	pid_t self = (pid_t)syscall(SYS_gettid);

	for (unsigned i = 0; i < THREADS; i++) {
		pid_t none = 0;

		if (__atomic_load_n(&makers[i], __ATOMIC_RELAXED) == self ||
		    __atomic_compare_exchange_n(&makers[i], &none, self, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return;
	}
	abort(); /* more threads than were asked for */
}

static int look_on(struct blit *blit, int parent, const struct entry *entry, const char *name)
{
	uint32_t index = (uint32_t)(entry - blit->layout->entries);

	if (index == fails_at) {
		errno = EIO;
		return blit_failed(blit, entry, "made-up call");
	}
	note_maker();
	made[__atomic_fetch_add(&made_count, 1, __ATOMIC_RELAXED)] = index;
	if (index % 16 == 0) {
		unsigned open = count_in("/proc/self/fd");
		unsigned most = __atomic_load_n(&most_open, __ATOMIC_RELAXED);

		while (open > most &&
		       !__atomic_compare_exchange_n(&most_open, &most, open, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			;
		usleep(100); /* so that the others come to something, on one processor too */
	}
	int fd = openat(parent, name, O_CREAT | O_EXCL | O_WRONLY, 0600);
	return fd < 0 ? blit_failed(blit, entry, "openat") : close(fd);
}

static walk_file maker = look_on;

/* --- */

static unsigned makers_count(void)
{
	unsigned count = 0;

	while (count < THREADS && makers[count])
		count++;
	return count;
}

static int walk(unsigned threads, struct blit *blit)
{
	const char *staging = in_top("staging");

	made_count = most_open = 0;
	memset(makers, 0, sizeof(makers));
	mkdir(staging, 0755);
	*blit = (struct blit){
		.layout = &workload.remove,
		.store_fd = -1,
		.staging_fd = open(staging, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.threads = threads,
	};
	assert_true(blit->staging_fd >= 0);
	assert_int_equal(blit_begin(blit), 0);
	int result = walk_tree(blit, maker, 0);
	blit_end(blit);
	close(blit->staging_fd);
	return result;
}

/* Walks and looks at what must hold each time; the result. */
static int walk_and_look(unsigned threads, struct blit *blit)
{
	unsigned descriptors = count_in("/proc/self/fd"), tasks = count_in("/proc/self/task");
	int result = walk(threads, blit);

	assert_int_equal(count_in("/proc/self/fd"), descriptors);
	assert_int_equal(count_in("/proc/self/task"), tasks);
	return result;
}

static int compare(const void *left, const void *right)
{
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return a < b ? -1 : a > b;
}

static void assert_each_made_once(void)
{
	struct stat status;
	char path[PATH_MAX], whole[PATH_MAX + 128];

	qsort(made, made_count, sizeof(made[0]), compare);
	for (unsigned i = 1; i < made_count; i++)
		assert_int_not_equal(made[i], made[i - 1]);
	for (uint32_t i = 0; i < workload.remove.entry_count; i++) {
		snprintf(whole, sizeof(whole), "%s/staging/%s", top,
			 layout_path(&workload.remove, i, path, sizeof(path)));
		assert_int_equal(lstat(whole, &status), 0);
	}
	assert_int_equal(tree_remove(AT_FDCWD, in_top("staging")), 0);
}

static int release(void **state)
{
	workload_free(&workload);
	fails_at = UINT32_MAX;
	return remove_top(state);
}

static int make(void **state)
{
	fails_at = UINT32_MAX;
	umask(022);
	return make_top(state);
}

static void print_file(FILE *out, const char *directory, unsigned number)
{
	fprintf(out, "./usr/%s/f%04u type=file mode=0644 size=3 inode=%u\n", directory, number,
		1 + number);
}

/* A chain of directories, each with files, an empty directory, an empty file and a link. */
static void load_deep(unsigned depth, unsigned files)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	char path[PATH_MAX] = "d";

	fputs("#mtree\n", out);
	for (unsigned level = 0; level < depth; level++) {
		for (unsigned i = 0; i < files; i++)
			print_file(out, path, i);
		fprintf(out, "./usr/%s/a-nothing type=dir mode=0755\n", path);
		fprintf(out, "./usr/%s/b-empty type=file mode=0644 size=0\n", path);
		fprintf(out, "./usr/%s/y-nothing type=dir mode=0755\n", path);
		fprintf(out, "./usr/%s/z-link type=link link=f0000\n", path);
		snprintf(path + strlen(path), sizeof(path) - strlen(path), "/e%u", level);
	}
	fclose(out);
	must_load(&workload, text, NULL);
}

static void load_flat(unsigned files)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("#mtree\n", out);
	for (unsigned i = 0; i < files; i++)
		print_file(out, "huge", i);
	fclose(out);
	must_load(&workload, text, NULL);
}

static unsigned at;

static int is_next(void *context, const struct layout *layout, uint32_t index)
{
	const struct entry *entry = &layout->entries[index];

	(void)context;
	if (entry->type == ENTRY_FILE && entry->asset != NO_ASSET)
		assert_int_equal(made[at++], index);
	return 0;
}

static void one_thread_goes_in_moss_s_order(void **state)
{
	struct blit blit;

	(void)state;
	load_deep(20, 10);
	assert_int_equal(walk_and_look(1, &blit), 0);
	assert_int_equal(made_count, 20 * 10);
	at = 0;
	layout_walk(&workload.remove, is_next, NULL);
	assert_int_equal(at, made_count);
	assert_int_equal(makers_count(), 1);
	assert_each_made_once();
}

static void one_huge_directory_is_shared_out(void **state)
{
	struct blit blit;

	(void)state;
	load_flat(MANY);
	assert_int_equal(walk_and_look(THREADS, &blit), 0);
	assert_int_equal(made_count, MANY);
	assert_int_equal(makers_count(), THREADS);
	assert_each_made_once();
}

/* Open at a time: the directories above where each thread is, what looking takes, and what was open
 * before. */
static void descriptors_are_bounded_by_depth_and_threads(void **state)
{
	enum { DEPTH = 30 };
	struct blit blit;

	(void)state;
	load_deep(DEPTH, 40);
	unsigned before = count_in("/proc/self/fd");
	for (unsigned threads = 1; threads <= THREADS; threads *= 2) {
		assert_int_equal(walk_and_look(threads, &blit), 0);
		assert_int_equal(made_count, DEPTH * 40);
		assert_in_range(most_open, before,
				before + 1 + (DEPTH + 1) * threads + 2 * threads);
		assert_each_made_once();
	}
}

static void a_tree_of_one_directory_is_made(void **state)
{
	struct blit blit;

	(void)state;
	must_load(&workload, "#mtree\n./usr type=dir mode=0755\n", NULL);
	assert_int_equal(walk_and_look(THREADS, &blit), 0);
	assert_each_made_once();
}

/* Whatever fails: all threads end, nothing stays open, and the first failure is told. */
static void the_first_failure_stops_all(void **state)
{
	struct blit blit;
	char path[PATH_MAX];

	(void)state;
	load_deep(12, 60);
	for (unsigned threads = 1; threads <= THREADS; threads += THREADS - 1) {
		for (unsigned level = 1; level < 12; level += 5) {
			snprintf(path, sizeof(path), "usr/d");
			for (unsigned i = 0; i < level; i++)
				snprintf(path + strlen(path), sizeof(path) - strlen(path), "/e%u",
					 i);
			strcat(path, "/f0030");
			fails_at = find_entry(&workload.remove, path);
			assert_int_equal(walk_and_look(threads, &blit), -EIO);
			assert_int_equal(blit.failure.entry, fails_at);
			assert_string_equal(blit.failure.call, "made-up call");
			assert_int_equal(blit.failure.error, EIO);
			assert_true(made_count < 12 * 60);
			assert_int_equal(tree_remove(AT_FDCWD, in_top("staging")), 0);
		}
	}
}

/* Names that are there already, put in the way by whoever makes the directory's first file. */
static const char *in_the_way;

static int put_in_the_way(struct blit *blit, int parent, const struct entry *entry,
			  const char *name)
{
	if (!strcmp(name, "f0000"))
		mkdirat(parent, in_the_way, 0755);
	return look_on(blit, parent, entry, name);
}

static void what_is_in_the_way_is_told(void **state)
{
	static const struct {
		const char *name, *call;
	} cases[] = {
		{ "f0003", "openat" },
		{ "z-link", "symlinkat" },
		{ "y-nothing", "mkdirat" },
	};
	char path[PATH_MAX];
	struct blit blit;

	(void)state;
	load_deep(1, 8);
	maker = put_in_the_way;
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		in_the_way = cases[i].name;
		assert_int_equal(walk_and_look(1, &blit), -EEXIST);
		snprintf(path, sizeof(path), "usr/d/%s", in_the_way);
		assert_int_equal(blit.failure.entry, find_entry(&workload.remove, path));
		assert_string_equal(blit.failure.call, cases[i].call);
		assert_int_equal(tree_remove(AT_FDCWD, in_top("staging")), 0);
	}
	maker = look_on;
	for (unsigned threads = 1; threads <= THREADS; threads += THREADS - 1) {
		mkdir(in_top("staging"), 0755);
		mkdir(in_top("staging/usr"), 0755);
		assert_int_equal(walk_and_look(threads, &blit), -EEXIST);
		assert_int_equal(blit.failure.entry, 0);
		assert_string_equal(blit.failure.call, "mkdirat");
		assert_int_equal(tree_remove(AT_FDCWD, in_top("staging")), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_thread_goes_in_moss_s_order, make, release),
		cmocka_unit_test_setup_teardown(one_huge_directory_is_shared_out, make, release),
		cmocka_unit_test_setup_teardown(descriptors_are_bounded_by_depth_and_threads, make,
						release),
		cmocka_unit_test_setup_teardown(a_tree_of_one_directory_is_made, make, release),
		cmocka_unit_test_setup_teardown(the_first_failure_stops_all, make, release),
		cmocka_unit_test_setup_teardown(what_is_in_the_way_is_told, make, release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
