/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/resume.h"

#include "lib/cleanup.h"
#include "lib/values.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* What makes trials of two boots replicates of the same: record and path of what must be equal. */
static const struct trait {
	const char *record, *path[2], *words;
	double tolerance; /* as a share */
} alike[] = {
	{ "run", { "image", "digest" }, "another version of the program", 0 },
	{ "run", { "kernel", "release" }, "another kernel", 0 },
	{ "run", { "kernel", "build_id" }, "another build of the kernel", 0 },
	{ "workload", { "digest" }, "another workload", 0 },
	{ "machine", { "cpu", "model" }, "another machine", 0 },
	/* Less what the firmware and the kernel take for themselves, which is not the same in each
	   boot. */
	{ "machine", { "memory_bytes" }, "another amount of memory", 0.01 },
	{ "target", { "partuuid" }, "another target", 0 },
	{ "target", { "disk", "serial" }, "another disk", 0 },
};

static const char *record_of(const json_t *line)
{
	const char *name = json_string_value(json_object_get(line, "record"));

	return name ? name : "";
}

/* The last line of a record. */
static const json_t *last_line(const json_t *lines, const char *record)
{
	const json_t *line, *found = NULL;
	size_t index;

	json_array_foreach(lines, index, line) if (!strcmp(record_of(line), record)) found = line;
	return found;
}

static const json_t *value_at(const json_t *lines, const char *record, const char *const path[2])
{
	const json_t *value = json_object_get(last_line(lines, record), path[0]);

	return path[1] ? json_object_get(value, path[1]) : value;
}

/* Null is like nothing: what is not known may differ. */
static bool is_alike(const struct trait *trait, const json_t *before, const json_t *now)
{
	const json_t *a = value_at(before, trait->record, trait->path);
	const json_t *b = value_at(now, trait->record, trait->path);
	double x = json_number_value(a), y = json_number_value(b);

	if (!a || !b || json_is_null(a))
		return false;
	return json_equal(a, b) || fabs(x - y) < trait->tolerance * fmax(x, y);
}

/* The first key whose value differs. NULL where there is none. */
static const char *other_setting(const json_t *before, const json_t *now)
{
	const json_t *configs[] = { json_object_get(last_line(before, "run"), "config"),
				    json_object_get(last_line(now, "run"), "config") };

	for (enum config_key key = 0; key < CONFIG_KEYS; key++) {
		const char *name = config_key_name(key);
		const json_t *before_value = json_object_get(configs[0], name);
		const json_t *value = json_object_get(configs[1], name);

		if (key != KEY_RESUME && before_value != value && !json_equal(before_value, value))
			return name;
	}
	return NULL;
}

/* Why the trials of the two cannot stand in one report. "" where they can. */
static const char *difference(const json_t *before, const json_t *now, char words[96])
{
	const char *setting = other_setting(before, now);

	words[0] = '\0';
	for (size_t i = 0; i < ARRAY_LENGTH(alike) && !words[0]; i++)
		if (!is_alike(&alike[i], before, now))
			snprintf(words, 96, "that was %s", alike[i].words);
	if (!words[0] && setting)
		snprintf(words, 96, "%s was set to something else", setting);
	return words;
}

/* A session's identity among those of a run, also of its trials. */
static const char *name_session(char name[96], const json_t *line)
{
	const char *filesystem = json_string_value(json_object_get(line, "filesystem"));
	const char *variant = json_string_value(json_object_get(line, "variant"));
	const char *store = json_string_value(json_object_get(line, "store"));

	snprintf(name, 96, "%lld %s %s %s",
		 (long long)json_integer_value(json_object_get(line, "round")),
		 filesystem ? filesystem : "", variant ? variant : "", store ? store : "");
	return name;
}

