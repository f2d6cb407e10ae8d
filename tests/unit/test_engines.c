/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every engine by every strategy, on one thread and on several: the trees that they leave. */
#include "engine_fixture.h"

#include "blit/calls.h"
#include "run/needs.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Directories within each other, one of them large, contents that are shared, and all kinds of
 * modes and owners. */
static void load_tree(void)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("#mtree\n", out);
	for (unsigned i = 0; i < 250; i++)
		fprintf(out, "./usr/large/f%03u type=file mode=0%o uid=0 gid=0 size=%u inode=%u\n",
			i, i % 3 ? 0644 : 0755, 1 + i * 13 % 900, 1 + i);
	for (unsigned i = 0; i < 42; i++) {
		fprintf(out, "./usr/lib/d%u/e%u type=dir mode=0755\n", i % 7, i);
		fprintf(out, "./usr/lib/d%u/e%u/shared type=file mode=0644 size=%u inode=%u\n",
			i % 7, i, 1 + i % 40 * 13 % 900, 1 + i % 40);
		fprintf(out, "./usr/lib/d%u/e%u/empty type=file mode=0600 size=0\n", i % 7, i);
		fprintf(out, "./usr/lib/d%u/e%u/link type=link link=../../../large/f%03u\n", i % 7,
			i, i);
		fprintf(out, "./usr/lib/d%u/hollow%u type=dir mode=0700\n", i % 7, i);
	}
	fputs("./usr/bin/su type=file mode=04755 uid=0 gid=0 size=5000 inode=2001\n"
	      "./usr/bin/wall type=file mode=02755 uid=0 gid=5 size=300 inode=2002\n"
	      "./usr/bin/theirs type=file mode=06750 uid=7 gid=7 size=70000 inode=2003\n"
	      "./usr/share type=dir mode=02775 uid=0 gid=50\n"
	      "./usr/tmp type=dir mode=01777 uid=0 gid=0\n",
	      out);
	fclose(out);
	must_load(&workload, text,
		  "#mtree\n./usr/more/new type=file mode=0755 size=300 inode=2002\n");
}

static const char *usr_in_words(void)
{
	static char *text;
	char path[PATH_MAX];

	free(text);
	snprintf(path, sizeof(path), "%s/usr", site.path);
	text = tree_in_words(path);
	return text;
}

static void must_run(const struct blit_method *method, const struct layout *layout)
{
	struct transaction transaction;

	if (transaction_run(&site, method, layout, &transaction))
		fail_msg("%s %s, %u threads: %s", method->engine->name,
			 strategy_name(method->strategy), method->threads, error_text());
	if (verify_tree(&site, method, layout))
		fail_msg("%s %s, %u threads: %s", method->engine->name,
			 strategy_name(method->strategy), method->threads, error_text());
	/* Only who primes has a time for it. */
	assert_int_equal(isnan(transaction.prime_seconds), !method->engine->prime);
	assert_true(transaction.seconds > 0);
}

static char *wanted;

static void leaves_the_same_tree(const struct blit_method *method)
{
	unsigned descriptors = descriptors_now();

	must_run(method, &workload.install);
	must_run(method, &workload.remove);
	assert_int_equal(descriptors_now(), descriptors);
	assert_int_equal(threads_now(), 1);
	if (strcmp(usr_in_words(), wanted))
		fail_msg("%s %s, %u threads: another tree", method->engine->name,
			 strategy_name(method->strategy), method->threads);
}

static void trees_agree(unsigned least_methods)
{
	struct blit_method method = { engine_find("moss-2025"), STRATEGY_HARDLINK, 1 };

	must_run(&method, &workload.remove);
	wanted = strdup(usr_in_words());
	assert_in_range(each_method(leaves_the_same_tree), least_methods, 1000);
	free(wanted);
}

/* 2025: one; parallel: two; 2026 with hard links: two; primed: one; handle: two. */
enum { METHODS_THAT_LINK = 8 };

static void all_methods_leave_the_same_tree_on_ext4(void **state)
{
	(void)state;
	mount_fresh("ext4", 64, "-q");
	load_tree();
	make_site(in_top("mounted"));
	trees_agree(METHODS_THAT_LINK);
}

