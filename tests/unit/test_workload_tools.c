/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blitbench workload inspect, capture and subset; other names; the standard input and output; being
 * stopped. */
#include "command_fixture.h"

#include "stone_writer.h"
#include "workload/anonymise.h"
#include "workload/capture.h"
#include "workload/examine.h"
#include "workload/figures.h"
#include "workload/import.h"

#include <jansson.h>
#include <sys/mount.h>
#include <sys/wait.h>

#define SMALL "workloads/small.mtree.zst"

/* --- statistics --- */

static const char some[] =
	"./usr/a type=file size=10 mode=0755 inode=1\n./usr/b type=file size=10 mode=0644 inode=1\n"
	"./usr/c type=file size=10 mode=0644 inode=1\n./usr/d type=file size=0\n"
	"./usr/e/f type=file size=1024 inode=2\n./usr/e/g type=file size=1024 inode=2\n"
	"./usr/e/h type=file size=2047 mode=04755 uid=5\n./usr/e/i/j type=dir mode=01777\n"
	"./usr/e/l type=link link=abcde\n";

static void figures_are_counted(void **state)
{
	struct layout_figures figures;
	struct workload workload;

	(void)state;
	must_load(&workload, some, NULL);
	assert_int_equal(layout_figures(&figures, &workload.remove, &workload.contents), 0);
	workload_free(&workload);
	assert_int_equal(figures.entries, 12);
	assert_int_equal(figures.files, 7);
	assert_int_equal(figures.empty_files, 1);
	assert_int_equal(figures.symlinks, 1);
	assert_int_equal(figures.directories, 4);
	assert_int_equal(figures.empty_directories, 1);
	assert_int_equal(figures.bytes, 30 + 2048 + 2047);
	assert_int_equal(figures.assets, 3);
	assert_int_equal(figures.asset_bytes, 10 + 1024 + 2047);
	assert_int_equal(figures.largest_asset_bytes, 2047);
	assert_int_equal(figures.shared_contents, 2);
	assert_int_equal(figures.shared_files, 5);
	assert_int_equal(figures.colliding_contents, 1);
	assert_int_equal(figures.colliding_files, 3);
	assert_int_equal(figures.special_modes, 2);
	assert_int_equal(figures.other_owners, 1);
	assert_int_equal(figures.deepest, 4);
	assert_int_equal(figures.by_depth[1], 1);
	assert_int_equal(figures.by_depth[2], 5);
	assert_int_equal(figures.by_depth[3], 5);
	assert_int_equal(figures.by_depth[4], 1);
	assert_int_equal(figures.by_size[3], 3);
	assert_int_equal(figures.by_size[10], 3);
	assert_int_equal(figures.link_text_bytes.median, 5);
	assert_int_equal(figures.name_bytes.minimum, 1);
	assert_int_equal(figures.name_bytes.percentile_90, 1);
	assert_int_equal(figures.name_bytes.maximum, 3);
	/* 0, 1, 5, 5 */
	assert_int_equal(figures.children.minimum, 0);
	assert_int_equal(figures.children.median, 1);
	assert_int_equal(figures.children.maximum, 5);
	assert_int_equal(figures.file_bytes.count, 6);
}

static void inspect_prints_text_and_json(void **state)
{
	char path[PATH_MAX];
	json_t *json;

	(void)state;
	strcpy(path, put_text("some.mtree", some));
	assert_int_equal(RUN("workload", "inspect", path), 0);
	assert_printed("3 files of 1 contents want different modes");
	assert_printed("5 files share 2 contents");
	assert_int_equal(RUN("workload", "inspect", "--json", path), 0);
	json = json_load_file(in_top("out"), 0, NULL);
	assert_non_null(json);
	assert_string_equal(json_string_value(json_object_get(json, "schema")),
			    "blitbench-workload/1");
	assert_string_equal(json_string_value(json_object_get(json, "kind")), "manifest");
	assert_int_equal(json_integer_value(json_object_get(json, "entries")), 12);
	assert_int_equal(json_array_size(json_object_get(json, "entries_by_depth")), 4);
	json_decref(json);
}

