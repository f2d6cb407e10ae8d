/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Importing packages: made by hand with libarchive, read back as manifests. */
#include "command_fixture.h"

#include "archive_fixture.h"
#include "workload/import.h"

/* --- importing --- */

/* 0 entries: all. */
static int import_exactly(const char *base, const char *second, const char *delta, uint64_t entries,
			  uint64_t delta_entries, struct import_counts *counts)
{
	char *archives[] = { (char *)base, (char *)second }, *deltas[] = { (char *)delta };
	const struct import_job job = {
		.base = { .archives = archives,
			  .archive_count = second ? 2 : 1,
			  .entries = entries,
			  .output = in_top("out.mtree") },
		.delta = { .archives = deltas,
			   .archive_count = delta ? 1 : 0,
			   .entries = delta_entries,
			   .output = delta ? in_top("delta.mtree") : NULL },
	};

	return import_packages(&job, counts);
}

static int import(const char *base, const char *second, const char *delta,
		  struct import_counts *counts)
{
	return import_exactly(base, second, delta, 0, 0, counts);
}

static void must_import(const char *base, const char *second, const char *delta,
			struct import_counts *counts)
{
	if (import(base, second, delta, counts))
		fail_msg("%s", error_text());
}

static void assert_text(const char *name, const char *expected)
{
	size_t size;
	_cleanup_free_ char *text = get_bytes(in_top(name), &size);

	assert_string_equal(text, expected);
}

static const struct item first[] = {
	{ "./", 'd', "", 0755 },
	{ "./bin/", 'd', "", 0755 },
	{ "./bin/sh", 'l', "dash", 0777 },
	{ "./etc/conf", 'f', "settings", 0644 },
	{ "./lib/libx.so", 'f', "library", 0644 },
	{ "./usr/", 'd', "", 0755 },
	{ "./usr/bin/", 'd', "", 0755 },
	{ "./usr/bin/tool", 'f', "tool of the first", 04755 },
	{ "./usr/bin/tool2", 'h', "./usr/bin/tool", 0755 },
	{ "./usr/bin/tool3", 'h', "./usr/bin/tool2", 0755 },
	{ "./usr/share/big", 'f', "*5000", 0640 },
	{ "./usr/share/copy", 'f', "library", 0600 },
	{ "./usr/share/empty", 'f', "", 0644 },
	{ "./usr/share/null", 'c', "", 0666 },
	{ "./usr/share/a b=c\\", 'f', "z", 0644 },
	{ 0 },
};

static const struct item second[] = {
	{ "./sbin", 'l', "usr/sbin", 0777 },
	{ "./usr/bin/tool", 'f', "tool of the second", 0755 },
	{ "./usr/share/big2", 'f', "*5000", 0644 },
	{ "./usr/share/large", 'f', "*6000", 0644 },
	{ 0 },
};

static const struct item added[] = {
	{ "./usr/bin/nano", 'f', "nano itself", 0755 },
	{ "./usr/bin/tool2", 'f', "library", 0755 },
	{ 0 },
};

/* Package 1: big (rank 0), tool (1), library (2), z (3). Package 2: large (0), big again, tool (2).
 * The delta: nano (0), library again. */
static const char merged[] =
	"#mtree\n"
	"./usr type=dir mode=0755 uid=0 gid=0\n"
	"./usr/bin type=dir mode=0755 uid=0 gid=0\n"
	"./usr/bin/sh type=link mode=0777 uid=0 gid=0 link=dash\n"
	"./usr/bin/tool type=file mode=0755 uid=0 gid=0 size=18 inode=2097154\n"
	"./usr/bin/tool2 type=file mode=0755 uid=0 gid=0 size=17 inode=1048577\n"
	"./usr/bin/tool3 type=file mode=0755 uid=0 gid=0 size=17 inode=1048577\n"
	"./usr/lib/libx.so type=file mode=0644 uid=0 gid=0 size=7 inode=1048578\n"
	"./usr/share/a\\040b\\075c\\134 type=file mode=0644 uid=0 gid=0 size=1 inode=1048579\n"
	"./usr/share/big type=file mode=0640 uid=0 gid=0 size=5000 inode=1048576\n"
	"./usr/share/big2 type=file mode=0644 uid=0 gid=0 size=5000 inode=1048576\n"
	"./usr/share/copy type=file mode=0600 uid=0 gid=0 size=7 inode=1048578\n"
	"./usr/share/empty type=file mode=0644 uid=0 gid=0 size=0\n"
	"./usr/share/large type=file mode=0644 uid=0 gid=0 size=6000 inode=2097152\n";

