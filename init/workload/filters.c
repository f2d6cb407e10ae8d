/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/filters.h"

#include "lib/error.h"

#include <archive.h>
#include <errno.h>
#include <string.h>

enum { READ_BYTES = 256 << 10 };

void filters_support(struct archive *archive)
{
	archive_read_support_filter_zstd(archive);
	archive_read_support_filter_xz(archive);
	archive_read_support_filter_lzma(archive);
	archive_read_support_filter_lzip(archive);
	archive_read_support_filter_gzip(archive);
	archive_read_support_filter_bzip2(archive);
	archive_read_support_filter_lz4(archive);
	archive_read_support_filter_compress(archive);
}

int filters_open(struct archive *archive, const char *file)
{
	char shown[SENTENCE_NAME_BYTES];
	int code;

	if (archive_read_open_filename(archive, file, READ_BYTES) == ARCHIVE_OK)
		return 0;
	code = archive_errno(archive);
	/* libarchive says EILSEQ for a format that it does not know. */
	if (code > 0 && code != EILSEQ)
		return error_set(-code, "the file cannot be opened: %s", strerror(code));
	return error_set(-EINVAL, "the file is damaged or cut off (%s); copy or make it again",
			 filters_reason(shown, archive));
}

const char *filters_reason(char shown[SENTENCE_NAME_BYTES], struct archive *archive)
{
	const char *reason = archive_error_string(archive);

	return escape_for_sentence(shown, reason ? reason : "no reason given");
}
