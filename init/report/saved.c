/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/saved.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/regular.h"
#include "report/fields.h"
#include "report/published.h"
#include "report/report.h"

/* Thirty years, and what a double holds exactly: beyond them a figure is a mistake. */
#define SECONDS_MAX 1e9
#define ENTRIES_MAX (1ULL << 53)

/* More than the report of the largest journal takes. */
enum { REPORT_BYTES_MAX = 1 << 30 };

static int check_trial(const struct trial_record *trial)
{
	if (isnan(trial->seconds))
		return 0;
	if (!(trial->seconds > 0 && trial->seconds < SECONDS_MAX))
		return error_set(-EINVAL, "\"seconds\" is %g, which no blit can have taken",
				 trial->seconds);
	if (!trial->entries || trial->entries > ENTRIES_MAX)
		return error_set(-EINVAL, "\"entries\" is %llu, which no blit can have made",
				 (unsigned long long)trial->entries);
	return 0;
}

static int check_once(const struct cell *cell)
{
	for (size_t i = 1; i < cell->count; i++) {
		const struct trial_record *one = cell->trials[i - 1], *next = cell->trials[i];

		if (one->round == next->round && one->number == next->number)
			return error_set(-EINVAL, "round %u, trial %u of %s %s %s is told twice",
					 one->round, one->number, cell->key->filesystem,
					 cell->key->operation, cell->key->cache);
	}
	return 0;
}

static int sort_into_cells(struct saved *saved)
{
	return cells_make(&saved->cells, (const struct trial_record *const *)saved->trials,
			  saved->trial_count);
}

static int read_trials(struct saved *saved, const json_t *trials)
{
	const json_t *trial;
	size_t index, valid = 0;
	int error = 0;

	if (!json_is_array(trials))
		return error_set(-EINVAL, "\"trials\" is no list");
	saved->trials = calloc(json_array_size(trials) + 1, sizeof(*saved->trials));
	if (!saved->trials)
		return error_set(-ENOMEM, "out of memory");
	json_array_foreach(trials, index, trial) {
		struct trial_record record;

		error = trial_from_json(&record, trial) ?: check_trial(&record);
		if (error) {
			trial_record_free(&record);
			return error_prefix(error, "trials[%zu]", index);
		}
		saved->trials[index] = trial_keep(&record);
		if (!saved->trials[index])
			return error_set(-ENOMEM, "out of memory");
		saved->trial_count = index + 1;
		valid += trial_counted(&record);
	}
	if (!valid)
		return error_set(-EINVAL, "none of its %zu trials is valid, so there is nothing to "
				 "compare (the run is %s)", saved->trial_count,
				 field_text(saved->report, "run.status", "of unknown status"));
	if (sort_into_cells(saved))
		return error_set(-ENOMEM, "out of memory");
	for (size_t i = 0; i < saved->cells.count && !error; i++)
		error = check_once(&saved->cells.list[i]);
	return error;
}

int saved_take(struct saved *saved, const char *name, json_t *report)
{
	int error;

	*saved = (struct saved){ .name = strdup(name), .report = report };
	if (!saved->name)
		return error_set(-ENOMEM, "out of memory");
	error = report_check(report) ?: read_trials(saved, field(report, "trials"));
	return error ? error_prefix(error, "%s", name) : 0;
}

static json_t *load_json(const char *path)
{
	uint64_t size = 0;
	_cleanup_close_ int fd = regular_open(
		path, "the report", "give a report.json or the folder of a run", &size);
	json_error_t problem;
	json_t *json;

	if (fd < 0)
		return NULL;
	/* json_loadfd would read it byte by byte. */
	_cleanup_fclose_ FILE *file = fdopen(fd, "r");
	if (!file) {
		error_set(-errno, "%s: cannot open the report: %s", path, strerror(errno));
		return NULL;
	}
	take_fd(&fd);
	if (size > REPORT_BYTES_MAX) {
		error_set(-EFBIG, "%s: too large to be a report (over %d MiB)", path,
			  REPORT_BYTES_MAX >> 20);
		return NULL;
	}
	json = json_loadf(file, JSON_REJECT_DUPLICATES, &problem);
	if (!json)
		error_set(-EINVAL, "%s: cannot be read as JSON: %s (line %d)", path, problem.text,
			  problem.line);
	return json;
}