static const char merged_delta[] =
	"#mtree\n"
	"./usr/bin/nano type=file mode=0755 uid=0 gid=0 size=11 inode=3145728\n"
	"./usr/bin/tool2 type=file mode=0755 uid=0 gid=0 size=7 inode=1048578\n";

static void packages_are_merged_and_numbered(void **state)
{
	struct import_counts counts;
	struct workload workload;

	(void)state;
	make_deb("first.deb", first);
	make_tar("second.tar.xz", second, archive_write_add_filter_xz);
	make_tar("added.tar", added, archive_write_add_filter_none);
	must_import(in_top("first.deb"), in_top("second.tar.xz"), in_top("added.tar"), &counts);
	assert_text("out.mtree", merged);
	assert_text("delta.mtree", merged_delta);
	assert_int_equal(counts.archives.outside, 3); /* ./, /etc/conf and the link sbin */
	assert_int_equal(counts.archives.special, 1);
	assert_int_equal(counts.replaced_parents, 0);
	assert_int_equal(counts.kept_directories, 0);

	if (workload_load(&workload, "x", in_top("out.mtree"), in_top("delta.mtree"), 1, NULL))
		fail_msg("%s", error_text());
	assert_int_equal(workload.remove.entry_count, 15);
	assert_int_equal(workload.install.entry_count, 16);
	assert_int_equal(workload.contents.count, 7);
	workload_free(&workload);
}

static void packages_that_disagree(void **state)
{
	static const struct item one[] = {
		{ "usr/was-link", 'l', "elsewhere", 0777 },
		{ "usr/stays/x", 'f', "x", 0644 },
		{ "usr/becomes-file/", 'd', "", 0700 },
		{ 0 },
	};
	static const struct item two[] = {
		{ "usr/was-link/y", 'f', "y", 0644 },
		{ "usr/stays", 'l', "elsewhere", 0777 },
		{ "usr/becomes-file", 'f', "z", 0644 },
		{ 0 },
	};
	struct import_counts counts;

	(void)state;
	make_tar("one.tar", one, archive_write_add_filter_gzip);
	make_tar("two.tar", two, archive_write_add_filter_gzip);
	must_import(in_top("one.tar"), in_top("two.tar"), NULL, &counts);
	assert_text("out.mtree",
		    "#mtree\n"
		    "./usr/becomes-file type=file mode=0644 uid=0 gid=0 size=1 inode=2097152\n"
		    "./usr/stays/x type=file mode=0644 uid=0 gid=0 size=1 inode=1048576\n"
		    "./usr/was-link type=dir mode=0755 uid=0 gid=0\n"
		    "./usr/was-link/y type=file mode=0644 uid=0 gid=0 size=1 inode=2097153\n");
	assert_int_equal(counts.replaced_parents, 1);
	assert_int_equal(counts.kept_directories, 1);
}

/* --- exact numbers of entries --- */

static void load_imported(struct workload *workload, bool delta)
{
	if (workload_load(workload, "x", in_top("out.mtree"), delta ? in_top("delta.mtree") : NULL,
			  1, NULL))
		fail_msg("%s", error_text());
}

/* "first" makes 13 entries with usr, "second" 2 more: big2 and large. */
static void every_number_of_entries_is_met(void **state)
{
	(void)state;
	make_tar("first.tar", first, archive_write_add_filter_none);
	make_tar("second.tar", second, archive_write_add_filter_none);
	make_tar("added.tar", added, archive_write_add_filter_none);
	for (uint64_t entries = 2; entries <= 15; entries++) {
		struct import_counts counts;
		struct workload workload;

		if (import_exactly(in_top("first.tar"), in_top("second.tar"), NULL, entries, 0,
				   &counts))
			fail_msg("%s", error_text());
		load_imported(&workload, false);
		assert_int_equal(workload.remove.entry_count, entries);
		workload_free(&workload);
		assert_int_equal(counts.base.unread, entries <= 13);
		if (entries == 13 || entries == 15)
			assert_null(counts.base.archive);
		else
			assert_string_equal(counts.base.archive,
					    in_top(entries < 13 ? "first.tar" : "second.tar"));
	}
}

