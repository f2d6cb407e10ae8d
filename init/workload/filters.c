/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/filters.h"

#include <archive.h>

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

const char *filters_reason(char shown[SENTENCE_NAME_BYTES], struct archive *archive)
{
	const char *reason = archive_error_string(archive);

	return escape_for_sentence(shown, reason ? reason : "no reason given");
}
