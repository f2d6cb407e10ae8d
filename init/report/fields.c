/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/fields.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/json.h"

/* Between the values of a key; no text holds it, nor any other JSON. */
enum { KEY_END = 0xff };

const json_t *field(const json_t *object, const char *path)
{
	const char *dot;

	while ((dot = strchr(path, '.'))) {
		object = json_object_getn(object, path, (size_t)(dot - path));
		path = dot + 1;
	}
	return json_object_get(object, path);
}

const char *field_text(const json_t *object, const char *path, const char *fallback)
{
	const char *text = json_string_value(field(object, path));

	return text ? text : fallback;
}

double field_number(const json_t *object, const char *path)
{
	const json_t *value = field(object, path);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

static void print_words(FILE *out, const json_t *value)
{
	_cleanup_free_ char *dumped = NULL;
	const json_t *element;
	const char *key;
	size_t index = 0;

	if (json_is_string(value)) {
		fputs(json_string_value(value), out);
		return;
	}
	if (json_is_real(value)) {
		fprintf(out, "%.3f", json_real_value(value));
		return;
	}
	if (json_is_object(value)) {
		json_object_foreach((json_t *)value, key, element) {
			fprintf(out, "%s%s: ", index++ ? "; " : "", key);
			print_words(out, element);
		}
		return;
	}
	if (!json_is_array(value)) {
		dumped = json_dumps(value, JSON_LINE_FLAGS | JSON_ENCODE_ANY);
		fputs(dumped ? dumped : "", out);
		return;
	}
	if (!json_array_size(value))
		fputs("none", out);
	json_array_foreach(value, index, element) {
		if (index)
			fputc(' ', out);
		print_words(out, element);
	}
}

char *field_words(const json_t *object, const char *path)
{
	const json_t *value = field(object, path);
	char *words = NULL;
	size_t size;
	FILE *out;

	if (!value || json_is_null(value))
		return NULL;
	out = open_memstream(&words, &size);
	if (!out)
		return NULL;
	print_words(out, value);
	fclose(out);
	return words;
}

/* What a report of an earlier version does not know yet is as good as null. */
static bool same(const json_t *left, const json_t *right)
{
	if (!left || json_is_null(left))
		return !right || json_is_null(right);
	return json_equal(left, right);
}

bool fields_equal(const json_t *left, const json_t *right, const char *const *keys)
{
	for (; *keys; keys++)
		if (!same(json_object_get(left, *keys), json_object_get(right, *keys)))
			return false;
	return true;
}

char *fields_key(const json_t *object, const char *const *keys)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	for (; *keys; keys++) {
		const json_t *value = json_object_get(object, *keys);

		if (json_is_string(value)) {
			fputc('"', out);
			fputs(json_string_value(value), out);
		} else if (value && !json_is_null(value)) {
			json_dumpf(value, out, JSON_LINE_FLAGS | JSON_ENCODE_ANY);
		}
		fputc(KEY_END, out);
	}
	fclose(out);
	return text;
}
