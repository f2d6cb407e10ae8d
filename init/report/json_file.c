/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON as files and terminals get it: laid out as jansson does with two blanks a level, but with every
 * control character escaped, where jansson leaves DEL and those of C1 as they are; and a report of
 * thousands of trials in half the time, since nothing here looks for circles.
 */
#include "report/json_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json.h"

enum { INDENT = 2, ESCAPE_BYTES = 6 };

struct text {
	char *bytes;
	size_t used, room;
};

/* json_dumps would hold a long report three times while it grows. */
static bool reserve(struct text *text, size_t size)
{
	size_t room = text->room + text->room / 2 + size + 4096;
	char *bytes;

	if (text->used + size <= text->room)
		return true;
	bytes = realloc(text->bytes, room);
	if (!bytes)
		return false;
	text->bytes = bytes;
	text->room = room;
	return true;
}

static bool put(struct text *text, const char *bytes, size_t size)
{
	if (!reserve(text, size))
		return false;
	memcpy(text->bytes + text->used, bytes, size);
	text->used += size;
	return true;
}

/* The end of what was written to it, and how far that came. */
static char *put_escape(char *end, unsigned code_point)
{
	static const char letters[] = { ['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n',
					['\f'] = 'f', ['\r'] = 'r', ['"'] = '"', ['\\'] = '\\' };

	if (code_point < sizeof(letters) && letters[code_point]) {
		*end++ = '\\';
		*end++ = letters[code_point];
		return end;
	}
	return end + sprintf(end, "\\u%04X", code_point);
}

static bool put_string(struct text *text, const char *string, size_t length)
{
	const unsigned char *at = (const unsigned char *)string, *stop = at + length;
	char *end;

	/* And a NUL of sprintf's. */
	if (!reserve(text, length * ESCAPE_BYTES + sizeof("\"\"")))
		return false;
	end = text->bytes + text->used;
	*end++ = '"';
	for (; at < stop; at++) {
		if (*at < ' ' || *at == '"' || *at == '\\' || *at == 0x7f)
			end = put_escape(end, *at);
		else if (*at == 0xc2 && at + 1 < stop && at[1] < 0xa0)
			end = put_escape(end, *++at);
		else
			*end++ = (char)*at;
	}
	*end++ = '"';
	text->used = (size_t)(end - text->bytes);
	return true;
}

/* A point or an exponent tells it from an integer. */
static bool put_real(struct text *text, double value)
{
	char digits[40], *exponent;

	snprintf(digits, sizeof(digits), "%.*g", JSON_DIGITS, value);
	exponent = strchr(digits, 'e');
	if (exponent)
		sprintf(exponent, "e%ld", strtol(exponent + 1, NULL, 10));
	else if (!strchr(digits, '.'))
		strcat(digits, ".0");
	return put(text, digits, strlen(digits));
}

static bool put_integer(struct text *text, json_int_t value)
{
	char digits[24];

	return put(text, digits,
		   (size_t)snprintf(digits, sizeof(digits), "%" JSON_INTEGER_FORMAT, value));
}

static bool put_line_end(struct text *text, size_t depth)
{
	size_t size = 1 + depth * INDENT;

	if (!reserve(text, size))
		return false;
	memset(text->bytes + text->used, ' ', size);
	text->bytes[text->used] = '\n';
	text->used += size;
	return true;
}

/* What stands before an element: behind the first a comma ends the line. */
static bool put_gap(struct text *text, bool first, size_t depth)
{
	return (first || put(text, ",", 1)) && put_line_end(text, depth);
}

static bool put_value(struct text *text, const json_t *value, size_t depth);

static bool put_array(struct text *text, const json_t *array, size_t depth)
{
	const json_t *element;
	size_t index;

	if (!json_array_size(array))
		return put(text, "[]", 2);
	if (!put(text, "[", 1))
		return false;
	json_array_foreach(array, index, element)
		if (!put_gap(text, !index, depth + 1) || !put_value(text, element, depth + 1))
			return false;
	return put_line_end(text, depth) && put(text, "]", 1);
}

static bool put_object(struct text *text, const json_t *object, size_t depth)
{
	const json_t *element;
	const char *key;
	size_t length;
	bool first = true;

	if (!json_object_size(object))
		return put(text, "{}", 2);
	if (!put(text, "{", 1))
		return false;
	json_object_keylen_foreach((json_t *)object, key, length, element) {
		if (!put_gap(text, first, depth + 1) || !put_string(text, key, length) ||
		    !put(text, ": ", 2) || !put_value(text, element, depth + 1))
			return false;
		first = false;
	}
	return put_line_end(text, depth) && put(text, "}", 1);
}

static bool put_value(struct text *text, const json_t *value, size_t depth)
{
	switch (json_typeof(value)) {
	case JSON_OBJECT:
		return put_object(text, value, depth);
	case JSON_ARRAY:
		return put_array(text, value, depth);
	case JSON_STRING:
		return put_string(text, json_string_value(value), json_string_length(value));
	case JSON_INTEGER:
		return put_integer(text, json_integer_value(value));
	case JSON_REAL:
		return put_real(text, json_real_value(value));
	case JSON_TRUE:
		return put(text, "true", 4);
	case JSON_FALSE:
		return put(text, "false", 5);
	case JSON_NULL:
		break;
	}
	return put(text, "null", 4);
}

char *json_file_text(const json_t *value)
{
	struct text text = { 0 };

	if (put_value(&text, value, 0) && put(&text, "\n", sizeof("\n")))
		return text.bytes;
	free(text.bytes);
	return NULL;
}
