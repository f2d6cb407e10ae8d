/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Manifests that load: the tree, its order, the delta, the contents, the digest. */
#include "workload_fixture.h"

#define SMALL "workloads/small.mtree.zst"
#define SMALL_NANO "workloads/small-nano.mtree.zst"

/* --- the tree --- */

static void loads_types_modes_and_owners(void **state)
{
	struct workload workload;
	const struct layout *layout = &workload.install;
	const struct entry *entry;

	(void)state;
	must_load(&workload,
		  "#mtree\n"
		  "./usr/bin/nano type=file mode=04755 uid=3 gid=4294967294 size=5 inode=9 "
		  "sha256digest=ab time=1.5 nlink=2\n"
		  "./usr/bin/rnano type=link mode=0777 link=na\\040no\n"
		  "./usr/share type=dir mode=02775\n"
		  "./usr/share/empty type=file size=0 optional\n",
		  NULL);
	assert_int_equal(layout->entry_count, 6);
	assert_int_equal(layout->file_count, 2);
	assert_int_equal(layout->empty_file_count, 1);
	assert_int_equal(layout->symlink_count, 1);
	assert_int_equal(layout->directory_count, 3);
	assert_int_equal(layout->bytes, 5);

	entry = &layout->entries[find_entry(layout, "usr/bin/nano")];
	assert_int_equal(entry->type, ENTRY_FILE);
	assert_int_equal(entry->mode, 04755);
	assert_int_equal(entry->uid, 3);
	assert_int_equal(entry->gid, 4294967294u);
	assert_int_equal(workload.contents.list[entry->asset].number, 9);
	assert_int_equal(workload.contents.list[entry->asset].size, 5);
	entry = &layout->entries[find_entry(layout, "usr/bin/rnano")];
	assert_int_equal(entry->type, ENTRY_SYMLINK);
	assert_string_equal(entry_link_text(layout, entry), "na no");
	entry = &layout->entries[find_entry(layout, "usr/share")];
	assert_int_equal(entry->mode, 02775);
	assert_int_equal(entry->child_count, 1);
	entry = &layout->entries[find_entry(layout, "usr/share/empty")];
	assert_int_equal(entry->asset, NO_ASSET);
	assert_int_equal(entry->mode, 0644);
	entry = &layout->entries[find_entry(layout, "usr/bin")];
	assert_int_equal(entry->mode, 0755);
	assert_int_equal(entry->uid, 0);
	workload_free(&workload);
}

static void reads_the_older_style(void **state)
{
	struct workload workload;

	(void)state;
	must_load(&workload,
		  "#mtree\n# a comment with a backslash at its end \\\n\n"
		  "/set type=file mode=0600 uid=7\n"
		  ". type=dir\n"
		  "    usr type=dir\n"
		  "        bin type=dir mode=0711\n"
		  "            ls size=3\n"
		  "            cat \\\n"
		  "                size=4 \\\n"
		  "                mode=0640\n"
		  "        ..\n"
		  "/unset mode uid\n"
		  "        readme size=1\r\n"
		  "    ..\n"
		  "..\n..\n",
		  NULL);
	assert_int_equal(workload.remove.entry_count, 5);
	assert_int_equal(workload.remove.entries[find_entry(&workload.remove, "usr/bin/ls")].mode,
			 0600);
	assert_int_equal(workload.remove.entries[find_entry(&workload.remove, "usr/bin/ls")].uid,
			 7);
	assert_int_equal(workload.remove.entries[find_entry(&workload.remove, "usr/bin/cat")].mode,
			 0640);
	assert_int_equal(workload.remove.entries[find_entry(&workload.remove, "usr/readme")].mode,
			 0644);
	assert_int_equal(workload.remove.entries[find_entry(&workload.remove, "usr/readme")].uid,
			 0);
	workload_free(&workload);
}

static void devices_are_left_out_and_counted(void **state)
{
	struct workload workload;

	(void)state;
	must_load(&workload,
		  "usr type=dir\nnull type=char device=linux,1,3\nsda type=block\n"
		  "pipe type=fifo mode=0600\nsocket type=socket\nx type=file size=1\n"
		  "/set type=char\nzero\ny type=file size=2\n",
		  "./usr/random type=char\n./usr/z type=file size=3\n");
	assert_int_equal(workload.remove.entry_count, 3);
	assert_int_equal(workload.install.entry_count, 4);
	assert_int_equal(workload.special, 6);
	workload_free(&workload);
}