static void inspect_takes_anything(void **state)
{
	static struct stone stone;
	static struct bytes file;
	char path[PATH_MAX];

	(void)state;
	add_file(&stone, "x", 0644, "content", true);
	put_stone(&file, &stone, ZSTD);
	strcpy(path, put_bytes("x.stone", file.at, file.count));
	assert_int_equal(RUN("workload", "inspect", path), 0);
	assert_printed("stone, digest");
	/* The same by the standard input. */
	put_bytes("in", file.at, file.count);
	assert_int_equal(RUN("workload", "inspect", "-"), 0);
	assert_printed("stone, digest");
	put_text("in", some);
	assert_int_equal(RUN("workload", "inspect", "-"), 0);
	assert_printed("manifest, digest");
	unlink(in_top("in"));
	assert_int_equal(RUN("workload", "inspect", SMALL), 0);
	assert_printed("manifest, digest");
	assert_int_equal(RUN("workload", "inspect", "workloads"), 0);
	assert_printed("directory, digest");
	assert_int_equal(RUN("workload", "inspect", in_top("missing")), 1);
	assert_complained("missing: the file cannot be opened");
	assert_int_equal(RUN("workload", "inspect", put_text("empty", "")), 1);
	assert_complained("empty: the file is empty");
}

/* --- capture --- */

static void put_file(const char *name, const char *text, mode_t mode)
{
	assert_int_equal(chmod(put_text(name, text), mode), 0);
}

static void make_tree(void)
{
	assert_int_equal(mkdir(in_top("tree"), 0755), 0);
	assert_int_equal(mkdir(in_top("tree/bin"), 0755), 0);
	assert_int_equal(mkdir(in_top("tree/bin/empty"), 0700), 0);
	assert_int_equal(chmod(in_top("tree/bin"), 02755), 0);
	put_file("tree/bin/a", "content of several", 0755);
	put_file("tree/b", "content of several", 04755);
	assert_int_equal(link(in_top("tree/b"), in_top("tree/c")), 0);
	put_file("tree/empty", "", 0600);
	put_file("tree/\377", "another", 0644);
	assert_int_equal(symlink("../no where", in_top("tree/link")), 0);
	assert_int_equal(mkfifo(in_top("tree/pipe"), 0644), 0);
}

static void remove_tree(void)
{
	assert_int_equal(tree_remove(AT_FDCWD, in_top("tree")), 0);
}

/* Whoever runs the test owns the tree. */
static char *owned(const char *format)
{
	char ids[64], *text = calloc(1, 4096), *out = text;

	assert_non_null(text);
	snprintf(ids, sizeof(ids), "uid=%u gid=%u", geteuid(), getegid());
	for (; *format; format++) {
		if (*format == '@')
			out = stpcpy(out, ids);
		else
			*out++ = *format;
	}
	return text;
}

static void a_tree_is_captured(void **state)
{
	char directory[PATH_MAX], output[PATH_MAX];
	_cleanup_free_ char *text = NULL, *expected = NULL;
	size_t size;

	(void)state;
	make_tree();
	strcpy(directory, in_top("tree"));
	strcpy(output, in_top("tree.mtree"));
	assert_int_equal(RUN("workload", "capture", directory, "-o", output), 0);
	assert_printed("left out: 1 devices, pipes and sockets");
	assert_printed("the workload: 9 entries: 5 files (1 of them empty), 1 symlinks, 3 ");
	text = get_bytes(output, &size);
	expected = owned("#mtree\n"
			 "./usr type=dir mode=0755 @\n"
			 "./usr/b type=file mode=4755 @ size=18 inode=1048576\n"
			 "./usr/bin type=dir mode=2755 @\n"
			 "./usr/bin/a type=file mode=0755 @ size=18 inode=1048576\n"
			 "./usr/bin/empty type=dir mode=0700 @\n"
			 "./usr/c type=file mode=4755 @ size=18 inode=1048576\n"
			 "./usr/empty type=file mode=0600 @ size=0\n"
			 "./usr/link type=link mode=0777 @ link=../no\\040where\n"
			 "./usr/\\377 type=file mode=0644 @ size=7 inode=1048577\n");
	assert_string_equal(text, expected);
	remove_tree();
}

