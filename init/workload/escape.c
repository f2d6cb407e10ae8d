/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/escape.h"

#include <stdbool.h>
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

const char *escape_for_sentence(char buffer[SENTENCE_NAME_BYTES], const char *name)
{
	static const char cut[] = "...";
	char *out = buffer, *end = buffer + SENTENCE_NAME_BYTES - 4 - sizeof(cut);

	for (; *name && out < end; name++) {
		unsigned char byte = (unsigned char)*name;

		if (printable(byte) || byte == ' ')
			*out++ = *name;
		else
			out += put_octal(out, byte);
	}
	*out = '\0';
	if (*name)
		memcpy(out, cut, sizeof(cut));
	return buffer;
}