static void the_last_of_equal_paths_wins(void **state)
{
	struct workload workload;

	(void)state;
	must_load(&workload,
		  "./usr/x type=file size=1\n"
		  "./usr/y type=dir\n"
		  "./usr/\\170 type=file size=2\n"
		  "./usr/y type=link link=x\n",
		  NULL);
	assert_int_equal(workload.remove.entry_count, 3);
	assert_int_equal(workload.remove.bytes, 2);
	assert_int_equal(workload.contents.count, 1);
	assert_int_equal(workload.remove.entries[find_entry(&workload.remove, "usr/y")].type,
			 ENTRY_SYMLINK);
	workload_free(&workload);
}

static void names_are_kept_byte_for_byte(void **state)
{
	struct workload workload;

	(void)state;
	must_load(&workload, "./usr/\\001\\012\\040\\134\\377\\303\\244=\xfe type=file size=1\n",
		  NULL);
	find_entry(&workload.remove, "usr/\001\n \\\377\303\244=\xfe");
	workload_free(&workload);
}

static void takes_names_and_paths_up_to_the_limit(void **state)
{
	char text[8192] = "./usr", name[256];
	struct workload workload;
	char path[PATH_MAX];

	(void)state;
	memset(name, 'n', 255);
	name[255] = '\0';
	/* 3 + 15 * 256 + 126 * 2 = 4,095 bytes. */
	for (int i = 0; i < 15; i++)
		strcat(strcat(text, "/"), name);
	for (int i = 0; i < 126; i++)
		strcat(text, "/a");
	strcat(text, " type=file size=1\n");
	must_load(&workload, text, NULL);
	layout_path(&workload.remove, workload.remove.entry_count - 1, path, sizeof(path));
	assert_int_equal(strlen(path), 4095);
	assert_memory_equal(path, text + 2, 4095);
	layout_path(&workload.remove, workload.remove.entry_count - 1, path, 10);
	assert_string_equal(path, "usr/nnnnn");
	workload_free(&workload);
}

/* --- order --- */

struct walk {
	char (*paths)[512];
	uint32_t count;
};

static int note_path(void *context, const struct layout *layout, uint32_t index)
{
	struct walk *walk = context;

	layout_path(layout, index, walk->paths[walk->count++], sizeof(*walk->paths));
	return 0;
}

/* Depth-first and bytewise by name is the order of paths in which "/" sorts before all other bytes.
 */
static int by_names(const void *a, const void *b)
{
	const unsigned char *left = a, *right = b;

	while (*left && *left == *right)
		left++, right++;
	return (*left == '/' ? 1
		: *left      ? *left + 1
			     : 0) -
	       (*right == '/' ? 1
		: *right      ? *right + 1
			      : 0);
}

static void assert_mosss_order(const struct layout *layout)
{
	struct walk walk = { calloc(layout->entry_count, sizeof(*walk.paths)), 0 };
	char(*sorted)[512] = calloc(layout->entry_count, sizeof(*sorted));

	assert_non_null(walk.paths);
	assert_non_null(sorted);
	assert_int_equal(layout_walk(layout, note_path, &walk), 0);
	assert_int_equal(walk.count, layout->entry_count);
	memcpy(sorted, walk.paths, walk.count * sizeof(*sorted));
	qsort(sorted, walk.count, sizeof(*sorted), by_names);
	for (uint32_t i = 0; i < walk.count; i++)
		assert_string_equal(walk.paths[i], sorted[i]);
	for (uint32_t i = 1; i < walk.count; i++)
		assert_string_not_equal(sorted[i - 1], sorted[i]);
	free(walk.paths);
	free(sorted);
}

static void assert_well_formed(const struct layout *layout)
{
	uint32_t expected_child = 1;

	for (uint32_t i = 0; i < layout->entry_count; i++) {
		const struct entry *entry = &layout->entries[i];

		assert_int_equal(strlen(entry_name(layout, entry)), entry->name_length);
		if (entry->type != ENTRY_DIRECTORY) {
			assert_int_equal(entry->child_count, 0);
			continue;
		}
		assert_int_equal(entry->first_child, expected_child);
		for (uint32_t child = 0; child < entry->child_count; child++)
			assert_int_equal(layout->entries[entry->first_child + child].parent, i);
		expected_child += entry->child_count;
	}
	assert_int_equal(expected_child, layout->entry_count);
	assert_int_equal(layout->file_count + layout->symlink_count + layout->directory_count,
			 layout->entry_count);
}