static void all_methods_leave_the_same_tree_on_xfs(void **state)
{
	(void)state;
	mount_fresh("xfs", 400, "-q -m reflink=1");
	load_tree();
	make_site(in_top("mounted"));
	trees_agree(METHODS_THAT_LINK + 2);
}

static void all_methods_leave_the_same_tree_on_btrfs(void **state)
{
	(void)state;
	mount_fresh("btrfs", 256, "-q");
	load_tree();
	make_site(in_top("mounted"));
	trees_agree(METHODS_THAT_LINK + 2);
}

/* --- modes --- */

static const char modes_manifest[] =
	"#mtree\n"
	"./usr/a type=file mode=0644 uid=0 gid=0 size=100 inode=1\n"
	"./usr/b type=file mode=04711 uid=0 gid=0 size=100 inode=1\n"
	"./usr/c type=file mode=0600 uid=0 gid=0 size=100 inode=1\n"
	"./usr/owned type=file mode=06754 uid=3 gid=4 size=7 inode=2\n"
	"./usr/half-owned type=file mode=02755 uid=0 gid=4 size=8 inode=3\n"
	"./usr/not-run type=file mode=02644 uid=3 gid=4 size=9 inode=4\n"
	"./usr/empty type=file mode=0666 uid=0 gid=0 size=0\n"
	"./usr/shared type=dir mode=02777 uid=0 gid=0\n";

struct wanted_mode {
	const char *path;
	mode_t mode;
};

static void assert_modes(const struct wanted_mode *modes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct stat status;

		assert_int_equal(fstatat(site.root_fd, modes[i].path, &status, 0), 0);
		if ((status.st_mode & 07777) != modes[i].mode)
			fail_msg("%s has mode %04o, not %04o", modes[i].path,
				 status.st_mode & 07777, modes[i].mode);
	}
}

static void need_root(void)
{
	if (!geteuid())
		return;
	print_message("skipped: only root may set these modes and owners\n");
	skip();
}

static void run_by_name(const char *name, enum strategy strategy, unsigned threads)
{
	struct blit_method method = { engine_find(name), strategy, threads };

	if (engine_probe(&method, site.store_fd, site.staging_fd))
		fail_msg("%s", error_text());
	must_run(&method, &workload.remove);
}

static void links_have_the_modes_of_their_engine(void **state)
{
	static const struct wanted_mode of_2025[] = {
		/* The last one to come, and nothing of the umask; the umask for what is made. */
		{ "usr/a", 0600 },           { "usr/c", 0600 },     { "usr/owned", 06754 },
		{ "usr/half-owned", 02755 }, { "usr/empty", 0644 }, { "usr/shared", 0755 },
	};
	static const struct wanted_mode of_2026[] = {
		/* All that any wants, those of the fresh asset included, but for write bits. */
		{ "usr/a", 04555 },          { "usr/c", 04555 },       { "usr/owned", 06554 },
		{ "usr/half-owned", 02555 }, { "usr/not-run", 02444 }, { "usr/empty", 0444 },
		{ "usr/shared", 0777 },
	};

	(void)state;
	need_root();
	must_load(&workload, modes_manifest, NULL);
	make_site(in_top("site"));
	run_by_name("moss-2026", STRATEGY_HARDLINK, 1);
	assert_modes(of_2026, ARRAY_LENGTH(of_2026));
	run_by_name("moss-2025", STRATEGY_AUTO, 1);
	assert_modes(of_2025, ARRAY_LENGTH(of_2025));
	run_by_name("primed", STRATEGY_AUTO, 1);
	assert_modes(of_2025, ARRAY_LENGTH(of_2025));
	run_by_name("moss-2025-parallel", STRATEGY_AUTO, 1);
	assert_modes(of_2025, ARRAY_LENGTH(of_2025));
	/* What 2025 left, 0600, is where 2026 goes on from. On one thread: it reads a mode and sets it in
	 * two calls, so of several threads one may lose what another has just set, as moss's may. */
	run_by_name("moss-2026", STRATEGY_HARDLINK, 1);
	assert_modes(of_2026, ARRAY_LENGTH(of_2026));
}

