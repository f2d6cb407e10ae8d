/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/mtree.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/mtree_line.h"
#include "workload/source.h"

#include <archive.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* A path and a link text with every byte escaped, and room for digests that other tools write. */
enum { LINE_LIMIT_BYTES = 64 << 10 };

/* No workload has so much text; a small compressed file that claims to must end somewhere. */
#define TEXT_LIMIT_BYTES (UINT64_C(1) << 30)

struct reader {
	const struct source *source;
	const char *block; /* libarchive's, what was not read of it yet */
	size_t block_bytes;
	uint64_t text_bytes, line_number, entries, special;
	size_t line_bytes;
	char line[LINE_LIMIT_BYTES];
	char directory[PATH_LIMIT_BYTES + 1];                 /* entered by name; "" at the top */
	char joined[PATH_LIMIT_BYTES + 1 + LINE_LIMIT_BYTES]; /* a path made of it */
	struct mtree_keywords defaults;                       /* of /set */
};

/* --- text --- */

/* 1 with another block, 0 at the end. */
static int next_block(struct reader *reader)
{
	struct archive *archive = reader->source->archive;
	const void *block;
	la_int64_t offset;
	int status;

	do {
		status = archive_read_data_block(archive, &block, &reader->block_bytes, &offset);
		if (status == ARCHIVE_EOF)
			return 0;
		if (status != ARCHIVE_OK)
			return source_failed(reader->source, archive);
	} while (!reader->block_bytes);
	reader->block = block;
	reader->text_bytes += reader->block_bytes;
	if (reader->text_bytes > TEXT_LIMIT_BYTES)
		return error_set(-EINVAL,
				 "there are over %" PRIu64 " bytes of text; this is no workload",
				 TEXT_LIMIT_BYTES);
	return 1;
}

static int append_text(struct reader *reader, const char *text, size_t bytes)
{
	if (memchr(text, '\0', bytes))
		return error_set(-EINVAL, "there is a NUL byte; this is no mtree manifest");
	if (reader->line_bytes + bytes >= LINE_LIMIT_BYTES)
		return error_set(-EINVAL, "the line has over %d bytes; this is no mtree manifest",
				 LINE_LIMIT_BYTES - 1);
	memcpy(reader->line + reader->line_bytes, text, bytes);
	reader->line_bytes += bytes;
	return 0;
}

/* Appends one line of the file to reader->line, without its end. 1, or 0 at the end of the file. */
static int read_line(struct reader *reader)
{
	size_t before = reader->line_bytes;

	reader->line_number++;
	for (;;) {
		const char *end = reader->block_bytes
					  ? memchr(reader->block, '\n', reader->block_bytes)
					  : NULL;
		size_t bytes = end ? (size_t)(end - reader->block) : reader->block_bytes;
		int status = bytes ? append_text(reader, reader->block, bytes) : 0;

		if (status)
			return status;
		if (end) {
			reader->block += bytes + 1;
			reader->block_bytes -= bytes + 1;
			return 1;
		}
		reader->block_bytes = 0;
		status = next_block(reader);
		if (status < 0)
			return status;
		if (status)
			continue;
		if (reader->line_bytes > before)
			return error_set(
				-EINVAL,
				"the last line has no end, so the file seems to be cut off; copy "
				"or make "
				"it again");
		return 0;
	}
}

/* An odd number of backslashes at the end of a line that is no comment: the next line belongs to
 * it. */
static bool continues(const struct reader *reader)
{
	size_t backslashes = 0, start = 0;

	while (start < reader->line_bytes && mtree_is_space(reader->line[start]))
		start++;
	if (start < reader->line_bytes && reader->line[start] == '#')
		return false;
	while (backslashes < reader->line_bytes &&
	       reader->line[reader->line_bytes - 1 - backslashes] == '\\')
		backslashes++;
	return backslashes % 2;
}

/* The next line with those that continue it, NUL-terminated. 1, or 0 at the end of the file. */
static int read_joined_line(struct reader *reader)
{
	int status;

	reader->line_bytes = 0;
	for (;;) {
		status = read_line(reader);
		if (status < 0)
			return status;
		if (!status)
			break;
		if (!continues(reader)) {
			reader->line[reader->line_bytes] = '\0';
			return 1;
		}
		reader->line_bytes--;
	}
	if (reader->line_bytes)
		return error_set(
			-EINVAL,
			"the last line is continued, but nothing follows; copy or make the file "
			"again");
	return 0;
}

