/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/source.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"
#include "workload/stone.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* --- libarchive reads from the input --- */

static int fail(struct archive *archive, const struct input *input)
{
	archive_set_error(archive, -input_error(input), "%s", error_text());
	return ARCHIVE_FATAL;
}

static la_ssize_t read_input(struct archive *archive, void *context, const void **block)
{
	size_t bytes;

	if (input_block(context, block, &bytes))
		return fail(archive, context);
	return (la_ssize_t)bytes;
}

static la_int64_t skip_input(struct archive *archive, void *context, la_int64_t bytes)
{
	uint64_t from = input_offset(context), size = input_size(context);
	uint64_t to = from + (uint64_t)bytes;

	/* What cannot be skipped is read; nor is the end of the file passed over, for it is to be
	 * noticed. */
	if (!input_can_seek(context) || bytes <= 0 || to > size)
		return 0;
	return input_seek(context, to) ? fail(archive, context) : bytes;
}

static la_int64_t seek_input(struct archive *archive, void *context, la_int64_t offset, int whence)
{
	uint64_t from = whence == SEEK_SET   ? 0
			: whence == SEEK_CUR ? input_offset(context)
					     : input_size(context);
	int64_t to;

	if (!input_can_seek(context) || __builtin_add_overflow((int64_t)from, offset, &to) ||
	    to < 0 || (uint64_t)to > input_size(context))
		return ARCHIVE_FAILED;
	return input_seek(context, (uint64_t)to) ? fail(archive, context) : to;
}

void source_support_filters(struct archive *archive)
{
	archive_read_support_filter_zstd(archive);
	archive_read_support_filter_xz(archive);
	archive_read_support_filter_lzma(archive);
	archive_read_support_filter_lzip(archive);
	archive_read_support_filter_gzip(archive);
	archive_read_support_filter_compress(archive);
}

int source_check_compression(const void *bytes, size_t count)
{
	/* more: what follows the byte after magic, so that no name at the beginning of a tarball is
	 * meant. */
	static const struct {
		const char *name, *magic, *more;
	} unknown[] = {
		{ "bzip2", "BZh", "1AY&SY" },
		{ "lz4", "\x04\x22\x4d\x18", "" },
		{ "lz4", "\x02\x21\x4c\x18", "" }, /* as old programs wrote it */
		{ "lzop", "\x89LZO", "" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(unknown); i++) {
		size_t length = strlen(unknown[i].magic), more = strlen(unknown[i].more);

		if (count > length + more && !memcmp(bytes, unknown[i].magic, length) &&
		    !memcmp((const char *)bytes + length + 1, unknown[i].more, more))
			return error_set(-EINVAL,
					 "it is compressed by %s, which this program cannot undo; "
					 "compress it by zstd, xz or gzip instead",
					 unknown[i].name);
	}
	return 0;
}

/* Why the last call failed, in words that are safe to print. */
static const char *source_reason(char shown[SENTENCE_NAME_BYTES], struct archive *archive)
{
	const char *reason = archive_error_string(archive);

	return escape_for_sentence(shown, reason ? reason : "no reason given");
}

int source_failed(const struct source *source, struct archive *archive)
{
	char shown[SENTENCE_NAME_BYTES];

	if (input_error(source->input))
		return input_error(source->input);
	return error_set(-EINVAL,
			 "the file is damaged or cut off (%s, near byte %" PRIu64
			 "); copy or make it again",
			 source_reason(shown, archive), input_offset(source->input));
}

/* --- kinds --- */

static int open_archive(struct source *source)
{
	struct archive *archive = source->archive = archive_read_new();

	if (!archive)
		return error_set(-ENOMEM, "out of memory for a reader");
	source_support_filters(archive);
	archive_read_support_filter_rpm(archive);
	archive_read_support_format_tar(archive);
	archive_read_support_format_ar(archive);
	archive_read_support_format_cpio(archive);
	archive_read_support_format_zip(archive);
	archive_read_support_format_raw(archive);
	archive_read_support_format_empty(archive);
	archive_read_set_callback_data(archive, source->input);
	archive_read_set_read_callback(archive, read_input);
	archive_read_set_skip_callback(archive, skip_input);
	if (input_can_seek(source->input))
		archive_read_set_seek_callback(archive, seek_input);
	return archive_read_open1(archive) == ARCHIVE_OK ? 0 : source_failed(source, archive);
}

static enum source_kind kind_of(struct archive *archive)
{
	switch (archive_format(archive) & ARCHIVE_FORMAT_BASE_MASK) {
	case ARCHIVE_FORMAT_RAW:
		return SOURCE_MANIFEST;
	case ARCHIVE_FORMAT_AR:
		return SOURCE_DEBIAN;
	case ARCHIVE_FORMAT_EMPTY:
		return SOURCE_EMPTY;
	default:
		return SOURCE_ARCHIVE;
	}
}

/* The files of an .rpm are a cpio archive; what would pass for text there cannot be read. */
static int check_raw(const struct source *source)
{
	struct archive *archive = source->archive;
	const void *block;
	size_t bytes;
	la_int64_t offset;
	int error = 0;

	for (int i = 0; i < archive_filter_count(archive); i++) {
		if (archive_filter_code(archive, i) != ARCHIVE_FILTER_RPM)
			continue;
		if (archive_read_data_block(archive, &block, &bytes, &offset) == ARCHIVE_OK)
			error = source_check_compression(block, bytes);
		return error ? error
			     : error_set(-EINVAL, "it is an .rpm whose files cannot be read; fetch "
						  "it again");
	}
	return 0;
}

static int find_kind(struct source *source)
{
	unsigned char magic[COMPRESSION_MAGIC_BYTES];
	int status = input_peek(source->input, magic, sizeof(magic)), error;

	if (status < 0)
		return status;
	error = source_check_compression(magic, (size_t)status);
	if (error)
		return error;
	if (stone_begins(magic, (size_t)status)) {
		source->kind = SOURCE_STONE;
		return 0;
	}
	status = open_archive(source);
	if (status)
		return status;
	status = archive_read_next_header(source->archive, &source->header);
	if (status == ARCHIVE_EOF)
		source->header = NULL;
	/* A warning is about a name that is no UTF-8 or the like; what was read is whole. */
	else if (status < ARCHIVE_WARN)
		return source_failed(source, source->archive);
	source->kind = kind_of(source->archive);
	return source->kind == SOURCE_MANIFEST ? check_raw(source) : 0;
}

int source_open(struct source *source, const char *file, const char *phase,
		const struct progress *progress)
{
	int error;

	*source = (struct source){ 0 };
	error = input_open(&source->input, file, phase, progress);
	if (!error)
		error = find_kind(source);
	if (error)
		source_close(source);
	return error;
}

void source_close(struct source *source)
{
	archive_read_free(source->archive);
	input_close(source->input);
	*source = (struct source){ 0 };
}