static void reflinks_have_their_own_modes_and_owners(void **state)
{
	static const struct wanted_mode modes[] = {
		{ "usr/a", 0444 },
		{ "usr/b", 04511 },
		{ "usr/c", 0400 },
		/* Owner and group both other than root: chown takes setuid, and setgid with x. */
		{ "usr/owned", 0554 },
		{ "usr/half-owned", 02555 },
		{ "usr/not-run", 02444 },
		{ "usr/empty", 0444 },
		{ "usr/shared", 0777 },
	};
	struct stat status;

	(void)state;
	mount_fresh("xfs", 400, "-q -m reflink=1");
	must_load(&workload, modes_manifest, NULL);
	make_site(in_top("mounted"));
	run_by_name("moss-2026", STRATEGY_AUTO, MANY_THREADS); /* as moss would choose */
	assert_modes(modes, ARRAY_LENGTH(modes));
	assert_int_equal(fstatat(site.root_fd, "usr/owned", &status, 0), 0);
	assert_true(status.st_uid == 3 && status.st_gid == 4 && status.st_nlink == 1);
	assert_int_equal(fstatat(site.root_fd, "usr/half-owned", &status, 0), 0);
	assert_true(status.st_uid == 0 && status.st_gid == 0);
	/* The assets are as they were. */
	assert_int_equal(fstatat(site.store_fd, site.asset_paths[0], &status, 0), 0);
	assert_int_equal(status.st_mode & 07777, 0644);
}

/* Several threads: any mode that is listed will do, is learnt, and no other will do. */
static void the_mode_of_several_writers_is_one_of_theirs(void **state)
{
	struct blit_method method = { engine_find("moss-2025-parallel"), STRATEGY_HARDLINK,
				      MANY_THREADS };
	struct transaction transaction;
	static const mode_t listed[] = { 0644, 04711, 0600 };

	(void)state;
	need_root();
	must_load(&workload, modes_manifest, NULL);
	make_site(in_top("site"));
	uint32_t entry = find_entry(&workload.remove, "usr/a");
	uint16_t *known = &site.asset_modes[workload.remove.entries[entry].asset];
	for (size_t i = 0; i < ARRAY_LENGTH(listed); i++) {
		assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction),
				 0);
		assert_true(*known & MODE_ANY_LISTED);
		assert_int_equal(fchmodat(site.root_fd, "usr/b", listed[i], 0), 0);
		assert_int_equal(verify_tree(&site, &method, &workload.remove), 0);
		assert_int_equal(*known, listed[i]);
	}
	assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction), 0);
	assert_int_equal(fchmodat(site.root_fd, "usr/b", 0640, 0), 0);
	assert_int_equal(verify_tree(&site, &method, &workload.remove), -EUCLEAN);
	assert_sentence("usr/a has mode 0640, which no file of its content lists");
	/* The mode of one that is alone stays exact. */
	assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction), 0);
	assert_int_equal(fchmodat(site.root_fd, "usr/half-owned", 0755, 0), 0);
	assert_int_equal(verify_tree(&site, &method, &workload.remove), -EUCLEAN);
	assert_sentence("usr/half-owned has mode 0755, not 2755");
}

/* --- what cannot be done here --- */

static void assert_unsupported(const char *name, enum strategy strategy, const char *words)
{
	struct blit_method method = { engine_find(name), strategy, 1 };

	assert_int_equal(engine_probe(&method, site.store_fd, site.staging_fd), -EOPNOTSUPP);
	assert_sentence(words);
	/* Nothing of the attempt is left. */
	assert_int_equal(faccessat(site.staging_fd, ".blitbench-probe", F_OK, 0), -1);
	assert_int_equal(faccessat(site.store_fd, ".blitbench-probe", F_OK, 0), -1);
}

