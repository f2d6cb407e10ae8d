/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/values.h"

#include "lib/cleanup.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Length of the well-formed sequence at text, 0 where there is none (Unicode 15, table 3-7). */
static size_t sequence_length(const unsigned char *text)
{
	static const struct {
		unsigned char first_low, first_high, second_low, second_high;
		size_t length;
	} table[] = {
		{ 0x01, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 },
		{ 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
		{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
		{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 },
		{ 0xf4, 0xf4, 0x80, 0x8f, 4 },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(table); i++) {
		if (text[0] < table[i].first_low || text[0] > table[i].first_high)
			continue;
		if (table[i].length > 1 &&
		    (text[1] < table[i].second_low || text[1] > table[i].second_high))
			return 0;
		for (size_t k = 2; k < table[i].length; k++)
			if (text[k] < 0x80 || text[k] > 0xbf)
				return 0;
		return table[i].length;
	}
	return 0;
}

json_t *json_text(const char *bytes)
{
	static const char replacement[] = "\xef\xbf\xbd";

	if (!bytes)
		return json_null();
	_cleanup_free_ char *legal = malloc(strlen(bytes) * 3 + 1);
	if (!legal)
		return NULL;
	char *end = legal;
	for (const unsigned char *at = (const unsigned char *)bytes; *at;) {
		size_t length = sequence_length(at);

		if (length) {
			memcpy(end, at, length);
			at += length;
			end += length;
		} else {
			memcpy(end, replacement, 3);
			at++;
			end += 3;
		}
	}
	*end = '\0';
	return json_string(legal);
}

json_t *json_measured(double value)
{
	return fabs(value) <= JSON_REAL_MAX ? json_real(value) : json_null();
}

bool json_is_tame(const json_t *value, unsigned depth)
{
	const json_t *inner;
	const char *key;
	size_t index;

	if (!depth)
		return false;
	json_array_foreach(value, index, inner)
		if (!json_is_tame(inner, depth - 1))
			return false;
	json_object_foreach((json_t *)value, key, inner)
		if (!json_is_tame(inner, depth - 1))
			return false;
	return !json_is_real(value) || fabs(json_real_value(value)) <= JSON_REAL_MAX;
}
