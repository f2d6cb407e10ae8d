/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report object from a journal's lines: schema blitbench-report/1, docs/report.md. */
#include "report/report.h"

#include <errno.h>
#include <math.h>
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
	"cpufreq.settings", "cpufreq.detail", "vulnerabilities", "storage_controllers",
	"watchdog.identity", "watchdog.seconds", "watchdog.was_reset", NULL
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
	"id", "mode", "dry_run", "status", "reason", "rule", "profile", "started", "finished",
	"seconds", "trials", "valid_trials", "image.version", "image.digest", "kernel.release",
	"kernel.build_id", "kernel.cmdline", "config", "boot_seconds", "resumed.run", "resumed.sessions", "resumed.seconds", NULL
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

static const char *record_name(const json_t *line)
{
	const char *name = json_string_value(json_object_get(line, "record"));

	return name ? name : "";
}

/* What the lines so far have told. */
struct told {
	size_t lines;
	json_t *last; /* of each of some records its last line: {record: line} */
	json_t *sessions, *trials, *notes;                   /* the report's */
	double begun;                                        /* what the first verdict says */
	bool several_runs;
	struct ranges damaged;
	unsigned damaged_count;
	json_t *left_out; /* notes on lines that are of no use */
	const struct trial_record **records;
	size_t record_count, room;
	json_t *places;     /* where in the sessions each is: {identity: index} */
	json_t *identities; /* which trial it was, of those that have been told */
	json_t *cells;      /* an element of the trials, of each cell */
};