static void what_does_not_work_is_told(void **state)
{
	struct blit_method method = { engine_find("moss-2026"), STRATEGY_AUTO, 1 };
	unsigned descriptors;

	(void)state;
	mount_fresh("ext4", 64, "-q");
	load_tree();
	make_site(in_top("mounted"));
	descriptors = descriptors_now();
	assert_unsupported("moss-2026", STRATEGY_REFLINK,
			   "FICLONE does not work on this filesystem");
	assert_unsupported("moss-2026", STRATEGY_COPY, "the store is on the same filesystem");
	assert_unsupported("moss-2025", STRATEGY_REFLINK, "moss-2025 knows no strategy reflink");
	assert_int_equal(engine_probe(&method, site.store_fd, site.staging_fd), 0);
	assert_int_equal(method.strategy, STRATEGY_HARDLINK);
	assert_int_equal(descriptors_now(), descriptors);
}

/* Probes in a child to which the kernel says that it has no fchmodat2, as before Linux 6.6. */
static bool unsupported_without_fchmodat2(const char *engine)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fchmodat2, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { ARRAY_LENGTH(filter), filter };
	struct blit_method method = { engine_find(engine), STRATEGY_AUTO, 1 };
	pid_t child = fork();
	int status;

	if (!child) {
		if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
			_exit(2);
		_exit(engine_probe(&method, site.store_fd, site.staging_fd) == -EOPNOTSUPP &&
		      strstr(error_text(), "fchmodat2") && strstr(error_text(), "run Linux 6.6"));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status);
}

static void a_kernel_without_fchmodat2_is_told(void **state)
{
	(void)state;
	need_root(); /* handle's probe comes so far */
	load_tree();
	make_site(in_top("site"));
	assert_true(unsupported_without_fchmodat2("moss-2025"));
	assert_true(unsupported_without_fchmodat2("moss-2025-parallel"));
	assert_true(unsupported_without_fchmodat2("primed"));
	assert_true(unsupported_without_fchmodat2("handle"));
	/* It makes no such call. */
	assert_false(unsupported_without_fchmodat2("moss-2026"));
}

/* Of what is not linked, in the tree below staging. */
static void assert_made_modes(const struct blit_method *method, const struct layout *layout)
{
	for (uint32_t i = 0; i < layout->entry_count; i++) {
		const struct entry *entry = &layout->entries[i];
		char path[PATH_MAX];
		struct stat status;

		layout_path(layout, i, path, sizeof(path));
		assert_int_equal(fstatat(site.staging_fd, path, &status, AT_SYMLINK_NOFOLLOW), 0);
		if (entry->type != ENTRY_SYMLINK &&
		    (status.st_mode & 07777) != method->engine->made_mode(entry))
			fail_msg("%s has mode %04o", path, status.st_mode & 07777);
	}
}