/* The sessions that were finished, by identity, each with when it ended. */
static json_t *finished_sessions(const json_t *lines)
{
	json_t *finished = json_object();
	const json_t *line;
	size_t index;
	char name[96];

	json_array_foreach(lines, index, line)
	{
		const char *status = json_string_value(json_object_get(line, "status"));

		if (strcmp(record_of(line), "session") || !status || strcmp(status, "complete"))
			continue;
		json_object_set_new(
			finished, name_session(name, line),
			json_real(json_number_value(json_object_get(line, "at_seconds")) +
				  json_number_value(json_object_get(line, "seconds"))));
	}
	return finished;
}

static double end_of(const json_t *finished)
{
	json_t *ended;
	const char *name;
	double last = 0;

	json_object_foreach((json_t *)finished, name, ended) last =
		fmax(last, json_real_value(ended));
	return last;
}

/* Whatever was told in the sessions that were finished. */
static int copy_lines(struct run *run, const json_t *finished)
{
	json_t *line;
	size_t index;
	char name[96];

	json_array_foreach(run->unfinished.lines, index, line)
	{
		const char *record = record_of(line);

		if (strcmp(record, "session") && strcmp(record, "trial"))
			continue;
		if (!json_object_get(finished, name_session(name, line)))
			continue;
		int result = journal_append(run->journal, record, json_deep_copy(line));
		if (result == -ENOMEM)
			return result;
	}
	return 0;
}

/* The record comes first: who finds fewer sessions behind it knows that copying was cut short. */
static int take_over(struct run *run, json_t *finished)
{
	unsigned count = (unsigned)json_object_size(finished);
	double seconds = end_of(finished);

	progress_say(run->progress, "going on with run %s: %u finished session%s %s taken over",
		     run->unfinished.source, count, count == 1 ? "" : "s",
		     count == 1 ? "is" : "are");
	journal_append(run->journal, "resume",
		       json_pack("{s:s,s:i,s:f}", "run", run->unfinished.source, "sessions",
				 (int)count, "seconds", seconds));
	run->taken_over = finished;
	run->started -= seconds;
	return copy_lines(run, finished);
}

/* Why nothing is gone on with. "" where the finished sessions of the unfinished run can be. */
static const char *obstacle(const struct run *run, const json_t *finished, char words[160])
{
	char differs[96];

	words[0] = '\0';
	if (!json_object_size(finished))
		snprintf(
			words, 160,
			"there is no run that was cut short or stopped after it had finished a session");
	else if (*difference(run->unfinished.lines, journal_lines(run->journal), differs))
		snprintf(words, 160, "run %s is not gone on with: %s", run->unfinished.source,
			 differs);
	return words;
}

int run_resume(struct run *run)
{
	char words[160];
	int result = 0;

	if (!run->plan.resume || run->plan.dry_run)
		return 0;
	json_t *finished = finished_sessions(run->unfinished.lines);
	if (*obstacle(run, finished, words)) {
		progress_say(run->progress, "%s", words);
		journal_note(run->journal, "resume = yes, but %s", words);
	} else {
		result = take_over(run, json_incref(finished));
	}
	json_decref(finished);
	unfinished_free(&run->unfinished);
	return result;
}

bool resume_has(const struct run *run, unsigned round, unsigned place)
{
	char name[96];

	if (!run->taken_over)
		return false;
	const struct plan_session which = plan_session(&run->plan, round, place);
	const struct filesystem *fs = run->plan.filesystems[which.filesystem];
	snprintf(name, sizeof(name), "%u %s %s %s", round, fs->type, fs->variant,
		 run->plan.stores[which.store]->name);
	return json_object_get(run->taken_over, name);
}

unsigned resume_unverified(const struct run *run)
{
	const json_t *line;
	unsigned count = 0;
	size_t index;
	char name[96];

	if (!run->taken_over)
		return 0;
	json_array_foreach(journal_lines(run->journal), index, line) count +=
		!strcmp(record_of(line), "trial") &&
		json_object_get(run->taken_over, name_session(name, line)) &&
		!json_is_true(json_object_get(line, "verified"));
	return count;
}
