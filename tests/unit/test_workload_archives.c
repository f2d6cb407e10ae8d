/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of archives beside .deb and plain tarballs, and what they have of their own: hard links
 * as cpio has them, holes, checksums, names that are no UTF-8. */
#include "archive_fixture.h"

#include "workload/import.h"

static int import(const char *path)
{
	char *archives[] = { (char *)path };
	const struct import_job job = {
		.base = { .archives = archives, .archive_count = 1, .output = in_top("out.mtree") }
	};
	struct import_counts counts;

	unlink(in_top("out.mtree"));
	return import_packages(&job, &counts);
}

static void assert_imports(const char *path, const char *expected)
{
	_cleanup_free_ char *text = NULL;
	size_t size;

	if (import(path))
		fail_msg("%s", error_text());
	text = get_bytes(in_top("out.mtree"), &size);
	assert_string_equal(text, expected);
}

static const struct item items[] = {
	{ "usr/bin/tool", 'f', "the tool itself", 0755 },
	{ "usr/share/doc", 'f', "text", 0644 },
	{ "usr/share/link", 'l', "doc", 0777 },
	{ 0 },
};

static const char manifest[] =
	"#mtree\n"
	"./usr/bin/tool type=file mode=0755 uid=0 gid=0 size=15 inode=1048576\n"
	"./usr/share/doc type=file mode=0644 uid=0 gid=0 size=4 inode=1048577\n"
	"./usr/share/link type=link mode=0777 uid=0 gid=0 link=doc\n";

static const char *make(const char *name, int (*set_format)(struct archive *),
			int (*add_filter)(struct archive *), const struct item *list)
{
	const char *path = in_top(name);
	struct archive *archive = archive_write_new();

	assert_int_equal(set_format(archive), ARCHIVE_OK);
	assert_int_equal(add_filter(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
	for (; list->path; list++)
		add_item(archive, list);
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
	return path;
}

static void zip_files(void **state)
{
	_cleanup_free_ char *bytes = NULL;
	unsigned bad_checksums = 0;
	size_t size;

	(void)state;
	make("x.zip", archive_write_set_format_zip, archive_write_add_filter_none, items);
	assert_imports(in_top("x.zip"), manifest);
	bytes = get_bytes(in_top("x.zip"), &size);
	for (size_t at = 0; at < size; at++) {
		int error;

		bytes[at] ^= 1;
		put_bytes("bad.zip", bytes, size);
		error = import(in_top("bad.zip"));
		if (error && error != -EINVAL)
			fail_msg("byte %zu: %d", at, error);
		bad_checksums += error && strstr(error_text(), "CRC");
		bytes[at] ^= 1;
	}
	/* Those of the two contents that are not empty. */
	assert_true(bad_checksums > 2);
}

static void tarballs_in_all_compressions(void **state)
{
	int (*const filters[])(struct archive *) = {
		archive_write_add_filter_none, archive_write_add_filter_gzip,
		archive_write_add_filter_xz,   archive_write_add_filter_lzma,
		archive_write_add_filter_zstd, archive_write_add_filter_compress,
	};
	int (*const formats[])(struct archive *) = {
		archive_write_set_format_gnutar,
		archive_write_set_format_ustar,
		archive_write_set_format_pax,
		archive_write_set_format_v7tar,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(filters); i++)
		assert_imports(
			make("x", archive_write_set_format_pax_restricted, filters[i], items),
			manifest);
	for (size_t i = 0; i < ARRAY_LENGTH(formats); i++)
		assert_imports(make("x", formats[i], archive_write_add_filter_none, items),
			       manifest);
}

/* Alpine's packages: gzip streams one behind the other, of which only the last tarball has an
 * end. */
static void apk_packages(void **state)
{
	static const struct item control[] = { { ".PKGINFO", 'f', "pkgname = x\n", 0644 }, { 0 } };
	_cleanup_free_ char *first = NULL, *second = NULL, *both = NULL;
	size_t first_size, second_size;

	(void)state;
	first = get_bytes(make("control.tar", archive_write_set_format_ustar,
			       archive_write_add_filter_none, control),
			  &first_size);
	/* Header and content, without the blocks that end a tarball. */
	put_bytes("control.cut", first, 1024);
	free(first);
	{
		struct archive *archive = archive_write_new();
		struct archive_entry *entry = archive_entry_new();
		_cleanup_free_ char *cut = get_bytes(in_top("control.cut"), &first_size);

		assert_int_equal(archive_write_set_format_raw(archive), ARCHIVE_OK);
		assert_int_equal(archive_write_add_filter_gzip(archive), ARCHIVE_OK);
		archive_write_set_bytes_in_last_block(archive, 1);
		assert_int_equal(archive_write_open_filename(archive, in_top("control.gz")),
				 ARCHIVE_OK);
		archive_entry_set_filetype(entry, AE_IFREG);
		assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
		assert_int_equal(archive_write_data(archive, cut, first_size), first_size);
		assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
		archive_entry_free(entry);
		archive_write_free(archive);
	}
	first = get_bytes(in_top("control.gz"), &first_size);
	second = get_bytes(make("data.tar.gz", archive_write_set_format_ustar,
				archive_write_add_filter_gzip, items),
			   &second_size);
	both = malloc(first_size + second_size);
	assert_non_null(both);
	memcpy(both, first, first_size);
	memcpy(both + first_size, second, second_size);
	assert_imports(put_bytes("x.apk", both, first_size + second_size), manifest);
}

/* --- .rpm --- */

/* In cpio the names of a hard link have one inode's number, and only the last has the content. */
static void add_linked(struct archive *archive, const char *path, const char *content)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, path);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_ino(entry, 77);
	archive_entry_set_nlink(entry, 3);
	archive_entry_set_size(entry, (la_int64_t)strlen(content));
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	if (*content)
		assert_int_equal(archive_write_data(archive, content, strlen(content)),
				 strlen(content));
	archive_entry_free(entry);
}