/* In a process of its own, that root may become somebody who cannot read everything. */
static int capture_as_nobody(const char *directory)
{
	pid_t child;
	int status;

	fflush(NULL);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (!geteuid() && seteuid(65534))
			_exit(99);
		_exit(RUN("workload", "capture", directory, "-o", "-"));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void what_cannot_be_read_is_told(void **state)
{
	char directory[PATH_MAX];

	(void)state;
	make_tree();
	put_file("tree/secret", "nobody knows this", 0000);
	assert_int_equal(link(in_top("tree/secret"), in_top("tree/secret2")), 0);
	assert_int_equal(mkdir(in_top("tree/closed"), 0000), 0);
	strcpy(directory, in_top("tree"));
	assert_int_equal(chmod(top, 0777), 0);
	assert_int_equal(capture_as_nobody(directory), 0);
	/* Those of make_tree that are the owner's alone, and the two names of one inode as one. */
	assert_complained("could not be read: 2 files, each taken as a content of its own, and 2 "
			  "directories, taken as empty; the first is usr/");
	assert_printed("./usr/closed type=dir mode=0000 ");
	assert_printed("./usr/secret type=file mode=0000 ");
	assert_printed("./usr/secret2 type=file mode=0000 ");
	assert_printed(" size=17 inode=1048577\n");
	remove_tree();
}

static void mounts_are_not_crossed(void **state)
{
	char directory[PATH_MAX];
	int status;

	(void)state;
	make_tree();
	strcpy(directory, in_top("tree"));
	if (mount("none", in_top("tree/bin/empty"), "tmpfs", 0, "size=64k")) {
		remove_tree();
		skip();
	}
	put_text("tree/bin/empty/inside", "not of this tree");
	status = RUN("workload", "capture", directory, "-o", "-");
	assert_int_equal(umount2(in_top("tree/bin/empty"), MNT_DETACH), 0);
	assert_int_equal(status, 0);
	assert_complained("not entered, and taken as empty: 1 mounts");
	assert_printed("./usr/bin/empty type=dir");
	/* A bind mount of the same filesystem is one too. */
	assert_int_equal(mount(in_top("tree"), in_top("tree/bin/empty"), NULL, MS_BIND, NULL), 0);
	status = RUN("workload", "capture", directory, "-o", "-");
	assert_int_equal(umount2(in_top("tree/bin/empty"), MNT_DETACH), 0);
	assert_int_equal(status, 0);
	assert_complained("1 mounts");
	remove_tree();
}

/* Deeper than there may be open files. */
static void deep_trees_are_captured(void **state)
{
	enum { DEPTH = 1500 };
	_cleanup_close_ int directory = -1;
	struct examined examined;
	char path[PATH_MAX];

	(void)state;
	strcpy(path, in_top("tree"));
	assert_int_equal(mkdir(path, 0755), 0);
	directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < DEPTH; i++) {
		int next;

		assert_int_equal(mkdirat(directory, "d", 0755), 0);
		next = openat(directory, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(directory);
		directory = next;
	}
	if (examine(&examined, path, NULL))
		fail_msg("%s", error_text());
	assert_int_equal(examined.workload.remove.entry_count, DEPTH + 1);
	workload_free(&examined.workload);
	assert_int_equal(system(strcat(strcpy(path, "rm -r "), in_top("tree"))), 0);
}

/* --- subset --- */

static void read_workload(struct workload *workload, const char *path)
{
	if (workload_read(workload, "x", path, NULL, NULL))
		fail_msg("%s", error_text());
}

static bool has_entry(const struct layout *layout, const char *path)
{
	char buffer[PATH_MAX];

	for (uint32_t i = 0; i < layout->entry_count; i++)
		if (!strcmp(layout_path(layout, i, buffer, sizeof(buffer)), path))
			return true;
	return false;
}

/* Directories of which a subset has some files but not all. */
static unsigned trimmed_directories(const struct layout *subset, const struct layout *whole)
{
	unsigned trimmed = 0;

	for (uint32_t i = 0; i < subset->entry_count; i++) {
		const struct entry *directory = &subset->entries[i], *original;
		uint32_t has = 0, had = 0;
		char path[PATH_MAX];

		if (directory->type != ENTRY_DIRECTORY)
			continue;
		layout_path(subset, i, path, sizeof(path));
		original = &whole->entries[find_entry(whole, path)];
		for (uint32_t child = 0; child < directory->child_count; child++)
			has += subset->entries[directory->first_child + child].type !=
			       ENTRY_DIRECTORY;
		for (uint32_t child = 0; child < original->child_count; child++)
			had += whole->entries[original->first_child + child].type !=
			       ENTRY_DIRECTORY;
		trimmed += has != had;
	}
	return trimmed;
}

static void subsets_are_exact_and_whole(void **state)
{
	static const char *const sizes[] = { "1", "2", "100", "777", "2000" };
	struct workload whole, subset;
	char output[PATH_MAX];

	(void)state;
	read_workload(&whole, SMALL);
	strcpy(output, in_top("subset.mtree"));
	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
		char path[PATH_MAX];

		assert_int_equal(
			RUN("workload", "subset", SMALL, "--entries", sizes[i], "-o", output), 0);
		read_workload(&subset, output);
		assert_int_equal(subset.remove.entry_count, atoi(sizes[i]));
		assert_true(trimmed_directories(&subset.remove, &whole.remove) <= 1);
		if (i) {
			/* The one before is a part of it. */
			layout_path(&subset.remove, subset.remove.entry_count - 1, path,
				    sizeof(path));
			assert_true(has_entry(&whole.remove, path));
		}
		workload_free(&subset);
	}
	workload_free(&whole);
}