/* The store on one filesystem, the tree on another: what moss copies for. */
static void copies_are_made_from_a_store_elsewhere(void **state)
{
	struct blit_method method = { engine_find("moss-2026"), STRATEGY_AUTO, MANY_THREADS };
	char *copied;

	(void)state;
	mount_fresh("ext4", 64, "-q");
	load_tree();
	make_site(in_top("site"));
	run_by_name("moss-2026", STRATEGY_HARDLINK, 1);
	wanted = strdup(usr_in_words());
	close(site.staging_fd);
	site.staging_fd = open(in_top("mounted"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_unsupported("moss-2026", STRATEGY_HARDLINK, "the store is on another filesystem");
	assert_unsupported("moss-2026", STRATEGY_REFLINK, "FICLONE does not work");
	assert_int_equal(engine_probe(&method, site.store_fd, site.staging_fd), 0);
	assert_int_equal(method.strategy, STRATEGY_COPY);
	struct blit blit = transaction_blit(&site, &method, &workload.remove);
	assert_int_equal(blit_begin(&blit), 0);
	umask(method.engine->umask);
	assert_int_equal(method.engine->blit(&blit), 0);
	umask(022);
	blit_end(&blit);
	assert_made_modes(&method, &workload.remove);
	copied = tree_in_words(in_top("mounted/usr"));
	assert_string_equal(copied, wanted);
	free(copied);
	free(wanted);
}

/* --- room --- */

static uint64_t inodes_needed(const char *fs, const char *engine, enum strategy strategy)
{
	static struct plan plan; /* large */
	struct needs needs;

	plan = (struct plan){
		.filesystems = { filesystem_find(fs) },
		.filesystem_count = 1,
		.engines = { engine_find(engine) },
		.engine_count = 1,
		.strategies = { strategy },
		.strategy_count = 1,
		.stores = { fanout_find("3x2") },
		.store_count = 1,
	};
	assert_int_equal(needs_make(&needs, &plan, &workload), 0);
	return needs.rooms[0][0].inodes;
}

static void inodes_for_reflinks_are_asked_for_only_where_they_are_made(void **state)
{
	(void)state;
	load_tree();
	uint64_t links = inodes_needed("xfs", "moss-2025", STRATEGY_REFLINK);
	assert_int_equal(inodes_needed("xfs", "moss-2026", STRATEGY_HARDLINK), links);
	assert_int_equal(
		inodes_needed("xfs", "moss-2026", STRATEGY_AUTO),
		links + 2 * (workload.install.file_count - workload.install.empty_file_count));
	assert_int_equal(inodes_needed("ext4", "moss-2026", STRATEGY_AUTO),
			 inodes_needed("ext4", "moss-2026", STRATEGY_HARDLINK));
}

#define engine_test(name) \
	cmocka_unit_test_setup_teardown(name, make_engine_test, remove_engine_test)

/* --- looking --- */

static void put_access_times(const char *path, struct timespec *times, bool set)
{
	const struct timespec long_ago[2] = { { .tv_sec = 1000 }, { .tv_nsec = UTIME_OMIT } };
	struct stat status;

	if (set)
		assert_int_equal(utimensat(site.root_fd, path, long_ago, AT_SYMLINK_NOFOLLOW), 0);
	assert_int_equal(fstatat(site.root_fd, path, &status, AT_SYMLINK_NOFOLLOW), 0);
	*times = status.st_atim;
}

/* So that the quiet time before the next trial can begin before a tree is verified. */
static void verifying_writes_nothing(void **state)
{
	static const char *const looked_at[] = { "usr", "usr/large", "usr/lib/d0/e0/link" };
	struct blit_method method = { engine_find("moss-2025"), STRATEGY_HARDLINK, 1 };
	struct transaction transaction;
	struct timespec before, after;

	(void)state;
	mount_fresh("ext4", 64, "-q");
	load_tree();
	make_site(in_top("mounted"));
	for (unsigned i = 0; i < 2; i++) /* the second one prunes, and so settles */
		assert_int_equal(transaction_run(&site, &method, &workload.remove, &transaction),
				 0);
	assert_true(site.settled);
	for (size_t i = 0; i < ARRAY_LENGTH(looked_at); i++)
		put_access_times(looked_at[i], &before, true);
	assert_int_equal(verify_tree(&site, &method, &workload.remove), 0);
	assert_true(site.settled);
	for (size_t i = 0; i < ARRAY_LENGTH(looked_at); i++) {
		put_access_times(looked_at[i], &after, false);
		assert_int_equal(after.tv_sec, before.tv_sec);
	}
	/* Whoever may not have such a view must settle once more. */
	site.view_leaves_traces = true;
	assert_int_equal(verify_tree(&site, &method, &workload.remove), 0);
	assert_false(site.settled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		engine_test(all_methods_leave_the_same_tree_on_ext4),
		engine_test(all_methods_leave_the_same_tree_on_xfs),
		engine_test(all_methods_leave_the_same_tree_on_btrfs),
		engine_test(links_have_the_modes_of_their_engine),
		engine_test(reflinks_have_their_own_modes_and_owners),
		engine_test(the_mode_of_several_writers_is_one_of_theirs),
		engine_test(what_does_not_work_is_told),
		engine_test(a_kernel_without_fchmodat2_is_told),
		engine_test(copies_are_made_from_a_store_elsewhere),
		engine_test(verifying_writes_nothing),
		engine_test(inodes_for_reflinks_are_asked_for_only_where_they_are_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