static void walks_in_mosss_order(void **state)
{
	struct workload workload;

	(void)state;
	must_load(&workload,
		  "./usr/a/b/c type=file size=1\n./usr/a-b type=file size=1\n"
		  "./usr/a.d/z type=file size=1\n"
		  "./usr/a/B type=file size=1\n./usr/a0 type=dir\n./usr/a/b-c type=link link=x\n"
		  "./usr/aa/x type=dir\n"
		  "./usr/a/\\377 type=file size=1\n./usr/a/b/a type=file size=1\n"
		  "./usr/Z type=file size=1\n",
		  NULL);
	assert_well_formed(&workload.remove);
	assert_mosss_order(&workload.remove);
	workload_free(&workload);
}

static int stop_at_third(void *context, const struct layout *layout, uint32_t index)
{
	(void)layout;
	(void)index;
	return ++*(int *)context == 3 ? -ECANCELED : 0;
}

static void a_visitor_can_stop_the_walk(void **state)
{
	struct workload workload;
	int visits = 0;

	(void)state;
	must_load(&workload, "./usr/a/b/c/d/e type=dir\n", NULL);
	assert_int_equal(layout_walk(&workload.remove, stop_at_third, &visits), -ECANCELED);
	assert_int_equal(visits, 3);
	workload_free(&workload);
}

/* --- the delta and the contents --- */

static void a_delta_adds_and_replaces(void **state)
{
	struct workload workload;
	const struct layout *remove = &workload.remove, *install = &workload.install;

	(void)state;
	must_load(&workload,
		  "./usr/a type=file size=10 inode=1\n./usr/b type=file size=20 inode=2\n"
		  "./usr/d type=dir mode=0700\n"
		  "./usr/gone type=file size=99 inode=77\n",
		  "usr/b type=link link=a\nusr/c/e type=file size=30 inode=3\n"
		  "usr/d type=dir mode=0750\n"
		  "usr/f type=file size=10 inode=1\nusr/gone type=file size=5\n");
	assert_int_equal(remove->entry_count, 5);
	assert_int_equal(install->entry_count, 8);
	assert_int_equal(remove->entries[find_entry(remove, "usr/b")].type, ENTRY_FILE);
	assert_int_equal(install->entries[find_entry(install, "usr/b")].type, ENTRY_SYMLINK);
	assert_int_equal(remove->entries[find_entry(remove, "usr/d")].mode, 0700);
	assert_int_equal(install->entries[find_entry(install, "usr/d")].mode, 0750);
	assert_int_equal(install->entries[find_entry(install, "usr/f")].asset,
			 remove->entries[find_entry(remove, "usr/a")].asset);

	/* The contents are those of both, by number; the one without a number comes last. */
	assert_int_equal(workload.contents.count, 5);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(workload.contents.list[i].number, i + 1);
	assert_int_equal(workload.contents.list[3].number, 77);
	assert_int_equal(workload.contents.list[4].number, UINT64_C(1) << 62);
	assert_int_equal(workload.contents.bytes, 10 + 20 + 30 + 99 + 5);
	assert_well_formed(install);
	workload_free(&workload);
}

static void without_a_delta_both_layouts_are_the_same(void **state)
{
	struct workload workload;

	(void)state;
	must_load(&workload, "./usr/a type=file size=10\n", NULL);
	assert_int_equal(workload.install.entry_count, 2);
	assert_string_equal(entry_name(&workload.install, &workload.install.entries[1]), "a");
	workload_free(&workload);
}

static void files_without_a_number_are_all_different(void **state)
{
	struct workload workload;
	const struct entry *a, *b;

	(void)state;
	must_load(&workload, "./usr/b type=file size=10\n./usr/a type=file size=10\n", NULL);
	a = &workload.remove.entries[find_entry(&workload.remove, "usr/a")];
	b = &workload.remove.entries[find_entry(&workload.remove, "usr/b")];
	assert_int_equal(workload.contents.count, 2);
	assert_int_equal(workload.contents.list[a->asset].number, UINT64_C(1) << 62);
	assert_int_equal(workload.contents.list[b->asset].number, (UINT64_C(1) << 62) + 1);
	assert_string_not_equal(workload.contents.list[a->asset].digest,
				workload.contents.list[b->asset].digest);
	workload_free(&workload);
}

/* --- the digest --- */

static void digest_of(char digest[DIGEST_TEXT_BYTES], const char *base, const char *delta)
{
	struct workload workload;

	must_load(&workload, base, delta);
	strcpy(digest, workload.digest);
	workload_free(&workload);
}