static const char *make_rpm(const char *name)
{
	static const unsigned char lead[96] = { 0xed, 0xab, 0xee, 0xdb, 3, 0 };
	/* A signature and a header without entries. */
	static const unsigned char header[16] = { 0x8e, 0xad, 0xe8, 1 };
	struct archive *archive = archive_write_new();
	_cleanup_free_ char *payload = NULL, *rpm = NULL;
	size_t size;

	assert_int_equal(archive_write_set_format_cpio_newc(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_add_filter_zstd(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, in_top("payload")), ARCHIVE_OK);
	add_item(archive, &(struct item){ "./usr/bin/tool", 'f', "the tool itself", 0755 });
	add_linked(archive, "./usr/lib/one", "");
	add_linked(archive, "./usr/lib/two", "");
	add_linked(archive, "./usr/lib/three", "shared by three");
	add_item(archive, &(struct item){ "./usr/lib/empty", 'f', "", 0644 });
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
	payload = get_bytes(in_top("payload"), &size);
	rpm = malloc(sizeof(lead) + 2 * sizeof(header) + size);
	assert_non_null(rpm);
	memcpy(rpm, lead, sizeof(lead));
	memcpy(rpm + sizeof(lead), header, sizeof(header));
	memcpy(rpm + sizeof(lead) + sizeof(header), header, sizeof(header));
	memcpy(rpm + sizeof(lead) + 2 * sizeof(header), payload, size);
	return put_bytes(name, rpm, sizeof(lead) + 2 * sizeof(header) + size);
}

static void rpm_packages(void **state)
{
	(void)state;
	assert_imports(make_rpm("x.rpm"),
		       "#mtree\n"
		       "./usr/bin/tool type=file mode=0755 uid=0 gid=0 size=15 inode=1048576\n"
		       "./usr/lib/empty type=file mode=0644 uid=0 gid=0 size=0\n"
		       "./usr/lib/one type=file mode=0644 uid=0 gid=0 size=15 inode=1048577\n"
		       "./usr/lib/three type=file mode=0644 uid=0 gid=0 size=15 inode=1048577\n"
		       "./usr/lib/two type=file mode=0644 uid=0 gid=0 size=15 inode=1048577\n");
}

static void rpm_packages_cut_off_at_every_byte(void **state)
{
	_cleanup_free_ char *bytes = NULL;
	size_t size;

	(void)state;
	bytes = get_bytes(make_rpm("x.rpm"), &size);
	for (size_t cut = 0; cut < size; cut++) {
		int error;

		put_bytes("cut.rpm", bytes, cut);
		error = import(in_top("cut.rpm"));
		if (error != -EINVAL)
			fail_msg("cut at %zu of %zu: %d", cut, size, error);
	}
}

/* --- names and sizes --- */

static void names_that_are_no_utf8_are_kept(void **state)
{
	static const struct item list[] = {
		{ "usr/\377\376", 'f', "x", 0644 },
		{ "usr/\303\244", 'l', "\377", 0777 },
		{ 0 },
	};

	(void)state;
	assert_imports(
		make("x.tar", archive_write_set_format_gnutar, archive_write_add_filter_none, list),
		"#mtree\n"
		"./usr/\\303\\244 type=link mode=0777 uid=0 gid=0 link=\\377\n"
		"./usr/\\377\\376 type=file mode=0644 uid=0 gid=0 size=1 inode=1048576\n");
}

static void long_names(void **state)
{
	char path[300] = "usr/";
	const struct item list[] = { { path, 'f', "x", 0644 }, { 0 } };

	(void)state;
	memset(path + 4, 'n', 255);
	make("x.tar", archive_write_set_format_gnutar, archive_write_add_filter_none, list);
	assert_int_equal(import(in_top("x.tar")), 0);
	path[4 + 255] = 'n';
	make("x.tar", archive_write_set_format_gnutar, archive_write_add_filter_none, list);
	assert_int_equal(import(in_top("x.tar")), -EINVAL);
	assert_sentence("a name in the path has 256 bytes");
}

/* A tar header by hand, for sizes that no writer writes. */
static const char *make_tar_of_size(uint64_t size, const char *type)
{
	static unsigned char block[4 * 512];
	unsigned sum = 0;

	memset(block, 0, sizeof(block));
	strcpy((char *)block, "usr/large");
	memcpy(block + 100, "0000644", 8);
	memcpy(block + 108, "0000000", 8);
	memcpy(block + 116, "0000000", 8);
	/* Base 256, as GNU tar writes what octal digits have no room for. */
	block[124] = 0x80;
	for (unsigned i = 0; i < 8; i++)
		block[128 + i] = (unsigned char)(size >> 8 * (7 - i));
	memcpy(block + 136, "00000000000", 12);
	memset(block + 148, ' ', 8);
	block[156] = (unsigned char)*type;
	memcpy(block + 257, "ustar  ", 8);
	for (unsigned i = 0; i < 512; i++)
		sum += block[i];
	snprintf((char *)block + 148, 8, "%06o", sum);
	return put_bytes("size.tar", block, sizeof(block));
}

static void sizes_that_lie(void **state)
{
	static const uint64_t sizes[] = { UINT64_C(1) << 31, UINT64_C(1) << 32,
					  UINT64_C(1) << 41, (UINT64_C(1) << 63) - 1,
					  UINT64_C(1) << 63, UINT64_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(sizes); i++) {
		assert_int_equal(import(make_tar_of_size(sizes[i], "0")), -EINVAL);
		/* What is left out is read over, and found missing as well. */
		assert_int_equal(import(make_tar_of_size(sizes[i], "3")), -EINVAL);
	}
}

static void holes_are_zeros(void **state)
{
	static const char zeros[3 << 20];
	const char *path = in_top("sparse.tar");
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();

	(void)state;
	assert_int_equal(archive_write_set_format_pax(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
	archive_entry_set_pathname(entry, "usr/sparse");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, sizeof(zeros));
	archive_entry_sparse_add_entry(entry, 1 << 20, 512);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, zeros, sizeof(zeros)), sizeof(zeros));
	archive_entry_clear(entry);
	archive_entry_set_pathname(entry, "usr/whole");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, sizeof(zeros));
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, zeros, sizeof(zeros)), sizeof(zeros));
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_entry_free(entry);
	archive_write_free(archive);
	assert_imports(path, "#mtree\n"
			     "./usr/sparse type=file mode=0644 uid=0 gid=0 size=3145728 "
			     "inode=1048576\n"
			     "./usr/whole type=file mode=0644 uid=0 gid=0 size=3145728 "
			     "inode=1048576\n");
}

