/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report object from a journal's lines: schema blitbench-report/1, docs/report.md. */
#include "report/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/values.h"
#include "report/cells.h"
#include "report/fields.h"
#include "report/journal.h"
#include "report/ranges.h"
#include "report/ranking.h"
#include "report/record.h"
#include "report/summary.h"

/* Every object has all of these keys, null until something is known; "a.b" is key b in object a. */
static const char *const machine_keys[] = {
	"virtual", "cpu.model", "cpu.cores", "cpu.threads", "cpu.microcode", "memory_bytes", "dmi",
	"cpufreq.driver", "cpufreq.governor_requested", "cpufreq.governor", "cpufreq.epp",
	"cpufreq.boost", "cpufreq.mode", "cpufreq.governor_held", "cpufreq.epp_requested",
	"cpufreq.epp_held", "cpufreq.boost_requested", "cpufreq.boost_held", "cpufreq.policies",
	"cpufreq.settings", "cpufreq.detail", "vulnerabilities", "storage_controllers", NULL
};

static const char *const target_keys[] = {
	"partlabel", "partuuid", "size_bytes", "disk.model", "disk.serial", "disk.firmware",
	"disk.transport", "disk.rotational", "disk.scheduler", "disk.write_cache",
	"disk.queue_depth", "disk.link_speed", "disk.size_bytes", "disk.logical_sector_bytes",
	"disk.physical_sector_bytes", "disk.link_power_policy", "disk.link_power_policy_requested",
	"start_bytes", "alignment_offset_bytes", "aligned", "directory", NULL
};

static const char *const workload_keys[] = {
	"name", "digest", "entries", "files", "symlinks", "directories", "assets", "bytes",
	"install_entries", "content", "special", NULL
};

static const char *const session_keys[] = {
	"round", "filesystem", "variant", "store", "status", "reason", "age", "mkfs.argv",
	"mkfs.version", "mkfs.seconds", "mount.type", "mount.options", "mount.effective",
	"features", "populate.assets", "populate.bytes", "populate.directories", "populate.seconds",
	"populate.order", "populate.writers", "ageing.kept_states", "ageing.assets_written",
	"ageing.bytes_written", "ageing.assets_removed", "ageing.seconds",
	"discard.result", "discard.detail", "discard.seconds", "fsck.status", "fsck.exit_status",
	"fsck.seconds", "drive.before", "drive.after", "kernel_messages",
	"at_seconds", "seconds", "cooling.result", "cooling.seconds",
	"cooling.idle", "cooling.package_celsius", "cooling.drive_celsius", NULL
};

static const char *const run_keys[] = {
	"id", "mode", "status", "reason", "rule", "profile", "started", "finished", "seconds",
	"trials", "valid_trials", "image.version", "image.digest", "kernel.release",
	"kernel.cmdline", "config", NULL
};

/* Sets the key of a dotted path to null, with the object that holds it. */
static void add_null(json_t *object, const char *path)
{
	const char *dot = strchr(path, '.');
	char name[32];

	if (!dot) {
		json_object_set_new(object, path, json_null());
		return;
	}
	snprintf(name, sizeof(name), "%.*s", (int)(dot - path), path);
	if (!json_object_get(object, name))
		json_object_set_new(object, name, json_object());
	json_object_set_new(json_object_get(object, name), dot + 1, json_null());
}

/* A copy of the line (or of none) with all keys in their order; what else it has comes after. */
static json_t *shaped(const json_t *line, const char *const *keys)
{
	json_t *object = json_object(), *given = line ? json_deep_copy(line) : json_object();
	const char *key;
	json_t *value;

	for (; *keys; keys++)
		add_null(object, *keys);
	json_object_del(given, "record");
	json_object_foreach(object, key, value)
		if (json_is_object(value) && !json_is_object(json_object_get(given, key)))
			json_object_del(given, key);
	json_object_update_recursive(object, given);
	json_decref(given);
	return object;
}

struct trials {
	struct trial_record *records;
	size_t count;
};

static void trials_free(struct trials *trials)
{
	for (size_t i = 0; i < trials->count; i++)
		trial_record_free(&trials->records[i]);
	free(trials->records);
}

static const char *record_name(const json_t *line)
{
	const char *name = json_string_value(json_object_get(line, "record"));

	return name ? name : "";
}

static const json_t *last_record(const json_t *lines, const char *name)
{
	const json_t *line, *found = NULL;
	size_t index;

	json_array_foreach(lines, index, line)
		if (!strcmp(record_name(line), name))
			found = line;
	return found;
}

static const json_t *first_record(const json_t *lines, const char *name)
{
	const json_t *line;
	size_t index;

	json_array_foreach(lines, index, line)
		if (!strcmp(record_name(line), name))
			return line;
	return NULL;
}