static void entries_are_trimmed_in_mosss_order(void **state)
{
	static const struct item deep[] = {
		{ "usr/a-b", 'f', "1", 0644 },     { "usr/a/c/d/e", 'f', "2", 0644 },
		{ "usr/a/c/f", 'f', "3", 0644 },   { "usr/a", 'd', "", 0700 },
		{ "usr/a/empty/", 'd', "", 0711 }, { 0 },
	};
	struct import_counts counts;

	(void)state;
	make_tar("deep.tar", deep, archive_write_add_filter_none);
	/* usr, a, a/c, and no room for a/c/d/e: its parent is made instead. */
	assert_int_equal(import_exactly(in_top("deep.tar"), NULL, NULL, 4, 0, &counts), 0);
	assert_text("out.mtree", "#mtree\n"
				 "./usr/a type=dir mode=0700 uid=0 gid=0\n"
				 "./usr/a/c/d type=dir mode=0755 uid=0 gid=0\n");
	assert_int_equal(counts.base.merged, 1);
	assert_int_equal(counts.base.listed, 5);
	assert_int_equal(import_exactly(in_top("deep.tar"), NULL, NULL, 7, 0, &counts), 0);
	assert_text("out.mtree",
		    "#mtree\n"
		    "./usr/a type=dir mode=0700 uid=0 gid=0\n"
		    "./usr/a/c/d/e type=file mode=0644 uid=0 gid=0 size=1 inode=1048577\n"
		    "./usr/a/c/f type=file mode=0644 uid=0 gid=0 size=1 inode=1048578\n"
		    "./usr/a/empty type=dir mode=0711 uid=0 gid=0\n");
}

static void a_delta_counts_what_the_base_has_not(void **state)
{
	static const struct item delta[] = {
		{ "usr/share/big", 'f', "other", 0644 },
		{ "usr/share/new/deep/a", 'f', "a", 0644 },
		{ "usr/share/new/deep/b", 'f', "b", 0644 },
		{ "usr/zoo", 'f', "z", 0644 },
		{ 0 },
	};
	struct import_counts counts;

	(void)state;
	make_tar("first.tar", first, archive_write_add_filter_none);
	make_tar("delta.tar", delta, archive_write_add_filter_none);
	for (uint64_t entries = 1; entries <= 5; entries++) {
		struct workload workload;

		if (import_exactly(in_top("first.tar"), NULL, in_top("delta.tar"), 10, entries,
				   &counts))
			fail_msg("%s", error_text());
		load_imported(&workload, true);
		assert_int_equal(workload.remove.entry_count, 10);
		assert_int_equal(workload.install.entry_count, 10 + entries);
		workload_free(&workload);
	}
}

static void too_few_entries_are_told(void **state)
{
	struct import_counts counts;

	(void)state;
	unlink(in_top("out.mtree"));
	make_tar("first.tar", first, archive_write_add_filter_none);
	make_tar("added.tar", added, archive_write_add_filter_none);
	assert_int_equal(import_exactly(in_top("first.tar"), NULL, NULL, 14, 0, &counts), -EINVAL);
	assert_sentence("--entries 14: the archives have only 13 entries; give more archives, or a");
	assert_int_equal(
		import_exactly(in_top("first.tar"), NULL, in_top("added.tar"), 0, 2, &counts),
		-EINVAL);
	assert_sentence("--delta-entries 2: the archives have only 1 entries");
	assert_int_equal(access(in_top("out.mtree"), F_OK), -1);
}

/* --- the command --- */

static void the_command_writes_the_same_again(void **state)
{
	char deb[PATH_MAX], tar[PATH_MAX], output[PATH_MAX], delta[PATH_MAX];
	_cleanup_free_ char *before = NULL, *after = NULL;
	size_t before_size, after_size;

	(void)state;
	strcpy(deb, make_deb("first.deb", first));
	strcpy(tar, make_tar("added.tar", added, archive_write_add_filter_zstd));
	strcpy(output, in_top("out.mtree.zst"));
	strcpy(delta, in_top("delta.mtree.zst"));
	assert_int_equal(RUN("workload", "import", deb, "--delta", tar, "-o", output,
			     "--delta-output", delta),
			 0);
	assert_printed(
		"1 package and 1 of the delta; left out: 2 entries outside usr/, 1 devices");
	assert_printed(
		"remove (the packages): 13 entries: 8 files (1 of them empty), 1 symlinks, 4 "
		"directories\n");
	assert_printed("4 assets of 5025 bytes, the largest 5000; all files: 5066 bytes\n");
	assert_printed("install (with the delta): 14 entries");
	before = get_bytes(output, &before_size);
	assert_int_equal(unlink(output), 0);
	assert_int_equal(RUN("workload", "import", deb, "--delta", tar, "-o", output,
			     "--delta-output", delta),
			 0);
	after = get_bytes(output, &after_size);
	assert_int_equal(before_size, after_size);
	assert_memory_equal(before, after, after_size);
	/* Compressed, by zstd's magic number. */
	assert_memory_equal(after, "\x28\xb5\x2f\xfd", 4);
}