static void a_subset_of_all_is_the_same(void **state)
{
	struct workload whole, subset;
	char number[16], output[PATH_MAX];

	(void)state;
	read_workload(&whole, SMALL);
	strcpy(output, in_top("subset.mtree.zst"));
	snprintf(number, sizeof(number), "%u", whole.remove.entry_count);
	assert_int_equal(RUN("workload", "subset", SMALL, "--entries", number, "-o", output), 0);
	read_workload(&subset, output);
	assert_string_equal(subset.digest, whole.digest);
	workload_free(&subset);
	snprintf(number, sizeof(number), "%u", whole.remove.entry_count + 1);
	workload_free(&whole);
	assert_int_equal(unlink(output), 0);
	assert_int_equal(RUN("workload", "subset", SMALL, "--entries", number, "-o", output), 1);
	assert_complained("and a subset of");
	assert_int_equal(access(output, F_OK), -1);
}

/* --- other names --- */

static void names_keep_their_length_and_relations(void **state)
{
	struct anonymiser *anonymiser = anonymiser_new();
	struct listed_entry entry = { .path = "usr/share/applications/editor.png",
				      .type = ENTRY_SYMLINK,
				      .link_text = "../../share/editor.svg" };
	char path[64], link_text[64];

	(void)state;
	assert_non_null(anonymiser);
	assert_int_equal(anonymise(anonymiser, &entry), 0);
	strcpy(path, entry.path);
	strcpy(link_text, entry.link_text);
	assert_int_equal(strlen(path), strlen("usr/share/applications/editor.png"));
	assert_memory_equal(path, "usr/", 4);
	assert_null(strstr(path, "share"));
	assert_null(strstr(path, "editor"));
	assert_string_equal(path + strlen(path) - 4, ".png");
	assert_memory_equal(link_text, "../../", 6);
	/* share and editor have one name each. */
	assert_memory_equal(link_text + 6, path + 4, 5);
	assert_memory_equal(link_text + 12, path + 23, 6);
	assert_string_equal(link_text + 18, ".svg");
	/* And so they have later. */
	entry.path = "usr/share/applications/editor.png";
	entry.link_text = "/usr/lib/x.so.1";
	assert_int_equal(anonymise(anonymiser, &entry), 0);
	assert_string_equal(entry.path, path);
	assert_memory_equal(entry.link_text, "/usr/lib/", 9);
	anonymiser_free(anonymiser);
}

static void the_shape_stays_without_the_names(void **state)
{
	struct layout_figures before, after;
	struct workload whole, other;
	char number[16], output[PATH_MAX];

	(void)state;
	read_workload(&whole, SMALL);
	strcpy(output, in_top("other.mtree"));
	snprintf(number, sizeof(number), "%u", whole.remove.entry_count);
	assert_int_equal(
		RUN("workload", "subset", SMALL, "--entries", number, "-o", output, "--anonymise"),
		0);
	read_workload(&other, output);
	assert_string_not_equal(other.digest, whole.digest);
	assert_int_equal(layout_figures(&before, &whole.remove, &whole.contents), 0);
	assert_int_equal(layout_figures(&after, &other.remove, &other.contents), 0);
	assert_memory_equal(&before, &after, sizeof(before));
	workload_free(&whole);
	workload_free(&other);
}

