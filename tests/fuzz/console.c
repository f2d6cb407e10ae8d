/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Logs of consoles: what is taken out of one arrives again when it is sent. */
#include "feed.h"

#include "report/wire.h"

#include <string.h>

static void put_line(void *context, const char *line)
{
	if (strlen(line) >= WIRE_LINE_BYTES)
		abort();
	fprintf(context, "%s\r\n", line);
}

static void send_again(const struct wire_found *file)
{
	struct wire_log found;
	char *log = NULL;
	size_t size;
	FILE *out = open_memstream(&log, &size);

	if (!out || wire_send(&(struct wire_file){ file->name, file->bytes, file->size }, 1, put_line, out) ||
	    fclose(out) || wire_receive(&found, log, size))
		abort();
	if (found.count != 1 || found.damaged_lines || found.files[0].size != file->size ||
	    memcmp(found.files[0].bytes, file->bytes, file->size))
		abort();
	wire_log_free(&found);
	free(log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_log found;

	(void)feed;
	if (wire_receive(&found, (const char *)data, size))
		abort();
	for (size_t i = 0; i < found.count; i++) {
		const struct wire_found *file = &found.files[i];

		if (!file->bytes == !*file->problem)
			abort();
		if (file->bytes && file->size < 1 << 20)
			send_again(file);
	}
	wire_log_free(&found);
	return 0;
}
