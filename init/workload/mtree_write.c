/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/mtree.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/source.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { NUMBERS_BYTES = 256 };

struct mtree_writer {
	struct archive *archive;
	char *file, *part; /* the name, and the one used until all is written, or NULL */
	char line[ESCAPED_BYTES(PATH_LIMIT_BYTES) * 2 + NUMBERS_BYTES];
};

static int fail(const struct mtree_writer *writer)
{
	char shown[SENTENCE_NAME_BYTES], reason[SENTENCE_NAME_BYTES];
	int code = archive_errno(writer->archive);

	return error_set(code > 0 ? -code : -EIO, "%s cannot be written: %s",
			 escape_for_sentence(shown, writer->part),
			 code > 0 ? strerror(code) : source_reason(reason, writer->archive));
}

static int write_text(struct mtree_writer *writer, const char *text, size_t bytes)
{
	return archive_write_data(writer->archive, text, bytes) == (la_ssize_t)bytes ? 0
										     : fail(writer);
}

static bool ends_in(const char *name, const char *end)
{
	size_t bytes = strlen(name), end_bytes = strlen(end);

	return bytes > end_bytes && !strcmp(name + bytes - end_bytes, end);
}

static int start(struct mtree_writer *writer)
{
	static const char header[] = "#mtree\n";
	struct archive_entry *entry;
	int status = archive_write_set_format_raw(writer->archive);

	if (status == ARCHIVE_OK && ends_in(writer->file, ".zst")) {
		status = archive_write_add_filter_zstd(writer->archive);
		if (status == ARCHIVE_OK)
			status = archive_write_set_filter_option(writer->archive, "zstd",
								 "compression-level", "19");
	}
	/* Blocks of libarchive's default size would be padded. */
	if (status == ARCHIVE_OK)
		status = archive_write_set_bytes_in_last_block(writer->archive, 1);
	if (status == ARCHIVE_OK)
		status = writer->part ? archive_write_open_filename(writer->archive, writer->part)
				      : archive_write_open_fd(writer->archive, STDOUT_FILENO);
	if (status != ARCHIVE_OK)
		return fail(writer);
	entry = archive_entry_new();
	if (!entry)
		return error_set(-ENOMEM, "out of memory for a manifest");
	archive_entry_set_filetype(entry, AE_IFREG);
	status = archive_write_header(writer->archive, entry);
	archive_entry_free(entry);
	return status == ARCHIVE_OK ? write_text(writer, header, strlen(header)) : fail(writer);
}

static int name_files(struct mtree_writer *writer, const char *file)
{
	writer->archive = archive_write_new();
	writer->file = strdup(file);
	if (strcmp(file, "-") && asprintf(&writer->part, "%s.part", file) < 0) {
		writer->part = NULL;
		return -ENOMEM;
	}
	return writer->archive && writer->file ? 0 : -ENOMEM;
}

struct mtree_writer *mtree_writer_open(const char *file)
{
	struct mtree_writer *writer = calloc(1, sizeof(*writer));

	if (!writer || name_files(writer, file))
		error_set(-ENOMEM, "out of memory for writing a manifest");
	else if (!start(writer))
		return writer;
	mtree_writer_free(writer);
	return NULL;
}

int mtree_writer_put(struct mtree_writer *writer, const struct listed_entry *entry)
{
	static const char *const types[] = {
		[ENTRY_FILE] = "file",
		[ENTRY_SYMLINK] = "link",
		[ENTRY_DIRECTORY] = "dir",
	};
	char *out = writer->line;

	out += sprintf(out, "./");
	out += escape_name(out, entry->path);
	out += sprintf(out, " type=%s mode=%04o uid=%" PRIu32 " gid=%" PRIu32, types[entry->type],
		       entry->mode, entry->uid, entry->gid);
	if (entry->type == ENTRY_FILE)
		out += sprintf(out, " size=%" PRIu64, entry->size);
	if (entry->type == ENTRY_FILE && entry->numbered)
		out += sprintf(out, " inode=%" PRIu64, entry->number);
	if (entry->type == ENTRY_SYMLINK) {
		out += sprintf(out, " link=");
		out += escape_name(out, entry->link_text);
	}
	*out++ = '\n';
	return write_text(writer, writer->line, (size_t)(out - writer->line));
}

int mtree_writer_close(struct mtree_writer *writer)
{
	return archive_write_close(writer->archive) == ARCHIVE_OK ? 0 : fail(writer);
}

int mtree_writer_publish(struct mtree_writer *writer)
{
	char shown[SENTENCE_NAME_BYTES];
	int code;

	if (!writer->part || !rename(writer->part, writer->file))
		return 0;
	code = errno;
	return error_set(-code, "%s cannot be named: %s", escape_for_sentence(shown, writer->file),
			 strerror(code));
}

void mtree_writer_free(struct mtree_writer *writer)
{
	if (!writer)
		return;
	archive_write_free(writer->archive);
	/* After publishing there is no such file any more. */
	if (writer->part)
		unlink(writer->part);
	free(writer->part);
	free(writer->file);
	free(writer);
}