static void told_free(struct told *told)
{
	json_t *const all[] = { told->last,	told->sessions, told->trials,	  told->notes,
				told->left_out, told->places,	told->identities, told->cells };

	for (size_t i = 0; i < ARRAY_LENGTH(all); i++)
		json_decref(all[i]);
	for (size_t i = 0; i < told->record_count; i++)
		trial_drop((struct trial_record *)told->records[i]);
	free(told->records);
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

/* A cell has a trial of a number only once in a round: told again it is the same one. */
static bool is_new(struct told *told, const struct trial_record *trial)
{
	struct {
		struct cell_key cell;
		unsigned round, number;
	} identity = { cell_key_plain(&trial->cell), trial->round, trial->number };
	const char *bytes = (const char *)&identity;

	if (json_object_getn(told->identities, bytes, sizeof(identity)))
		return false;
	json_object_setn_new_nocheck(told->identities, bytes, sizeof(identity), json_true());
	return true;
}

/* Puts it among the report's trials, with the texts of its cell that are there already. */
static int add_element(struct told *told, const struct trial_record *trial)
{
	struct cell_key cell = cell_key_plain(&trial->cell);
	const char *bytes = (const char *)&cell;
	json_t *alike = json_object_getn(told->cells, bytes, sizeof(cell));
	json_t *element = trial_to_element(trial, alike);

	if (json_array_append(told->trials, element) ||
	    (!alike && json_object_setn_nocheck(told->cells, bytes, sizeof(cell), element))) {
		json_decref(element);
		return -ENOMEM;
	}
	json_decref(element);
	return 0;
}

static int add_record(struct told *told, struct trial_record *trial)
{
	if (told->record_count == told->room) {
		size_t room = told->room * 3 / 2 + 64;
		const struct trial_record **more =
			realloc(told->records, room * sizeof(*told->records));

		if (!more)
			return -ENOMEM;
		told->records = more;
		told->room = room;
	}
	told->records[told->record_count] = trial_keep(trial);
	if (!told->records[told->record_count])
		return -ENOMEM;
	told->record_count++;
	return 0;
}

static int take_trial(struct told *told, json_t *line)
{
	struct trial_record trial;
	int error = 0;

	if (trial_from_json(&trial, line))
		add_note(told->left_out, "Line %zu of the journal is left out: %s.", told->lines,
			 error_text());
	else if (!is_new(told, &trial))
		add_note(told->left_out, "Line %zu of the journal is left out: it tells a trial again.",
			 told->lines);
	else
		error = add_element(told, &trial) ?: add_record(told, &trial);
	trial_record_free(&trial);
	return error;
}

/* Puts the session in the place of the same one told before, or behind all. */
static int put_session(struct told *told, json_t *session)
{
	static const char *const identity[] = { "round", "filesystem", "variant", "store", NULL };
	_cleanup_free_ char *key = fields_key(session, identity);
	const json_t *place = key ? json_object_get(told->places, key) : NULL;
	json_int_t next = (json_int_t)json_array_size(told->sessions);
	int failed;

	if (place)
		failed = json_array_set_new(told->sessions, (size_t)json_integer_value(place), session);
	else
		failed = json_array_append_new(told->sessions, session) || !key ||
			 json_object_set_new_nocheck(told->places, key, json_integer(next));
	return failed ? -ENOMEM : 0;
}

/* A session is told before its trials and again after them: the later line wins. */
static int take_session(struct told *told, json_t *line)
{
	json_t *session = shaped(line, session_keys);

	if (!strcmp(field_text(session, "status", ""), "running"))
		json_object_set_new(session, "status", json_string("incomplete"));
	return put_session(told, session);
}

static int take_last(struct told *told, json_t *line)
{
	return json_object_set_nocheck(told->last, record_name(line), line) ? -ENOMEM : 0;
}

/* Trials of two runs in one report would be replicates of nothing. */
static int take_run(struct told *told, json_t *line)
{
	const json_t *before = json_object_get(told->last, "run");

	if (before && strcmp(field_text(before, "id", ""), field_text(line, "id", "")))
		told->several_runs = true;
	return take_last(told, line);
}

static int take_verdict(struct told *told, json_t *line)
{
	if (!json_object_get(told->last, "verdict"))
		told->begun = field_number(line, "uptime_seconds");
	return take_last(told, line);
}

static int take_note(struct told *told, json_t *line)
{
	json_t *text = json_object_get(line, "text");

	return json_is_string(text) && json_array_append(told->notes, text) ? -ENOMEM : 0;
}

/* The next line, borrowed; null is one that could not be read. -ENOMEM. */
static int take_line(void *data, json_t *line)
{
	static const struct {
		const char *record;
		int (*take)(struct told *told, json_t *line);
	} takers[] = {
		{ "trial", take_trial }, { "session", take_session }, { "note", take_note },
		{ "run", take_run },	 { "verdict", take_verdict }, { "machine", take_last },
		{ "target", take_last }, { "workload", take_last }, { "resume", take_last },
	};
	struct told *told = data;
	const char *name = record_name(line);

	told->lines++;
	if (json_is_null(line)) {
		ranges_add(&told->damaged, told->lines);
		told->damaged_count++;
	}
	for (size_t i = 0; i < ARRAY_LENGTH(takers); i++)
		if (!strcmp(name, takers[i].record))
			return takers[i].take(told, line);
	return 0;
}

/* Whose sessions were taken over. */
static void set_resumed(json_t *run, const struct told *told)
{
	json_t *resume = json_object_get(told->last, "resume");

	if (!resume)
		return;
	json_object_set_new(run, "resumed", json_deep_copy(resume));
	json_object_del(json_object_get(run, "resumed"), "record");
}

/* What the last verdict says. A journal that ends without one was cut short: partial. */
static void set_verdict(json_t *run, const struct told *told)
{
	static const char *const final[] = {
		"complete", "partial", "failed", "refused", "aborted"
	};
	const json_t *last = json_object_get(told->last, "verdict");
	const char *status = json_string_value(json_object_get(last, "status"));
	const json_t *resume = json_object_get(told->last, "resume");
	double begun = told->begun, ended = field_number(last, "uptime_seconds");
	double before = resume ? field_number(resume, "seconds") : 0;
	size_t trials = told->record_count;
	char reason[160];

	for (size_t i = 0; status && i < ARRAY_LENGTH(final); i++) {
		if (strcmp(status, final[i]))
			continue;
		json_object_set_new(run, "status", json_string(status));
		json_object_set(run, "reason", json_object_get(last, "reason"));
		json_object_set(run, "rule", json_object_get(last, "rule"));
		json_object_set(run, "finished", json_object_get(last, "time"));
		/* Below zero or nothing at all where the machine was booted again in between. */
		if (begun > 0 && ended > begun)
			json_object_set_new(run, "seconds", json_measured(ended - begun + before));
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
static void count_trials(json_t *run, const struct told *told)
{
	json_int_t valid = 0;

	for (size_t i = 0; i < told->record_count; i++)
		valid += trial_counted(told->records[i]);
	json_object_set_new(run, "trials", json_integer((json_int_t)told->record_count));
	json_object_set_new(run, "valid_trials", json_integer(valid));
}

/* What is wrong with the lines comes behind the notes that they tell. */
static void end_notes(struct told *told)
{
	unsigned damaged = told->damaged_count;

	if (damaged)
		add_note(told->notes, "Line%s %s of the journal could not be read and %s left out.",
			 damaged == 1 ? "" : "s", ranges_words(&told->damaged),
			 damaged == 1 ? "is" : "are");
	json_array_extend(told->notes, told->left_out);
}

static int told_begin(struct told *told)
{
	*told = (struct told){
		.begun = NAN,
		.damaged = ranges_start(),
		.last = json_object(),
		.sessions = json_array(),
		.trials = json_array(),
		.notes = json_array(),
		.left_out = json_array(),
		.places = json_object(),
		.identities = json_object(),
		.cells = json_object(),
	};
	if (told->last && told->sessions && told->trials && told->notes && told->left_out &&
	    told->places && told->identities && told->cells)
		return 0;
	told_free(told);
	return error_set(-ENOMEM, "report: out of memory");
}

/* The report of all lines. NULL and a sentence on error. */
static json_t *told_report(struct told *told)
{
	struct cells cells;
	json_t *run, *report = NULL;

	if (told->several_runs) {
		error_set(-EINVAL, "the journal holds the lines of more than one run; give each "
				   "run's journal by itself");
		return NULL;
	}
	end_notes(told);
	if (!cells_make(&cells, told->records, told->record_count)) {
		run = shaped(json_object_get(told->last, "run"), run_keys);
		set_resumed(run, told);
		set_verdict(run, told);
		count_trials(run, told);
		report = json_pack("{s:s, s:o, s:o, s:o, s:o, s:O, s:O, s:o, s:o, s:O}",
			"schema", REPORT_SCHEMA,
			"run", run,
			"machine", shaped(json_object_get(told->last, "machine"), machine_keys),
			"target", shaped(json_object_get(told->last, "target"), target_keys),
			"workload", shaped(json_object_get(told->last, "workload"), workload_keys),
			"sessions", told->sessions,
			"trials", told->trials,
			"summary", summary_build(&cells),
			"ranking", ranking_build(&cells),
			"notes", told->notes);
	}
	cells_free(&cells);
	if (!report)
		error_set(-ENOMEM, "report: out of memory");
	return report;
}

int report_check(const json_t *report)
{
	const char *schema = field_text(report, "schema", NULL);

	if (!schema)
		return error_set(-EINVAL, "this is no report of blitbench: it has no schema");
	if (strcmp(schema, REPORT_SCHEMA))
		return error_set(-EINVAL,
				 "its schema is '%.80s', and this blitbench reads " REPORT_SCHEMA
				 ": use the blitbench that wrote it, or render its journal again",
				 schema);
	if (!json_is_tame(report, REPORT_DEPTH_MAX))
		return error_set(-EINVAL, "damaged: values are nested deeper, or a number is larger, "
					  "than in any report");
	return 0;
}

/* Whether the report's parts are what all that render it take them for. */
static int check_parts(const json_t *report)
{
	static const char *const objects[] = { "run", "machine", "target", "workload" };
	static const char *const arrays[] = { "sessions", "trials", "summary", "notes" };
	bool whole = true;

	for (size_t i = 0; i < ARRAY_LENGTH(objects); i++)
		whole = whole && json_is_object(json_object_get(report, objects[i]));
	for (size_t i = 0; i < ARRAY_LENGTH(arrays); i++)
		whole = whole && json_is_array(json_object_get(report, arrays[i]));
	if (whole)
		return 0;
	return error_set(-EINVAL, "damaged: parts of the report are missing, or not what they should "
				  "be");
}

json_t *report_parse(const char *text, size_t size)
{
	json_t *report = json_loadb(text, size, 0, NULL);

	if (!report)
		error_set(-EINVAL, "this is no report of blitbench: it cannot be read as JSON");
	else if (!report_check(report) && !check_parts(report))
		return report;
	json_decref(report);
	return NULL;
}

json_t *report_build(const json_t *journal_lines)
{
	struct told told;
	json_t *line, *report = NULL;
	size_t index;
	int error = 0;

	if (!json_is_array(journal_lines)) {
		error_set(-EINVAL, "report: the journal is no list of lines");
		return NULL;
	}
	if (told_begin(&told))
		return NULL;
	json_array_foreach(journal_lines, index, line)
		error = error ?: take_line(&told, line);
	if (error)
		error_set(error, "report: out of memory");
	else
		report = told_report(&told);
	told_free(&told);
	return report;
}

/* Ends what a visit of the journal's lines came to. */
static json_t *report_visited(const char *name, struct told *told, int error)
{
	json_t *report = NULL;

	if (!error) {
		report = told_report(told);
		if (!report)
			error_prefix(-EINVAL, "%s", name);
	}
	told_free(told);
	return report;
}

json_t *report_read_journal(const char *path)
{
	struct told told;

	if (told_begin(&told))
		return NULL;
	return report_visited(path, &told, journal_visit(path, take_line, &told));
}

json_t *report_of_journal(const char *name, const char *text, size_t size)
{
	struct told told;

	if (told_begin(&told))
		return NULL;
	return report_visited(name, &told, journal_visit_text(name, text, size, take_line, &told));
}
