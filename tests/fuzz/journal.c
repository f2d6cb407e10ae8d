/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Journals: whatever is rendered of them is sound, and report.json is read back as the same report. */
#include "feed.h"

#include "lib/cleanup.h"
#include "report/journal.h"
#include "report/report.h"

#include <string.h>

static void check(bool sound)
{
	if (!sound)
		abort();
}

/* Nothing that steers a terminal, and nothing but UTF-8. */
static void check_text(char *text, const char *controls)
{
	json_t *string;

	check(text);
	for (const unsigned char *at = (const unsigned char *)text; *at; at++)
		check((*at >= ' ' && *at != 0x7f) || strchr(controls, *at));
	string = json_string(text);
	check(string);
	json_decref(string);
	free(text);
}

/* Each row has as many cells as the first. */
static void check_csv(char *csv)
{
	size_t cells = 0, columns = 0;
	bool quoted = false;

	check(csv);
	for (const char *at = csv; *at; at++) {
		quoted ^= *at == '"';
		cells += !quoted && *at == ',';
		if (*at != '\n')
			continue;
		check(!quoted);
		check(!columns || cells == columns);
		columns = cells;
		cells = 0;
	}
	check(columns && !cells);
	check_text(csv, "\r\n");
}

/* Each line is one signal. */
static void check_lava(char *lava)
{
	check(lava);
	for (const char *line = lava; *line; line = strchr(line, '\n') + 1) {
		size_t length = strcspn(line, "\n");

		check(!strncmp(line, "<LAVA_SIGNAL_", 13));
		check(strcspn(line, ">") == length - 1);
	}
	check_text(lava, "\n");
}

static void check_json(const json_t *report)
{
	char *json = report_json(report), *again;
	json_t *back;

	check(json);
	back = report_parse(json, strlen(json));
	check(back);
	again = report_json(back);
	check(again && !strcmp(json, again));
	json_decref(back);
	free(again);
	free(json);
}

/* --- changes that keep a line a line of JSON, which single bytes seldom do --- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

static const char *const values[] = {
	"null", "true", "false", "0", "1", "-1", "2147483648", "9223372036854775807", "-9223372036854775808",
	"0.5", "-0.0", "1e-300", "1e300", "-1e300", "\"\"", "\"ext4\"", "\"hot\"", "\"unsupported\"",
	"\"<b>\\\"&'\"", "\"=1,2\\r\\n\"", "\"\\u001b[2J\\u009b\"", "\"\xe2\x80\xae\xf0\x9f\x98\x80\"", "[]", "{}",
	"[null]", "[[[1]]]", "{\"name\":\"not-hot\",\"level\":\"invalid\"}", "{\"63\":2}",
	"\"a-word-that-is-longer-than-eighty-columns-can-hold-when-it-is-not-broken-anywhere-in-its-middle\"",
};

static json_t *new_value(unsigned random)
{
	return json_loads(values[random % ARRAY_LENGTH(values)], JSON_DECODE_ANY, NULL);
}

/* Goes down by chance, and changes what it comes to. */
static void change(json_t *value, unsigned *random)
{
	size_t count = json_is_array(value) ? json_array_size(value) : json_object_size(value);
	size_t place = count ? *random % count : 0;
	json_t *inner = json_array_get(value, place);
	const char *key = NULL;

	*random = *random * 1664525 + 1013904223;
	if (!count)
		return;
	if (json_is_object(value)) {
		void *member = json_object_iter(value);

		while (place--)
			member = json_object_iter_next(value, member);
		key = json_object_iter_key(member);
		inner = json_object_iter_value(member);
	}
	if ((json_is_array(inner) || json_is_object(inner)) && *random >> 28 > 3)
		change(inner, random);
	else if (key && *random >> 28 == 0)
		json_object_del(value, key);
	else if (key)
		json_object_set_new(value, key, new_value(*random >> 8));
	else if (*random >> 28 == 0)
		json_array_append(value, inner);
	else
		json_array_set_new(value, place, new_value(*random >> 8));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	unsigned lines = 1, number, random = seed;
	char *line = (char *)data, *text;
	size_t length, rest;
	json_t *json;

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	for (number = seed % lines; number; number--)
		line = memchr(line, '\n', size - (size_t)(line - (char *)data)) + 1;
	rest = size - (size_t)(line - (char *)data);
	length = memchr(line, '\n', rest) ? (size_t)((char *)memchr(line, '\n', rest) - line) : rest;
	json = json_loadb(line, length, 0, NULL);
	if (!json || seed % 8 == 0) {
		json_decref(json);
		return LLVMFuzzerMutate(data, size, room);
	}
	change(json, &random);
	text = json_dumps(json, JSON_COMPACT);
	json_decref(json);
	check(text);
	if (strlen(text) <= room - (size - length)) {
		memmove(line + strlen(text), line + length, rest - length);
		memcpy(line, text, strlen(text));
		size = size - length + strlen(text);
	}
	free(text);
	return size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *lines, *report;
	unsigned damaged;

	if (journal_read(feed(data, size), &lines, &damaged))
		return 0;
	report = report_build(lines);
	if (report) {
		check_json(report);
		check_text(report_text(report), "\n");
		check_text(report_table(report), "\n");
		check_text(report_html(report), "\n");
		check_csv(report_csv(report));
		check_lava(report_lava(report));
	}
	json_decref(report);
	json_decref(lines);
	return 0;
}
