/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/escape.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static size_t put_octal(char *out, unsigned char byte)
{
	out[0] = '\\';
	out[1] = (char)('0' + (byte >> 6));
	out[2] = (char)('0' + (byte >> 3 & 7));
	out[3] = (char)('0' + (byte & 7));
	return 4;
}

static bool printable(unsigned char byte)
{
	return byte > ' ' && byte < 0x7f && byte != '\\';
}

size_t escape_name(char *buffer, const char *name)
{
	char *out = buffer;

	for (; *name; name++) {
		unsigned char byte = (unsigned char)*name;

		if (printable(byte) && byte != '#' && byte != '=')
			*out++ = *name;
		else
			out += put_octal(out, byte);
	}
	*out = '\0';
	return (size_t)(out - buffer);
}

static const char cut[] = "...";

/* Returns the end; *rest is then what did not fit. */
static char *put_text(char *out, const char *end, const char **rest)
{
	const char *name = *rest;

	for (; *name && out < end; name++) {
		unsigned char byte = (unsigned char)*name;

		if (printable(byte) || byte == ' ')
			*out++ = *name;
		else
			out += put_octal(out, byte);
	}
	*out = '\0';
	*rest = name;
	return out;
}

const char *escape_for_sentence(char buffer[SENTENCE_NAME_BYTES], const char *name)
{
	char *end = put_text(buffer, buffer + SENTENCE_NAME_BYTES - 4 - sizeof(cut), &name);

	if (*name)
		memcpy(end, cut, sizeof(cut));
	return buffer;
}

const char *escape_path(char buffer[TOLD_PATH_BYTES], const char *path)
{
	enum { HEAD_BYTES = TOLD_PATH_BYTES / 3, TAIL_BYTES = TOLD_PATH_BYTES - HEAD_BYTES - 4 };
	char whole[ESCAPED_BYTES(PATH_MAX)];
	size_t bytes = (size_t)(put_text(whole, whole + sizeof(whole) - 4, &path) - whole);

	if (bytes < TOLD_PATH_BYTES)
		memcpy(buffer, whole, bytes + 1);
	else
		snprintf(buffer, TOLD_PATH_BYTES, "%.*s%s%s", HEAD_BYTES, whole, cut,
			 whole + bytes - TAIL_BYTES);
	return buffer;
}