/* --- lines --- */

static void leave_directory(struct reader *reader)
{
	char *slash = strrchr(reader->directory, '/');

	/* The ".." that closes the top, as in "." ... "..", has nothing to leave. */
	*(slash ? slash : reader->directory) = '\0';
}

static int take_line(struct reader *reader, char *name, char *rest, take_entry *take, void *context)
{
	struct mtree_keywords keywords = reader->defaults;
	struct listed_entry entry;
	bool relative = !strchr(name, '/');
	char shown[SENTENCE_NAME_BYTES];
	int error;

	/* A path has its slash in plain sight; without one it is a name in the directory that was
	 * entered. */
	error = mtree_unescape(name);
	if (error)
		return error;
	if (relative && strcmp(name, ".")) {
		snprintf(reader->joined, sizeof(reader->joined), "%s%s%s", reader->directory,
			 *reader->directory ? "/" : "", name);
		name = reader->joined;
	}
	error = mtree_keywords_parse(&keywords, rest);
	if (!error && keywords.special) {
		reader->special++;
		return 0;
	}
	if (!error)
		error = mtree_keywords_entry(&keywords, name, &entry);
	if (!error)
		error = take(context, &entry);
	if (error)
		return error_prefix(error, "\"%s\"", escape_for_sentence(shown, name));
	if (name == reader->joined && entry.type == ENTRY_DIRECTORY)
		memcpy(reader->directory, name, strlen(name) + 1);
	reader->entries++;
	return 0;
}

static int handle_line(struct reader *reader, take_entry *take, void *context)
{
	char *rest = reader->line, *word = mtree_next_word(&rest);
	char shown[SENTENCE_NAME_BYTES];

	if (!word || *word == '#')
		return 0;
	if (!strcmp(word, "..")) {
		leave_directory(reader);
		return 0;
	}
	if (!strcmp(word, "/set"))
		return mtree_keywords_set(&reader->defaults, rest);
	if (!strcmp(word, "/unset")) {
		mtree_keywords_unset(&reader->defaults, rest);
		return 0;
	}
	if (*word == '/')
		return error_set(-EINVAL, "\"%s\": the path is absolute; write paths as ./usr/...",
				 escape_for_sentence(shown, word));
	return take_line(reader, word, rest, take, context);
}

static int read_lines(struct reader *reader, take_entry *take, void *context)
{
	for (;;) {
		int status = read_joined_line(reader);

		if (!status)
			return 0;
		if (status > 0)
			status = handle_line(reader, take, context);
		if (status)
			return error_prefix(status, "line %" PRIu64, reader->line_number);
	}
}

/* --- files --- */

int mtree_read_source(const struct source *source, take_entry *take, void *context,
		      uint64_t *special)
{
	_cleanup_free_ struct reader *reader = calloc(1, sizeof(*reader));
	int error;

	if (!reader)
		return error_set(-ENOMEM, "out of memory for a reader");
	if (source->kind == SOURCE_EMPTY)
		return error_set(-EINVAL, "the file is empty; copy or make it again");
	if (source->kind != SOURCE_MANIFEST)
		return error_set(-EINVAL, "it is an archive, and no manifest; make one of it with "
					  "\"blitbench workload import\"");
	reader->source = source;
	error = read_lines(reader, take, context);
	*special += reader->special;
	if (!error && !reader->entries)
		return error_set(
			-EINVAL,
			"it lists no entries; give an mtree manifest with paths as ./usr/...");
	return error;
}

int mtree_read(const char *file, take_entry *take, void *context, uint64_t *special,
	       const struct progress *progress)
{
	char shown[SENTENCE_NAME_BYTES];
	struct source source;
	int error = source_open(&source, file, "read the workload", progress);

	if (!error) {
		error = mtree_read_source(&source, take, context, special);
		source_close(&source);
	}
	return error ? error_prefix(error, "%s", escape_for_sentence(shown, file)) : 0;
}