static void add_note(json_t *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_note(json_t *notes, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	json_array_append_new(notes, json_text(text));
}

/* The journal's notes; what is wrong with its lines is added to them by those who find it. */
static json_t *notes_of(const json_t *lines)
{
	json_t *notes = json_array();
	const json_t *line;
	size_t index;

	json_array_foreach(lines, index, line) {
		json_t *text = json_object_get(line, "text");

		if (!strcmp(record_name(line), "note") && json_is_string(text))
			json_array_append(notes, text);
	}
	return notes;
}

/* Lines that could not be read are null in the list. */
static void note_damage(const json_t *lines, json_t *notes)
{
	struct ranges which = ranges_start();
	unsigned damaged = 0;
	const json_t *line;
	size_t index;

	json_array_foreach(lines, index, line) {
		if (!json_is_null(line))
			continue;
		ranges_add(&which, index + 1);
		damaged++;
	}
	if (damaged)
		add_note(notes, "Line%s %s of the journal could not be read and %s left out.",
			 damaged == 1 ? "" : "s", ranges_words(&which), damaged == 1 ? "is" : "are");
}

/* A cell has a trial of a number only once in a round: told again it is the same one. */
static bool is_told(const struct trials *trials, const struct trial_record *trial)
{
	for (size_t i = 0; i < trials->count; i++) {
		const struct trial_record *other = &trials->records[i];

		if (other->number == trial->number && other->round == trial->round &&
		    cell_key_equal(&other->cell, &trial->cell))
			return true;
	}
	return false;
}

static int read_trials(struct trials *trials, const json_t *lines, json_t *notes)
{
	const json_t *line;
	size_t index;

	trials->records = calloc(json_array_size(lines) + 1, sizeof(*trials->records));
	if (!trials->records)
		return -ENOMEM;
	json_array_foreach(lines, index, line) {
		if (strcmp(record_name(line), "trial"))
			continue;
		struct trial_record *trial = &trials->records[trials->count];

		if (trial_from_json(trial, line)) {
			add_note(notes, "Line %zu of the journal is left out: %s.", index + 1,
				 error_text());
		} else if (is_told(trials, trial)) {
			add_note(notes, "Line %zu of the journal is left out: it tells a trial again.",
				 index + 1);
			trial_record_free(trial);
		} else {
			trials->count++;
		}
	}
	return 0;
}

static json_t *trials_to_json(const struct trials *trials)
{
	json_t *array = json_array();

	for (size_t i = 0; i < trials->count; i++) {
		json_t *trial = trial_to_json(&trials->records[i]);

		json_object_del(trial, "record");
		json_array_append_new(array, trial);
	}
	return array;
}

/* Puts the session in the place of the same one told before, or behind all. places: {identity: index}. */
static void put_session(json_t *sessions, json_t *places, json_t *session)
{
	static const char *const identity[] = { "round", "filesystem", "variant", "store", NULL };
	_cleanup_free_ char *key = fields_key(session, identity);
	const json_t *place = key ? json_object_get(places, key) : NULL;

	if (place) {
		json_array_set_new(sessions, (size_t)json_integer_value(place), session);
		return;
	}
	if (key)
		json_object_set_new_nocheck(places, key,
					    json_integer((json_int_t)json_array_size(sessions)));
	json_array_append_new(sessions, session);
}

/* A session is told before its trials and again after them: the later line wins. */
static json_t *sessions_of(const json_t *lines)
{
	json_t *sessions = json_array(), *places = json_object(), *session;
	const json_t *line;
	size_t index;

	json_array_foreach(lines, index, line) {
		if (strcmp(record_name(line), "session"))
			continue;
		session = shaped(line, session_keys);
		if (!strcmp(field_text(session, "status", ""), "running"))
			json_object_set_new(session, "status", json_string("incomplete"));
		put_session(sessions, places, session);
	}
	json_decref(places);
	return sessions;
}

/* What the last verdict says. A journal that ends without one was cut short: partial. */
static void set_verdict(json_t *run, const json_t *lines, size_t trials)
{
	static const char *const final[] = {
		"complete", "partial", "failed", "refused", "aborted"
	};
	const json_t *last = last_record(lines, "verdict");
	const char *status = json_string_value(json_object_get(last, "status"));
	double begun, ended;
	char reason[160];

	for (size_t i = 0; status && i < ARRAY_LENGTH(final); i++) {
		if (strcmp(status, final[i]))
			continue;
		begun = field_number(first_record(lines, "verdict"), "uptime_seconds");
		ended = field_number(last, "uptime_seconds");
		json_object_set_new(run, "status", json_string(status));
		json_object_set(run, "reason", json_object_get(last, "reason"));
		json_object_set(run, "rule", json_object_get(last, "rule"));
		json_object_set(run, "finished", json_object_get(last, "time"));
		/* Below zero or nothing at all where the machine was booted again in between. */
		if (begun > 0 && ended > begun)
			json_object_set_new(run, "seconds", json_measured(ended - begun));
		return;
	}
	snprintf(reason, sizeof(reason),
		 "The journal ends without a verdict: the run was cut short (power, crash, or the "
		 "medium taken out) after %zu trial%s.",
		 trials, trials == 1 ? "" : "s");
	json_object_set_new(run, "status", json_string("partial"));
	json_object_set_new(run, "reason", json_string(reason));
}

/* A run is complete whatever its trials are worth: how many count stands beside that. */
static void count_trials(json_t *run, const struct trials *trials)
{
	json_int_t valid = 0;

	for (size_t i = 0; i < trials->count; i++)
		valid += trial_counted(&trials->records[i]);
	json_object_set_new(run, "trials", json_integer((json_int_t)trials->count));
	json_object_set_new(run, "valid_trials", json_integer(valid));
}

/* Trials of two runs in one report would be replicates of nothing. */
static int check_runs(const json_t *lines)
{
	const char *first = NULL;
	const json_t *line;
	size_t index;

	json_array_foreach(lines, index, line) {
		const char *id = field_text(line, "id", "");

		if (strcmp(record_name(line), "run"))
			continue;
		if (!first)
			first = id;
		else if (strcmp(first, id))
			return error_set(-EINVAL,
					 "the journal holds the lines of more than one run; give each "
					 "run's journal by itself");
	}
	return 0;
}

/* Whether the report's parts are what their readers take them for. */
static bool has_shape(const json_t *report)
{
	static const char *const objects[] = { "run", "machine", "target", "workload" };
	static const char *const arrays[] = { "sessions", "trials", "summary", "notes" };

	for (size_t i = 0; i < ARRAY_LENGTH(objects); i++)
		if (!json_is_object(json_object_get(report, objects[i])))
			return false;
	for (size_t i = 0; i < ARRAY_LENGTH(arrays); i++)
		if (!json_is_array(json_object_get(report, arrays[i])))
			return false;
	return json_is_tame(report, REPORT_DEPTH_MAX);
}

json_t *report_parse(const char *text, size_t size)
{
	json_t *report = json_loadb(text, size, 0, NULL);
	const char *schema = json_string_value(json_object_get(report, "schema"));

	if (!schema || strncmp(schema, REPORT_SCHEMA, strlen(REPORT_SCHEMA) - 1))
		error_set(-EINVAL, "not a report of blitbench");
	else if (strcmp(schema, REPORT_SCHEMA))
		error_set(-EINVAL, "a report of another version than " REPORT_SCHEMA
				   ": render it with the program that made it, or with a newer one");
	else if (!has_shape(report))
		error_set(-EINVAL, "a report of blitbench, but damaged: its parts are not what they "
				   "should be");
	else
		return report;
	json_decref(report);
	return NULL;
}

json_t *report_build(const json_t *journal_lines)
{
	json_t *notes, *run, *trials_json, *report = NULL;
	struct trials trials = { 0 };

	if (!json_is_array(journal_lines)) {
		error_set(-EINVAL, "report: the journal is no list of lines");
		return NULL;
	}
	if (check_runs(journal_lines))
		return NULL;
	notes = notes_of(journal_lines);
	note_damage(journal_lines, notes);
	if (read_trials(&trials, journal_lines, notes)) {
		json_decref(notes);
		error_set(-ENOMEM, "report: out of memory");
		return NULL;
	}
	run = shaped(last_record(journal_lines, "run"), run_keys);
	set_verdict(run, journal_lines, trials.count);
	count_trials(run, &trials);
	trials_json = trials_to_json(&trials);
	report = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"schema", REPORT_SCHEMA,
		"run", run,
		"machine", shaped(last_record(journal_lines, "machine"), machine_keys),
		"target", shaped(last_record(journal_lines, "target"), target_keys),
		"workload", shaped(last_record(journal_lines, "workload"), workload_keys),
		"sessions", sessions_of(journal_lines),
		"trials", trials_json,
		"summary", summary_build(trials.records, trials.count),
		"ranking", ranking_build(trials.records, trials.count),
		"notes", notes);
	trials_free(&trials);
	if (!report)
		error_set(-ENOMEM, "report: out of memory");
	return report;
}

/* Takes over the lines. */
static json_t *build_from(const char *name, json_t *lines)
{
	json_t *report = report_build(lines);

	json_decref(lines);
	if (!report)
		error_prefix(-EINVAL, "%s", name);
	return report;
}

json_t *report_read_journal(const char *path)
{
	unsigned damaged;
	json_t *lines;

	return journal_read(path, &lines, &damaged) ? NULL : build_from(path, lines);
}

json_t *report_of_journal(const char *name, const char *text, size_t size)
{
	unsigned damaged;
	json_t *lines;

	return journal_parse(name, text, size, &lines, &damaged) ? NULL : build_from(name, lines);
}
