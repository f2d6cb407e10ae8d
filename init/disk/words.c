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

/* A character of UTF-8 and its bytes; one byte that begins none is U+FFFD. */
static unsigned decode(const unsigned char *at, unsigned *bytes)
{
	unsigned more = *at < 0xc2 ? 0 : *at < 0xe0 ? 1 : *at < 0xf0 ? 2 : *at < 0xf5 ? 3 : 0;
	unsigned point = *at & 0x3fu >> more;

	*bytes = 1;
	if (*at < 0x80)
		return *at;
	for (unsigned i = 1; i <= more; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0xfffd;
		point = point << 6 | (at[i] & 0x3f);
	}
	*bytes += more;
	return more ? point : 0xfffd;
}

/* C0, DEL and C1, which terminals obey; marks that are not seen or that turn around what stands after
 * them (UAX #9); and bytes that are no text, which old terminals take for C1. */
static bool steers(unsigned point)
{
	return point < 0x20 || (point >= 0x7f && point < 0xa0) || point == 0xad || point == 0x61c ||
	       (point >= 0x200b && point <= 0x200f) || (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2060 && point <= 0x206f) || point == 0xfeff || point == 0xfffd;
}

static void disarm(char *text)
{
	unsigned bytes;

	for (unsigned char *at = (unsigned char *)text; *at; at += bytes)
		if (steers(decode(at, &bytes)))
			memset(at, '?', bytes);
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
