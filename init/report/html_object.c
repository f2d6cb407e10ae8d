/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/html_object.h"

#include <string.h>

#include "lib/cleanup.h"
#include "report/html_write.h"

/* A reader gets lost below, and a journal may nest as deep as it likes. */
enum { DEPTH_MAX = 6, PATH_BYTES = 256 };

static void print_object(FILE *out, const char *path, const json_t *value, unsigned depth,
			 const char *const *without);

static bool ends_with(const char *path, const char *end)
{
	size_t length = strlen(path), end_length = strlen(end);

	return length >= end_length && !strcmp(path + length - end_length, end);
}

/* What the value's unit says need not stand in its name: of "size bytes" remains "size". */
static size_t name_length(const char *path, const json_t *value)
{
	static const char *const units[] = { " bytes", " seconds", " kilohertz", " celsius" };

	for (size_t i = 0; json_is_number(value) && i < ARRAY_LENGTH(units); i++)
		if (ends_with(path, units[i]))
			return strlen(path) - strlen(units[i]);
	return strlen(path);
}

static void print_number(FILE *out, const char *path, const json_t *value)
{
	double number = json_number_value(value);

	if (ends_with(path, "bytes"))
		html_size(out, number);
	else if (ends_with(path, "seconds"))
		html_figure(out, number, ends_with(path, "nanoseconds") ? "ns" : "s");
	else if (ends_with(path, "kilohertz"))
		html_figure(out, number / 1e6, "GHz");
	else if (ends_with(path, "celsius"))
		html_figure(out, number, "\u00b0C");
	else if (json_is_integer(value))
		fprintf(out, "%lld", (long long)json_integer_value(value));
	else
		html_figure(out, number, "");
}

static void print_value(FILE *out, const char *path, const json_t *value)
{
	if (json_is_string(value))
		html_text(out, json_string_value(value));
	else if (json_is_number(value))
		print_number(out, path, value);
	else
		fputs(json_is_true(value) ? "yes" : "no", out);
}

static bool is_plain(const json_t *value)
{
	return json_is_string(value) || json_is_number(value) || json_is_boolean(value);
}

static bool all_plain(const json_t *list)
{
	const json_t *element;
	size_t index;

	json_array_foreach(list, index, element)
		if (!is_plain(element))
			return false;
	return true;
}

static void begin_row(FILE *out, const char *path, const json_t *value)
{
	fputs("<div><dt>", out);
	html_printf(out, "%.*s", (int)name_length(path, value), path);
	fputs("</dt><dd>", out);
}

static void print_list(FILE *out, const char *path, const json_t *list, unsigned depth)
{
	const json_t *element;
	char inner[PATH_BYTES];
	size_t index;

	if (!all_plain(list)) {
		json_array_foreach(list, index, element) {
			snprintf(inner, sizeof(inner), "%s %zu", path, index + 1);
			print_object(out, inner, element, depth + 1, NULL);
		}
		return;
	}
	if (!json_array_size(list))
		return;
	begin_row(out, path, list);
	json_array_foreach(list, index, element) {
		if (index)
			fputc(' ', out);
		print_value(out, path, element);
		if (!html_room(out))
			break;
	}
	fputs("</dd></div>\n", out);
}

/* "cpu" and "cores_online" are "cpu cores online". */
static void join(char path[PATH_BYTES], const char *before, const char *key)
{
	snprintf(path, PATH_BYTES, "%s%s%.80s", before, *before ? " " : "", key);
	for (char *at = path + strlen(before); *at; at++)
		if (*at == '_')
			*at = ' ';
}

static bool left_out(const char *key, const char *const *without)
{
	for (; without && *without; without++)
		if (!strcmp(key, *without))
			return true;
	return false;
}

static void print_object(FILE *out, const char *path, const json_t *value, unsigned depth,
			 const char *const *without)
{
	const json_t *element;
	const char *key;
	char inner[PATH_BYTES];

	if (depth > DEPTH_MAX || !html_room(out))
		return;
	if (json_is_array(value)) {
		print_list(out, path, value, depth);
	} else if (is_plain(value)) {
		begin_row(out, path, value);
		print_value(out, path, value);
		fputs("</dd></div>\n", out);
	} else {
		json_object_foreach((json_t *)value, key, element) {
			if (left_out(key, without))
				continue;
			join(inner, path, key);
			print_object(out, inner, element, depth + 1, NULL);
		}
	}
}

static bool tells(const json_t *value, unsigned depth)
{
	const json_t *element;
	const char *key;
	size_t index;

	if (is_plain(value) || depth > DEPTH_MAX)
		return is_plain(value);
	json_array_foreach(value, index, element)
		if (tells(element, depth + 1))
			return true;
	json_object_foreach((json_t *)value, key, element)
		if (tells(element, depth + 1))
			return true;
	return false;
}

bool html_object_tells(const json_t *object)
{
	return tells(object, 0);
}

void html_object(FILE *out, const json_t *object, const char *const *without)
{
	fputs("<dl class=facts>\n", out);
	print_object(out, "", object, 0, without);
	fputs("</dl>\n", out);
}
