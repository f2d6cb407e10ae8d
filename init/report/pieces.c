/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/pieces.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "lib/cleanup.h"
#include "report/fields.h"

struct pieces pieces_begin(void)
{
	return (struct pieces){ 0 };
}

void pieces_end(struct pieces *pieces)
{
	if (pieces->out)
		fclose(pieces->out);
	free(pieces->words);
}

void add_words(struct pieces *pieces, const char *format, ...)
{
	va_list arguments;

	if (!pieces->out)
		pieces->out = open_memstream(&pieces->words, &pieces->size);
	else
		fputs(", ", pieces->out);
	if (!pieces->out)
		return;
	va_start(arguments, format);
	vfprintf(pieces->out, format, arguments);
	va_end(arguments);
}

void add_piece(struct pieces *pieces, const char *before, const json_t *object, const char *path,
	       const char *behind)
{
	_cleanup_free_ char *words = field_words(object, path);

	if (words)
		add_words(pieces, "%s%s%s", before, words, behind);
}

void add_count(struct pieces *pieces, const json_t *object, const char *path, const char *noun)
{
	const json_t *count = field(object, path);

	if (json_is_integer(count))
		add_words(pieces, "%lld %s%s", (long long)json_integer_value(count), noun,
			  json_integer_value(count) == 1 ? "" : "s");
}

void add_size(struct pieces *pieces, const char *before, const json_t *object, const char *path,
	      const char *behind)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double bytes = field_number(object, path);
	size_t unit = 0;

	if (!isfinite(bytes))
		return;
	for (; fabs(bytes) >= 1024 && unit + 1 < ARRAY_LENGTH(units); unit++)
		bytes /= 1024;
	add_words(pieces, "%s%.*f %s%s", before, unit ? 1 : 0, bytes, units[unit], behind);
}

const char *pieces_words(struct pieces *pieces)
{
	if (!pieces->out)
		return "";
	fflush(pieces->out);
	return pieces->words;
}