static void wrong_uses_of_the_command(void **state)
{
	(void)state;
	assert_int_equal(RUN("workload"), 2);
	assert_int_equal(RUN("workload", "improt"), 2);
	assert_complained("'improt' is no action");
	assert_int_equal(RUN("workload", "import"), 2);
	assert_complained("at least one archive");
	assert_int_equal(RUN("workload", "import", "x.deb"), 2);
	assert_complained("needs -o FILE");
	assert_int_equal(RUN("workload", "import", "x.deb", "-o"), 2);
	assert_complained("-o needs the name of a file");
	assert_int_equal(RUN("workload", "import", "x.deb", "-o", "a", "-o", "b"), 2);
	assert_complained("-o is given twice");
	assert_int_equal(RUN("workload", "import", "x.deb", "-o", "a", "--delta", "y.deb"), 2);
	assert_complained("go together");
	assert_int_equal(RUN("workload", "import", "x.deb", "-o", "a", "--wrong"), 2);
	assert_complained("'--wrong' is no option");
	assert_int_equal(RUN("workload", "import", "x.deb", "-o", "a", "--entries", "0"), 2);
	assert_complained("--entries 0 is no number of entries");
	assert_int_equal(RUN("workload", "import", "x.deb", "-o", "a", "--entries", "+7"), 2);
	assert_int_equal(RUN("workload", "import", "x.deb", "-o", "a", "--delta-entries", "7"), 2);
	assert_complained("--delta-entries needs --delta");
	assert_int_equal(RUN("workload", "import", "/nonexistent.deb", "-o", "a"), 1);
	assert_complained("/nonexistent.deb: the file cannot be opened: No such file or directory");
	assert_int_equal(RUN("workload", "--help"), 0);
	assert_printed("usr-merge");
}

/* --- what is refused --- */

static void archives_that_cannot_be_used(void **state)
{
	static const struct {
		struct item items[3];
		const char *sentence;
	} cases[] = {
		{ { { "usr/../etc/x", 'f', "x", 0644 } },
		  "\"usr/../etc/x\": the path has \"..\" in it" },
		{ { { "usr/x", 'h', "usr/y", 0644 } },
		  "\"usr/x\": it is a hard link to \"usr/y\", and there is no such" },
		{ { { "usr/d", 'd', "", 0755 }, { "usr/x", 'h', "usr/d", 0644 } },
		  "it is a hard link to \"usr/d\"" },
		{ { { "etc/x", 'f', "x", 0644 }, { "usr/x", 'h', "etc/x", 0644 } },
		  "a hard link to an entry outside usr/" },
		{ { { "etc/x", 'f', "x", 0644 } }, "the archives have nothing below usr/" },
		{ { { "bin/../../x", 'f', "x", 0644 } }, "the path has \"..\" in it" },
	};
	struct import_counts counts;

	(void)state;
	unlink(in_top("out.mtree"));
	for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
		make_tar("bad.tar", cases[i].items, archive_write_add_filter_none);
		assert_int_equal(import(in_top("bad.tar"), NULL, NULL, &counts), -EINVAL);
		assert_sentence(cases[i].sentence);
		assert_int_equal(access(in_top("out.mtree"), F_OK), -1);
		assert_int_equal(access(in_top("out.mtree.part"), F_OK), -1);
	}
	put_text("bad.tar", "this is no archive at all, whatever its name says\n");
	assert_int_equal(import(in_top("bad.tar"), NULL, NULL, &counts), -EINVAL);
	assert_sentence("bad.tar: it is no package or archive");
	put_text("bad.tar",
		 "!<arch>\ndebian-binary   0           0     0     100644  4         `\n2.0\n");
	assert_int_equal(import(in_top("bad.tar"), NULL, NULL, &counts), -EINVAL);
	assert_sentence("there is no data.tar in it, so it is no Debian package");
}

/* --- compressions that are not undone --- */