static json_t *render(const char *folder)
{
	_cleanup_free_ char *path = NULL;

	if (asprintf(&path, "%s/journal.jsonl", folder) < 0) {
		path = NULL;
		error_set(-ENOMEM, "out of memory");
		return NULL;
	}
	if (access(path, F_OK)) {
		error_set(-ENOENT, "%s: there is neither a report.json nor a journal.jsonl in it",
			  folder);
		return NULL;
	}
	return report_read_journal(path);
}

int saved_read(struct saved *saved, const char *path)
{
	_cleanup_free_ char *inside = NULL;
	struct stat status;
	json_t *report;

	*saved = (struct saved){ 0 };
	if (stat(path, &status))
		return error_set(-errno, "%s: cannot open the report: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode) && asprintf(&inside, "%s/report.json", path) < 0)
		return error_set(-ENOMEM, "out of memory");
	report = inside && access(inside, F_OK) ? render(path)
						: load_json(inside ? inside : path);
	return report ? saved_take(saved, path, report) : -EINVAL;
}

static json_t *published_trial(const struct published_cell *cell)
{
	/* Their word has to be taken for it that the trees were right. */
	return json_pack("{s:i, s:i, s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:I, s:f, s:b, s:[]}",
		"round", 1,
		"number", 1,
		"filesystem", cell->filesystem,
		"variant", "default",
		"engine", "moss-2025",
		"strategy", "hardlink",
		"threads", 1,
		"store", "3x2",
		"cache", cell->cache,
		"operation", cell->operation,
		"entries", (json_int_t)cell->entries,
		"seconds", cell->seconds,
		"verified", 1,
		"flags");
}

/* Its digest is not known. */
static json_t *published_workload(void)
{
	return json_pack("{s:n, s:I, s:I}",
		"digest",
		"entries", (json_int_t)published_find("ext4", "hot", "remove")->entries,
		"install_entries", (json_int_t)published_find("ext4", "hot", "install")->entries);
}

int saved_published(struct saved *saved)
{
	json_t *trials = json_array(), *report;
	int error;

	for (size_t i = 0; i < published_cell_count; i++)
		json_array_append_new(trials, published_trial(&published_cells[i]));
	report = json_pack("{s:s, s:{s:s, s:s}, s:{s:n, s:{s:s}}, s:{s:{s:s}}, s:o, s:o}",
		"schema", REPORT_SCHEMA,
		"run",
			"id", "published",
			"status", "complete",
		"machine",
			"virtual",
			"cpu",
				"model", published_cpu,
		"target",
			"disk",
				"model", published_disk,
		"workload", published_workload(),
		"trials", trials);
	error = saved_take(saved, "published", report);
	saved->published = true;
	return error;
}

static bool has_value(const struct saved *saved, const struct trial_record *trial, const char *key,
		      const char *value)
{
	json_t *cell = cell_key_to_json(&trial->cell);
	_cleanup_free_ char *words = field_words(cell, key);

	json_decref(cell);
	/* The published figures stand for any governor. */
	if (saved->published && !strcmp(key, "governor"))
		return true;
	return !strcmp(words ? words : "", value);
}

int saved_keep(struct saved *saved, const char *key, const char *value)
{
	size_t kept = 0;

	for (size_t i = 0; i < saved->trial_count; i++)
		if (has_value(saved, saved->trials[i], key, value))
			saved->trials[kept++] = saved->trials[i];
		else
			trial_drop(saved->trials[i]);
	saved->trial_count = kept;
	cells_free(&saved->cells);
	if (!kept)
		return error_set(-EINVAL, "%s: no trial has the %s '%s'", saved->name, key, value);
	if (!saved->only)
		saved->only = json_array();
	json_array_append_new(saved->only, json_sprintf("%s=%s", key, value));
	if (sort_into_cells(saved))
		return error_set(-ENOMEM, "out of memory");
	return 0;
}

void saved_free(struct saved *saved)
{
	for (size_t i = 0; i < saved->trial_count; i++)
		trial_drop(saved->trials[i]);
	cells_free(&saved->cells);
	free(saved->trials);
	free(saved->name);
	json_decref(saved->report);
	json_decref(saved->only);
	*saved = (struct saved){ 0 };
}