/* --- being stopped, and wrong uses --- */

static int stop_in_phase(void *context, const char *phase, uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	return !strcmp(context, phase);
}

static void nothing_is_left_of_what_was_stopped(void **state)
{
	static const char *const phases[] = { "read files", "write entries" };
	struct tree_counts counts;
	char output[PATH_MAX];

	(void)state;
	make_tree();
	strcpy(output, in_top("stopped.mtree"));
	for (size_t i = 0; i < ARRAY_LENGTH(phases); i++) {
		const struct progress progress = { .update = stop_in_phase,
						   .context = (void *)phases[i] };

		assert_int_equal(
			capture_directory(in_top("tree"), output, false, &counts, &progress),
			-EINTR);
		assert_int_equal(access(output, F_OK), -1);
		assert_int_equal(access(in_top("stopped.mtree.part"), F_OK), -1);
	}
	remove_tree();
}

static void importing_can_be_stopped(void **state)
{
	const struct progress progress = { .update = stop_in_phase,
					   .context = (void *)"read archives" };
	static struct bytes file;
	static struct stone stone;
	char *archives[1];
	const struct import_job job = { .base = { .archives = archives,
						  .archive_count = 1,
						  .output = in_top("stopped.mtree") },
					.progress = &progress };
	struct import_counts counts;

	(void)state;
	add_file(&stone, "x", 0644, "content", true);
	put_stone(&file, &stone, ZSTD);
	archives[0] = (char *)put_bytes("x.stone", file.at, file.count);
	assert_int_equal(import_packages(&job, &counts), -EINTR);
	assert_sentence("x.stone: stopped while it was read");
}

static void wrong_uses(void **state)
{
	(void)state;
	assert_int_equal(RUN("workload", "inspect"), 2);
	assert_complained("inspect needs a manifest, an archive or a directory");
	assert_int_equal(RUN("workload", "inspect", "a", "b"), 2);
	assert_complained("'b' is a second");
	assert_int_equal(RUN("workload", "inspect", "--xml", "a"), 2);
	assert_complained("'--xml' is no option of inspect");
	assert_int_equal(RUN("workload", "capture", "-o", "x"), 2);
	assert_complained("capture needs a directory");
	assert_int_equal(RUN("workload", "capture", "a", "b", "-o", "x"), 2);
	assert_int_equal(RUN("workload", "capture", "a"), 2);
	assert_complained("capture needs -o FILE");
	assert_int_equal(RUN("workload", "capture", "a", "-o", "x", "--entries", "5"), 2);
	assert_complained("'--entries' is no option of capture");
	assert_int_equal(RUN("workload", "capture", in_top("missing"), "-o", in_top("x")), 1);
	assert_complained("missing: it cannot be read: No such file or directory");
	assert_int_equal(RUN("workload", "subset", "a", "-o", "x"), 2);
	assert_complained("subset needs --entries N");
	assert_int_equal(RUN("workload", "subset", "-o", "x", "--entries", "5"), 2);
	assert_complained("subset needs a manifest");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_counted),
		cmocka_unit_test(inspect_prints_text_and_json),
		cmocka_unit_test(inspect_takes_anything),
		cmocka_unit_test(a_tree_is_captured),
		cmocka_unit_test(what_cannot_be_read_is_told),
		cmocka_unit_test(mounts_are_not_crossed),
		cmocka_unit_test(deep_trees_are_captured),
		cmocka_unit_test(subsets_are_exact_and_whole),
		cmocka_unit_test(a_subset_of_all_is_the_same),
		cmocka_unit_test(names_keep_their_length_and_relations),
		cmocka_unit_test(the_shape_stays_without_the_names),
		cmocka_unit_test(nothing_is_left_of_what_was_stopped),
		cmocka_unit_test(importing_can_be_stopped),
		cmocka_unit_test(wrong_uses),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
