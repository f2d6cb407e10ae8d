/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/console.h"

#include "cli/input.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/fields.h"
#include "report/report.h"
#include "report/wire.h"

#include <errno.h>
#include <string.h>

/* A lab's log of days is smaller. */
enum { LOG_BYTES_MAX = 512 << 20 };

/* The last whole file of the name; NULL where none is. */
static struct wire_found *last_whole(struct wire_log *found, const char *name)
{
	for (size_t i = found->count; i--;)
		if (found->files[i].bytes && !strcmp(found->files[i].name, name))
			return &found->files[i];
	return NULL;
}

/* What could not be taken out of it, for whoever has to find out why. */
static void tell_problems(const struct wire_log *found, const char *path)
{
	for (size_t i = 0; i < found->count; i++)
		if (*found->files[i].problem)
			fprintf(stderr, "blitbench: %s: %s: %s\n", path,
				*found->files[i].name ? found->files[i].name : "a file",
				found->files[i].problem);
	if (found->damaged_lines)
		fprintf(stderr, "blitbench: %s: damaged in it: line%s %s\n", path,
			found->damaged_lines == 1 ? "" : "s", found->damaged);
}

static bool same_run(const json_t *left, const json_t *right)
{
	return !strcmp(field_text(left, "run.id", ""), field_text(right, "run.id", ""));
}

/*
 * The report of the log's last run, of either file. Numbers in report.json are rounded: the journal's reports
 * are those of the machine, to the last digit. But a log may hold an earlier run's journal as well. What was
 * not made use of becomes NULL.
 */
static json_t *report_of_last(const struct wire_found *json, struct wire_found **lines)
{
	json_t *told = NULL, *report = NULL;

	if (*lines)
		report = report_of_journal("journal.jsonl", (*lines)->bytes, (*lines)->size);
	/* A run sends its journal last. */
	if (json && (!report || json > *lines))
		told = report_parse(json->bytes, json->size);
	if (!told || (report && same_run(told, report))) {
		json_decref(told);
		return report;
	}
	*lines = NULL;
	json_decref(report);
	return told;
}

static int take(struct wire_log *found, const char *path, json_t **report, char **journal)
{
	struct wire_found *json = last_whole(found, "report.json");
	struct wire_found *lines = last_whole(found, "journal.jsonl");

	if (!found->count)
		return error_set(-ENOENT,
				 "%s: no report is in it: lines that begin with \"" WIRE_PREFIX "\", as "
				 "the image prints them with report=serial",
				 path);
	tell_problems(found, path);
	if (!json && !lines)
		return error_set(-EBADMSG, "%s: neither report nor journal is whole", path);
	*report = report_of_last(json, &lines);
	if (!*report)
		return error_prefix(-EINVAL, "%s", path);
	if (lines)
		*journal = take_pointer(lines->bytes);
	return 0;
}

int console_load(const char *path, json_t **report, char **journal)
{
	_cleanup_free_ char *log = NULL;
	struct wire_log found;
	size_t size;
	int error = input_read(path, "the log of a console", LOG_BYTES_MAX, &log, &size);

	if (!error)
		error = wire_receive(&found, log, size);
	if (error)
		return error;
	error = take(&found, path, report, journal);
	wire_log_free(&found);
	return error;
}
