/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.csv: a row for each trial (RFC 4180), with the same columns in every report, so that those of
 * several runs can be put one below the other.
 */
#include "report/report.h"

#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/details.h"
#include "report/fields.h"

/* Where a column's value is in a trial. */
static const struct {
	const char *name, *path;
} columns[] = {
	{ "round", "round" },
	{ "number", "number" },
	{ "filesystem", "filesystem" },
	{ "variant", "variant" },
	{ "engine", "engine" },
	{ "strategy", "strategy" },
	{ "threads", "threads" },
	{ "store", "store" },
	{ "governor", "governor" },
	{ "cache", "cache" },
	{ "operation", "operation" },
	{ "at_seconds", "at_seconds" },
	{ "entries", "entries" },
	{ "seconds", "seconds" },
	{ "entries_per_second", "entries_per_second" },
	{ "durable_seconds", "durable_seconds" },
	{ "quiesced_seconds", "quiesced_seconds" },
	{ "swap_seconds", "swap_seconds" },
	{ "archive_seconds", "archive_seconds" },
	{ "prune_seconds", "prune_seconds" },
	{ "reads", "io.reads" },
	{ "read_bytes", "io.read_bytes" },
	{ "writes", "io.writes" },
	{ "write_bytes", "io.write_bytes" },
	{ "discards", "io.discards" },
	{ "user_seconds", "cpu.user_seconds" },
	{ "system_seconds", "cpu.system_seconds" },
	{ "machine_busy_seconds", "cpu.machine_busy_seconds" },
	{ "prime_seconds", "details.prime_seconds" },
	{ "prime_reads", "details.prime_reads" },
	{ "before_kilohertz", "details.machine.before.kilohertz" },
	{ "after_kilohertz", "details.machine.after.kilohertz" },
	{ "before_package_celsius", "details.machine.before.package_celsius" },
	{ "after_package_celsius", "details.machine.after.package_celsius" },
	{ "before_drive_celsius", "details.machine.before.drive_celsius" },
	{ "after_drive_celsius", "details.machine.after.drive_celsius" },
	{ "before_throttles", "details.machine.before.throttles" },
	{ "after_throttles", "details.machine.after.throttles" },
	{ "verified", "verified" },
};

/*
 * Controls, those of C1 too, are blanks: a row is a line, and a terminal is not steered. What a
 * spreadsheet would take for a formula begins with an apostrophe, as that program's own text would.
 */
static void put_text(FILE *out, const char *text)
{
	bool quoted = strpbrk(text, ",\"") || *text == ' ' || (*text && text[strlen(text) - 1] == ' ');

	if (quoted)
		fputc('"', out);
	if (*text && strchr("=+-@", *text))
		fputc('\'', out);
	for (const unsigned char *at = (const unsigned char *)text; *at; at++) {
		if (*at < ' ' || *at == 0x7f) {
			fputc(' ', out);
		} else if (*at == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0) {
			fputc(' ', out);
			at++;
		} else {
			if (*at == '"')
				fputc('"', out);
			fputc(*at, out);
		}
	}
	if (quoted)
		fputc('"', out);
}

static void put_value(FILE *out, const json_t *value)
{
	if (json_is_string(value))
		put_text(out, json_string_value(value));
	else if (json_is_integer(value))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		fprintf(out, "%.15g", json_real_value(value));
	else if (json_is_boolean(value))
		fputs(json_is_true(value) ? "true" : "false", out);
}

/* What is said of each flag, joined. */
static void put_flags(FILE *out, const json_t *flags, bool details)
{
	_cleanup_free_ char *words = NULL;
	const json_t *flag;
	size_t size, index;
	FILE *joined = open_memstream(&words, &size);

	if (!joined)
		return;
	json_array_foreach(flags, index, flag) {
		const char *name = field_text(flag, "name", "");

		if (details)
			fprintf(joined, "%s%s %s: %s", index ? "; " : "", name,
				field_text(flag, "level", ""), field_text(flag, "detail", ""));
		else
			fprintf(joined, "%s%s", index ? " " : "", name);
	}
	fclose(joined);
	put_text(out, words);
}

static void put_row(FILE *out, const json_t *run, const json_t *trial)
{
	put_value(out, field(run, "id"));
	for (size_t i = 0; i < ARRAY_LENGTH(columns); i++) {
		fputc(',', out);
		put_value(out, field(trial, columns[i].path));
	}
	fprintf(out, ",%s,", trial_counts(trial) ? "true" : "false");
	put_flags(out, field(trial, "flags"), false);
	fputc(',', out);
	put_flags(out, field(trial, "flags"), true);
	fputs("\r\n", out);
}

char *report_csv(const json_t *report)
{
	char *text = NULL;
	const json_t *trial;
	size_t size, index;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("run", out);
	for (size_t i = 0; i < ARRAY_LENGTH(columns); i++)
		fprintf(out, ",%s", columns[i].name);
	fputs(",counts,flags,flag_details\r\n", out);
	json_array_foreach(field(report, "trials"), index, trial)
		put_row(out, field(report, "run"), trial);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
