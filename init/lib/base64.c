/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/base64.h"

#include <errno.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(char *letters, const uint8_t *bytes, size_t size)
{
	size_t count = BASE64_LETTERS(size);
	uint32_t bits = 0;
	int held = 0;

	for (size_t i = 0; i < count; i++) {
		if (held < 6) {
			bits = bits << 8 | (size ? *bytes++ : 0);
			size -= size > 0;
			held += 8;
		}
		held -= 6;
		letters[i] = alphabet[bits >> held & 63];
	}
	letters[count] = '\0';
}

int base64_decode(uint8_t *bytes, const char *letters, size_t count)
{
	uint8_t *start = bytes;
	uint32_t bits = 0;
	int held = 0;

	if (count % 4 == 1)
		return -EINVAL;
	for (size_t i = 0; i < count; i++) {
		const char *letter = letters[i] ? strchr(alphabet, letters[i]) : NULL;

		if (!letter)
			return -EINVAL;
		bits = bits << 6 | (uint32_t)(letter - alphabet);
		held += 6;
		if (held >= 8) {
			held -= 8;
			*bytes++ = (uint8_t)(bits >> held);
		}
	}
	/* Bits that no byte needs are zero, or something else was meant. */
	return bits & ((1U << held) - 1) ? -EINVAL : (int)(bytes - start);
}