static void the_digest_does_not_depend_on_spelling(void **state)
{
	static const char *const same[] = {
		"./usr/b type=dir mode=0755\n"
		"./usr/b/x type=file mode=0644 size=3 inode=4 uid=0 gid=0\n"
		"./usr/c type=file size=6\n",
		"#mtree\nusr//c type=file size=6 time=4.0\n/set type=file mode=0644\n"
		"usr/./b/\\170 size=3 inode=4\n",
		"usr type=dir\nb type=dir\nx type=file size=3 inode=4\n..\nc type=file size=6\n",
	};
	static const char *const different[] = {
		"./usr/b/x type=file size=3 inode=4 mode=0600\n./usr/c type=file size=6\n",
		"./usr/b/x type=file size=3 inode=4 uid=1\n./usr/c type=file size=6\n",
		"./usr/b/x type=file size=3 inode=5\n./usr/c type=file size=6\n",
		"./usr/b/x type=file size=3 inode=4\n./usr/b/c type=file size=6\n",
		"./usr/b/x type=link link=a\n./usr/c type=file size=6\n",
		"./usr/b/x type=link link=b\n./usr/c type=file size=6\n",
	};
	char digests[8][DIGEST_TEXT_BYTES];

	(void)state;
	digest_of(digests[0], same[0], NULL);
	for (size_t i = 1; i < ARRAY_LENGTH(same); i++) {
		digest_of(digests[1], same[i], NULL);
		assert_string_equal(digests[0], digests[1]);
	}
	for (size_t i = 0; i < ARRAY_LENGTH(different); i++)
		digest_of(digests[i + 1], different[i], NULL);
	digest_of(digests[7], same[0], "./usr/d type=dir\n");
	for (size_t i = 0; i < ARRAY_LENGTH(digests); i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(digests[i], digests[j]);
}

/* --- the shipped workload --- */

static void the_small_workload_is_whole(void **state)
{
	struct workload workload;

	(void)state;
	if (workload_load(&workload, "small", SMALL, SMALL_NANO, 1, NULL))
		fail_msg("%s", error_text());
	assert_string_equal(workload.name, "small");
	assert_true(workload.remove.entry_count >= 10000);
	assert_true(workload.install.entry_count > workload.remove.entry_count);
	assert_true(workload.remove.symlink_count && workload.remove.empty_file_count);
	assert_well_formed(&workload.remove);
	assert_well_formed(&workload.install);
	assert_mosss_order(&workload.remove);
	assert_mosss_order(&workload.install);
	find_entry(&workload.install, "usr/bin/nano");
	/* All contents have numbers of packages, and files share some of them. */
	assert_true(workload.contents.list[workload.contents.count - 1].number < UINT64_C(1) << 62);
	assert_true(workload.contents.count <
		    workload.install.file_count - workload.install.empty_file_count);
	workload_free(&workload);
}

static int refuse_to_go_on(void *context, const char *phase, uint64_t done, uint64_t total)
{
	(void)done;
	(void)total;
	return !strcmp(context, phase);
}

static void loading_can_be_stopped(void **state)
{
	struct progress progress = { .update = refuse_to_go_on,
				     .context = (void *)"read the workload" };
	struct workload workload;

	(void)state;
	assert_int_equal(workload_load(&workload, "small", SMALL, NULL, 1, &progress), -EINTR);
	progress.context = (void *)"name contents";
	assert_int_equal(workload_load(&workload, "small", SMALL, NULL, 1, &progress), -EINTR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_types_modes_and_owners),
		cmocka_unit_test(reads_the_older_style),
		cmocka_unit_test(devices_are_left_out_and_counted),
		cmocka_unit_test(the_last_of_equal_paths_wins),
		cmocka_unit_test(names_are_kept_byte_for_byte),
		cmocka_unit_test(takes_names_and_paths_up_to_the_limit),
		cmocka_unit_test(walks_in_mosss_order),
		cmocka_unit_test(a_visitor_can_stop_the_walk),
		cmocka_unit_test(a_delta_adds_and_replaces),
		cmocka_unit_test(without_a_delta_both_layouts_are_the_same),
		cmocka_unit_test(files_without_a_number_are_all_different),
		cmocka_unit_test(the_digest_does_not_depend_on_spelling),
		cmocka_unit_test(the_small_workload_is_whole),
		cmocka_unit_test(loading_can_be_stopped),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
