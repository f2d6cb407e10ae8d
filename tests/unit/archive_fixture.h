/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packages and tarballs made by hand with libarchive. */
#ifndef BLITBENCH_TESTS_ARCHIVE_FIXTURE_H
#define BLITBENCH_TESTS_ARCHIVE_FIXTURE_H

#include "workload_fixture.h"

#include <archive.h>
#include <archive_entry.h>

struct item {
	const char *path;
	char type; /* f file, l symlink, h hard link, d directory, c device */
	const char
		*text; /* of a file, a symlink, a hard link's target; "*N" for N bytes of content */
	unsigned mode;
};

static void add_item(struct archive *archive, const struct item *item)
{
	struct archive_entry *entry = archive_entry_new();
	bool repeated = item->type == 'f' && *item->text == '*';
	size_t size = item->type != 'f' ? 0
		      : repeated        ? (size_t)atol(item->text + 1)
					: strlen(item->text);
	_cleanup_free_ char *bytes = malloc(size + 1);

	assert_non_null(bytes);
	memset(bytes, 'x', size);
	if (item->type == 'f' && !repeated)
		memcpy(bytes, item->text, size);
	archive_entry_set_pathname(entry, item->path);
	archive_entry_set_filetype(entry, item->type == 'l'   ? AE_IFLNK
					  : item->type == 'd' ? AE_IFDIR
					  : item->type == 'c' ? AE_IFCHR
							      : AE_IFREG);
	archive_entry_set_perm(entry, item->mode);
	archive_entry_set_size(entry, (la_int64_t)size);
	if (item->type == 'l')
		archive_entry_set_symlink(entry, item->text);
	if (item->type == 'h')
		archive_entry_set_hardlink(entry, item->text);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	if (size)
		assert_int_equal(archive_write_data(archive, bytes, size), size);
	archive_entry_free(entry);
}

static const char *make_tar(const char *name, const struct item *items,
			    int (*add_filter)(struct archive *))
{
	const char *path = in_top(name);
	struct archive *archive = archive_write_new();

	assert_int_equal(archive_write_set_format_gnutar(archive), ARCHIVE_OK);
	assert_int_equal(add_filter(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
	for (; items->path; items++)
		add_item(archive, items);
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
	return path;
}

static void add_member(struct archive *archive, const char *name, const char *bytes, size_t size)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	archive_entry_set_size(entry, (la_int64_t)size);
	assert_int_equal(archive_write_header(archive, entry), ARCHIVE_OK);
	assert_int_equal(archive_write_data(archive, bytes, size), size);
	archive_entry_free(entry);
}

/* An ar archive of debian-binary, control.tar.gz and data.tar.zst, as dpkg-deb makes it. */
__attribute__((unused)) static const char *make_deb(const char *name, const struct item *items)
{
	static const struct item control[] = { { "./control", 'f', "Package: x\n", 0644 }, { 0 } };
	const char *path = in_top(name);
	struct archive *archive = archive_write_new();
	_cleanup_free_ char *control_bytes = NULL, *data_bytes = NULL;
	size_t control_size, data_size;

	control_bytes = get_bytes(make_tar("control.tar", control, archive_write_add_filter_gzip),
				  &control_size);
	data_bytes =
		get_bytes(make_tar("data.tar", items, archive_write_add_filter_zstd), &data_size);
	assert_int_equal(archive_write_set_format_ar_svr4(archive), ARCHIVE_OK);
	assert_int_equal(archive_write_open_filename(archive, path), ARCHIVE_OK);
	add_member(archive, "debian-binary", "2.0\n", 4);
	add_member(archive, "control.tar.gz", control_bytes, control_size);
	add_member(archive, "data.tar.zst", data_bytes, data_size);
	assert_int_equal(archive_write_close(archive), ARCHIVE_OK);
	archive_write_free(archive);
	return path;
}

#endif