/* GNU tar's older kind of sparse files has its one block in the header. */
static void a_hole_without_end_is_refused(void **state)
{
	_cleanup_free_ char *block = NULL;
	unsigned sum = 0;
	size_t size;

	(void)state;
	block = get_bytes(make_tar_of_size(512, "S"), &size);
	snprintf(block + 386, 12, "%011llo", (1ULL << 32) - 512);
	snprintf(block + 398, 12, "%011o", 512);
	snprintf(block + 483, 12, "%011llo", 1ULL << 32);
	memset(block + 148, ' ', 8);
	for (unsigned i = 0; i < 512; i++)
		sum += (unsigned char)block[i];
	snprintf(block + 148, 8, "%06o", sum);
	assert_int_equal(import(put_bytes("hole.tar", block, size)), -EINVAL);
	assert_sentence("\"usr/large\": it has a hole of 4294966784 bytes");
}

/* --- what is no archive --- */

static void what_is_no_archive(void **state)
{
	static const char *const texts[] = {
		"",
		"\0mo",
		"#mtree\n./usr type=dir\n",
		"\x1f\x8b\x08 no gzip at all",
		"\x28\xb5\x2f\xfd and no zstd either",
		"PK",
		"!<arch>\n",
		"\xed\xab\xee\xdb",
		"070701 no cpio archive, though it begins like one of those",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
		put_text("x", texts[i]);
		assert_int_equal(import(in_top("x")), -EINVAL);
		assert_int_equal(strncmp(error_text(), in_top("x"), strlen(in_top("x"))), 0);
	}
	assert_int_equal(import(top), -EISDIR);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zip_files),
		cmocka_unit_test(tarballs_in_all_compressions),
		cmocka_unit_test(apk_packages),
		cmocka_unit_test(rpm_packages),
		cmocka_unit_test(rpm_packages_cut_off_at_every_byte),
		cmocka_unit_test(names_that_are_no_utf8_are_kept),
		cmocka_unit_test(long_names),
		cmocka_unit_test(sizes_that_lie),
		cmocka_unit_test(holes_are_zeros),
		cmocka_unit_test(a_hole_without_end_is_refused),
		cmocka_unit_test(what_is_no_archive),
	};

	return cmocka_run_group_tests(tests, make_top, remove_top);
}
