/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/words.h"

#include "lib/cleanup.h"

#include <stdarg.h>
#include <string.h>

struct words words_start(char *text, size_t size)
{
	text[0] = '\0';
	return (struct words){ .text = text, .size = size };
}

/* C0, DEL, and C1 in its UTF-8 form, which some terminals obey too. */
static void disarm(char *text)
{
	for (unsigned char *at = (unsigned char *)text; *at; at++) {
		bool c1 = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0;

		if (*at < 0x20 || *at == 0x7f || c1)
			*at = '?';
		if (c1)
			*++at = '?';
	}
}

void words_add(struct words *words, const char *format, ...)
{
	size_t room = words->size - words->used;
	va_list arguments;

	if (words->full)
		return;
	va_start(arguments, format);
	int length = vsnprintf(words->text + words->used, room, format, arguments);
	va_end(arguments);
	disarm(words->text + words->used);
	if (length >= 0 && (size_t)length < room) {
		words->used += (size_t)length;
		return;
	}
	words->full = true;
	words->used = words->size - 1;
	size_t cut = words->size > 4 ? words->size - 4 : 0;
	while (cut && ((unsigned char)words->text[cut] & 0xc0) == 0x80)
		cut--; /* not into the middle of a character */
	snprintf(words->text + cut, words->size - cut, "...");
}

static struct size_words scaled(uint64_t bytes, double step, const char *const units[4])
{
	struct size_words words;
	double value = (double)bytes / step / step;
	size_t unit = 0;

	while (value >= step && unit < 3) {
		value /= step;
		unit++;
	}
	snprintf(words.text, sizeof(words.text), "%.1f %s", value, units[unit]);
	return words;
}

struct size_words size_decimal(uint64_t bytes)
{
	return scaled(bytes, 1000, (const char *const[]){ "MB", "GB", "TB", "PB" });
}

struct size_words size_binary(uint64_t bytes)
{
	return scaled(bytes, 1024, (const char *const[]){ "MiB", "GiB", "TiB", "PiB" });
}
