/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/wire.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "lib/base64.h"
#include "lib/cleanup.h"
#include "lib/error.h"

/* A report of hundreds of kilobytes in a moment also where the processor is emulated. */
enum { LEVEL = 9 };

/* A file, ready to be sent. */
struct packed {
	const struct wire_file *file;
	uint8_t *bytes;
	size_t size;
	XXH64_hash_t digest;
};

static int pack(struct packed *packed, const struct wire_file *file)
{
	size_t room = ZSTD_compressBound(file->size);

	if (file->size > WIRE_FILE_BYTES_MAX)
		return error_set(-EFBIG, "%s is too large for a console (over %d MiB)", file->name,
				 WIRE_FILE_BYTES_MAX >> 20);
	*packed = (struct packed){ .file = file, .bytes = malloc(room) };
	if (!packed->bytes)
		return error_set(-ENOMEM, "%s: out of memory", file->name);
	packed->size = ZSTD_compress(packed->bytes, room, file->bytes, file->size, LEVEL);
	if (ZSTD_isError(packed->size))
		return error_set(-ENOMEM, "%s cannot be compressed: %s", file->name,
				 ZSTD_getErrorName(packed->size));
	if (packed->size > (size_t)WIRE_LINES_MAX * WIRE_BYTES)
		return error_set(-EFBIG, "%s is too large for a console (over %d lines)", file->name,
				 WIRE_LINES_MAX);
	packed->digest = XXH3_64bits(file->bytes, file->size);
	return 0;
}

struct sender {
	wire_line *line;
	void *context;
};

static void send_line(const struct sender *sender, const struct packed *packed, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts prefix, tag and check around the words. */
static void send_line(const struct sender *sender, const struct packed *packed, const char *format, ...)
{
	static const size_t prefix = sizeof(WIRE_PREFIX) - 1;
	char line[WIRE_LINE_BYTES + 32]; /* more than any line needs */
	va_list arguments;
	size_t used = (size_t)snprintf(line, sizeof(line), WIRE_PREFIX "%06x:",
				       (unsigned)(packed->digest & 0xffffff));

	va_start(arguments, format);
	used += (size_t)vsnprintf(line + used, sizeof(line) - used, format, arguments);
	va_end(arguments);
	snprintf(line + used, sizeof(line) - used, ":%08x",
		 (unsigned)XXH32(line + prefix, used - prefix, 0));
	sender->line(sender->context, line);
}

static void send_packed(const struct sender *sender, const struct packed *packed, unsigned copy)
{
	char letters[WIRE_LETTERS + 1];

	send_line(sender, packed, "begin:%s:zstd:%zu:%zu:%016llx", packed->file->name,
		  packed->file->size, packed->size, (unsigned long long)packed->digest);
	for (size_t at = 0, number = 1; at < packed->size; at += WIRE_BYTES, number++) {
		size_t size = packed->size - at < WIRE_BYTES ? packed->size - at : WIRE_BYTES;

		base64_encode(letters, packed->bytes + at, size);
		send_line(sender, packed, "%05zu:%s", number, letters);
	}
	send_line(sender, packed, "end:%u/%d", copy, WIRE_COPIES);
}

int wire_send(const struct wire_file *files, size_t count, wire_line *line, void *context)
{
	const struct sender sender = { .line = line, .context = context };
	struct packed *packed = calloc(count + 1, sizeof(*packed));
	int error = packed ? 0 : error_set(-ENOMEM, "out of memory");

	for (size_t i = 0; i < count && !error; i++)
		error = pack(&packed[i], &files[i]);
	for (unsigned copy = 1; copy <= WIRE_COPIES && !error; copy++)
		for (size_t i = 0; i < count; i++)
			send_packed(&sender, &packed[i], copy);
	for (size_t i = 0; packed && i < count; i++)
		free(packed[i].bytes);
	free(packed);
	return error;
}