static const struct {
	const char *name, *bytes;
} not_undone[] = {
	{ "bzip2", "BZh91AY&SY and so on and so on" },
	{ "lz4", "\x04\x22\x4d\x18 and so on and so on" },
	{ "lz4", "\x02\x21\x4c\x18 and so on and so on" },
	{ "lzop", "\x89LZO\r\n\x1a\n and so on and so on" },
};

static void assert_not_undone(const char *name, const char *path)
{
	char sentence[128];

	snprintf(sentence, sizeof(sentence), "it is compressed by %s, which this program cannot",
		 name);
	assert_int_equal(RUN("workload", "import", path, "-o", in_top("out.mtree")), 1);
	assert_complained(sentence);
	assert_int_equal(RUN("workload", "inspect", path), 1);
	assert_complained(sentence);
}

static const char *make_deb_of(const char *bytes)
{
	const char *path = in_top("x.deb");
	struct archive *archive = archive_write_new();

	assert_int_equal(archive_write_set_format_ar_svr4(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
	add_member(archive, "debian-binary", "2.0\n", 4);
	add_member(archive, "data.tar.x", bytes, strlen(bytes));
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
	return path;
}

/* The lead of 96 bytes, two headers of no entries, and what they describe. */
static const char *make_rpm_of(const char *bytes)
{
	static const char magic[] = "\xed\xab\xee\xdb\x03", header[] = "\x8e\xad\xe8\x01";
	char rpm[256] = { 0 };

	memcpy(rpm, magic, strlen(magic));
	memcpy(rpm + 96, header, strlen(header));
	memcpy(rpm + 112, header, strlen(header));
	strcpy(rpm + 128, bytes);
	return put_bytes("x.rpm", rpm, 128 + strlen(bytes));
}

static void compressions_that_are_not_undone_are_named(void **state)
{
	static const struct item like_bzip2[] = { { "usr/BZh9", 'f', "BZh91AY&SY", 0644 }, { 0 } };
	struct import_counts counts;

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(not_undone); i++) {
		const char *name = not_undone[i].name, *bytes = not_undone[i].bytes;
		char path[PATH_MAX];

		strcpy(path, put_text("x", bytes));
		assert_not_undone(name, path);
		assert_int_equal(RUN("workload", "subset", path, "--entries", "1", "-o", "-"), 1);
		assert_complained("compress it by zstd, xz or gzip instead");
		assert_not_undone(name, strcpy(path, make_deb_of(bytes)));
		assert_not_undone(name, strcpy(path, make_rpm_of(bytes)));
	}
	/* Such bytes elsewhere mean nothing. */
	must_import(make_tar("like.tar", like_bzip2, archive_write_add_filter_none), NULL, NULL,
		    &counts);
}

static void packages_cut_off_at_every_byte(void **state)
{
	size_t size;
	_cleanup_free_ char *bytes = get_bytes(make_deb("whole.deb", first), &size);

	(void)state;
	for (size_t cut = 0; cut < size; cut++) {
		struct import_counts counts;
		int error;

		put_bytes("cut.deb", bytes, cut);
		error = import(in_top("cut.deb"), NULL, NULL, &counts);
		/* The last byte of an ar archive may be padding. */
		if (error != -EINVAL && !(error == 0 && cut == size - 1))
			fail_msg("cut at %zu of %zu: %d", cut, size, error);
	}
}

static void an_output_that_cannot_be_written(void **state)
{
	char *archives[1];
	struct import_job job = { .base = { .archives = archives,
					    .archive_count = 1,
					    .output = "/nonexistent/x.mtree" } };
	struct import_counts counts;

	(void)state;
	archives[0] = (char *)make_tar("second.tar", second, archive_write_add_filter_none);
	assert_true(import_packages(&job, &counts) < 0);
	assert_sentence("/nonexistent/x.mtree.part cannot be written: No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packages_are_merged_and_numbered),
		cmocka_unit_test(packages_that_disagree),
		cmocka_unit_test(every_number_of_entries_is_met),
		cmocka_unit_test(entries_are_trimmed_in_mosss_order),
		cmocka_unit_test(a_delta_counts_what_the_base_has_not),
		cmocka_unit_test(too_few_entries_are_told),
		cmocka_unit_test(the_command_writes_the_same_again),
		cmocka_unit_test(wrong_uses_of_the_command),
		cmocka_unit_test(archives_that_cannot_be_used),
		cmocka_unit_test(compressions_that_are_not_undone_are_named),
		cmocka_unit_test(packages_cut_off_at_every_byte),
		cmocka_unit_test(an_output_that_cannot_be_written),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
