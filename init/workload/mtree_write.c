/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/mtree.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

enum { NUMBERS_BYTES = 256, LINKS_LIMIT = 40 };

struct mtree_writer {
	struct archive *archive;
	int fd;
	bool given_up; /* nothing more goes out, what libarchive still holds neither */
	char *file;    /* where the name that was given leads */
	char *part;    /* the name until all is written; NULL: a stream, which has none */
	char line[ESCAPED_BYTES(PATH_LIMIT_BYTES) * 2 + NUMBERS_BYTES];
};

static int cannot_write(const char *file, int code)
{
	char shown[SENTENCE_NAME_BYTES];

	escape_for_sentence(shown, strcmp(file, "-") ? file : "the standard output");
	if (code == EINTR)
		return error_set(-EINTR, "stopped while %s was written", shown);
	return error_set(-code, "%s cannot be written: %s", shown, strerror(code));
}

static int fail(struct mtree_writer *writer)
{
	int code = archive_errno(writer->archive);

	writer->given_up = true;
	return cannot_write(writer->part ? writer->part : writer->file, code > 0 ? code : EIO);
}

/* libarchive's own would try again for ever where a signal asks to stop. */
static la_ssize_t write_block(struct archive *archive, void *context, const void *block,
			      size_t bytes)
{
	struct mtree_writer *writer = context;
	ssize_t written = writer->given_up ? -1 : write(writer->fd, block, bytes);

	if (written >= 0)
		return written;
	if (!writer->given_up)
		archive_set_error(archive, errno, "%s", strerror(errno));
	return ARCHIVE_FATAL;
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
		status = archive_write_open(writer->archive, writer, NULL, write_block, NULL);
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

bool mtree_is_stdout(const char *file)
{
	struct stat named, standard;

	return !strcmp(file, "-") ||
	       (!stat(file, &named) && !fstat(STDOUT_FILENO, &standard) &&
		named.st_dev == standard.st_dev && named.st_ino == standard.st_ino);
}

/* Where symlinks lead, also to what is not there yet: they stay, and the file is made there. */
static char *follow(const char *file)
{
	char *path = strdup(file);

	for (unsigned links = 0; path && links < LINKS_LIMIT; links++) {
		char text[PATH_MAX], *next = NULL, *slash;
		ssize_t bytes = readlink(path, text, sizeof(text) - 1);

		if (bytes < 0)
			return path;
		text[bytes] = '\0';
		slash = *text == '/' ? NULL : strrchr(path, '/');
		if (asprintf(&next, "%.*s%s", slash ? (int)(slash - path) + 1 : 0, path, text) < 0)
			next = NULL;
		free(path);
		path = next;
	}
	return path;
}

static int open_stream(struct mtree_writer *writer, const char *file)
{
	writer->file = strdup(file);
	writer->fd = mtree_is_stdout(file) ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
					   : open(file, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return writer->fd < 0 ? cannot_write(file, errno) : 0;
}

static int open_part(struct mtree_writer *writer, const char *file)
{
	char shown[SENTENCE_NAME_BYTES];
	_cleanup_free_ char *part = NULL;
	int code;

	writer->file = follow(file);
	if (!writer->file || asprintf(&part, "%s.part", writer->file) < 0) {
		part = NULL;
		return error_set(-ENOMEM, "out of memory for writing a manifest");
	}
	writer->fd = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (writer->fd >= 0) {
		writer->part = take_pointer(part);
		return 0;
	}
	code = errno;
	if (code == EEXIST)
		return error_set(-EEXIST,
				 "%s is there already: another program writes it, or was killed "
				 "then; remove it",
				 escape_for_sentence(shown, part));
	return cannot_write(part, code);
}

static int open_output(struct mtree_writer *writer, const char *file)
{
	struct stat status;

	if (mtree_is_stdout(file))
		return open_stream(writer, file);
	if (!stat(file, &status))
		return S_ISREG(status.st_mode) ? open_part(writer, file)
					       : open_stream(writer, file);
	return errno == ENOENT ? open_part(writer, file) : cannot_write(file, errno);
}

struct mtree_writer *mtree_writer_open(const char *file)
{
	struct mtree_writer *writer = calloc(1, sizeof(*writer));

	if (!writer) {
		error_set(-ENOMEM, "out of memory for writing a manifest");
		return NULL;
	}
	writer->fd = -1;
	writer->archive = archive_write_new();
	if (!writer->archive)
		error_set(-ENOMEM, "out of memory for writing a manifest");
	else if (!open_output(writer, file) && !start(writer))
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
	if (archive_write_close(writer->archive) != ARCHIVE_OK)
		return fail(writer);
	/* Some filesystems tell only here that there was no room. */
	if (close(take_fd(&writer->fd)))
		return cannot_write(writer->part ? writer->part : writer->file, errno);
	return 0;
}

int mtree_writer_publish(struct mtree_writer *writer)
{
	char shown[SENTENCE_NAME_BYTES];
	int code;

	if (!writer->part)
		return 0;
	if (!rename(writer->part, writer->file)) {
		free(take_pointer(writer->part));
		return 0;
	}
	code = errno;
	return error_set(-code, "%s cannot be named: %s", escape_for_sentence(shown, writer->file),
			 strerror(code));
}

void mtree_writer_free(struct mtree_writer *writer)
{
	if (!writer)
		return;
	writer->given_up = true;
	archive_write_free(writer->archive);
	cleanup_close(&writer->fd);
	if (writer->part)
		unlink(writer->part);
	free(writer->part);
	free(writer->file);
	free(writer);
}
