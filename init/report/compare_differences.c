/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What two runs were made with and on, and whether that can be compared at all. */
#include "report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/values.h"
#include "report/fields.h"

/* The list of differences that is being made, and how. */
struct search {
	json_t *list;
	bool known_only; /* what one of the two does not tell is no difference */
};

static void add_difference(const struct search *search, const char *path, const json_t *baseline,
			   const json_t *report)
{
	json_t *left = baseline ? json_deep_copy(baseline) : json_null();
	json_t *right = report ? json_deep_copy(report) : json_null();
	bool same = json_equal(left, right);

	if (same || (search->known_only && (json_is_null(left) || json_is_null(right)))) {
		json_decref(left);
		json_decref(right);
		return;
	}
	json_array_append_new(search->list, json_pack("{s:o, s:o, s:o}", "what",
						      json_text(path), "baseline", left, "report",
						      right));
}

static void compare_values(const struct search *search, const char *path, const json_t *baseline,
			   const json_t *report);

static void compare_key(const struct search *search, const char *path, const char *key,
			const json_t *baseline, const json_t *report)
{
	_cleanup_free_ char *inner = NULL;

	if (asprintf(&inner, "%s.%s", path, key) < 0) {
		inner = NULL;
		return;
	}
	compare_values(search, inner, json_object_get(baseline, key), json_object_get(report, key));
}

/* What says nothing about how the two were measured, or says again what other keys sum up. */
static bool passed_over(const char *path)
{
	static const char *const paths[] = {
		"machine.cpufreq.policies", "machine.cpufreq.settings", "target.partuuid",
	};

	for (size_t i = 0; i < ARRAY_LENGTH(paths); i++)
		if (!strcmp(path, paths[i]))
			return true;
	return false;
}

/* Objects are compared key by key; one that is missing is like one without keys. */
static void compare_values(const struct search *search, const char *path, const json_t *baseline,
			   const json_t *report)
{
	const json_t *value;
	const char *key;

	if (passed_over(path))
		return;
	if (!json_is_object(baseline) && !json_is_object(report)) {
		add_difference(search, path, baseline, report);
		return;
	}
	json_object_foreach((json_t *)baseline, key, value)
		compare_key(search, path, key, baseline, report);
	json_object_foreach((json_t *)report, key, value)
		if (!json_object_get(baseline, key))
			compare_key(search, path, key, baseline, report);
}

/* The command without the name of the node, which is made for the run. */
static json_t *mkfs_words(const json_t *session)
{
	json_t *argv = json_deep_copy(field(session, "mkfs.argv"));

	if (json_is_array(argv) && json_array_size(argv))
		json_array_remove(argv, json_array_size(argv) - 1);
	return argv;
}

static void compare_sessions(const struct search *search, const json_t *baseline,
			     const json_t *report)
{
	static const char *const paths[] = {
		"age", "mkfs.version", "mount.type", "mount.options", "mount.effective",
		"features", "populate.order", "populate.writers",
	};
	char name[160], path[192];
	json_t *left, *right;

	snprintf(name, sizeof(name), "%.40s %.40s, store %.40s",
		 field_text(baseline, "filesystem", ""), field_text(baseline, "variant", "default"),
		 field_text(baseline, "store", "?"));
	for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
		snprintf(path, sizeof(path), "%s: %s", name, paths[i]);
		compare_values(search, path, field(baseline, paths[i]), field(report, paths[i]));
	}
	left = mkfs_words(baseline);
	right = mkfs_words(report);
	snprintf(path, sizeof(path), "%s: mkfs.argv", name);
	add_difference(search, path, left, right);
	json_decref(left);
	json_decref(right);
}

static const char *const session_identity[] = { "filesystem", "variant", "store", NULL };

static const json_t *first_session_like(const json_t *sessions, const json_t *wanted)
{
	const json_t *session;
	size_t index;

	json_array_foreach(sessions, index, session)
		if (fields_equal(session, wanted, session_identity))
			return session;
	return NULL;
}

json_t *compare_differences(const struct saved *baseline, const struct saved *report)
{
	static const char *const parts[] = {
		"run.mode", "run.profile", "run.image", "run.kernel", "machine", "target",
		"workload", "run.config",
	};
	struct search search = { .list = json_array(), .known_only = baseline->published };
	const json_t *sessions = field(baseline->report, "sessions"), *session;
	size_t index;

	for (size_t i = 0; i < ARRAY_LENGTH(parts); i++)
		compare_values(&search, parts[i], field(baseline->report, parts[i]),
			       field(report->report, parts[i]));
	json_array_foreach(sessions, index, session) {
		const json_t *other =
			first_session_like(field(report->report, "sessions"), session);

		if (other && session == first_session_like(sessions, session))
			compare_sessions(&search, session, other);
	}
	return search.list;
}

/* "bare metal"; NULL where nothing is known of the machine. */
static const char *machine_kind(const struct saved *saved)
{
	const json_t *machine = field(saved->report, "machine");

	if (field_text(machine, "virtual", NULL))
		return field_text(machine, "virtual", NULL);
	return field_text(machine, "cpu.model", NULL) ? "bare metal" : NULL;
}

static json_t *machine_obstacle(const struct saved *baseline, const struct saved *report)
{
	const char *left = machine_kind(baseline), *right = machine_kind(report);

	if (!left || !right)
		return json_sprintf("%s does not tell what machine it was made on",
				    left ? report->name : baseline->name);
	if (!strcmp(left, right))
		return NULL;
	return json_sprintf("%s was made on %s%s, %s on %s%s: another kind of machine",
			    baseline->name, field_text(baseline->report, "machine.virtual", NULL)
						    ? "the virtual machine " : "", left,
			    report->name, field_text(report->report, "machine.virtual", NULL)
						  ? "the virtual machine " : "", right);
}

/* The published table has no digest; what is known of its workload is how many entries it has. */
static json_t *published_obstacle(const struct saved *published, const struct saved *report)
{
	static const char *const keys[] = { "entries", "install_entries", NULL };
	const json_t *left = field(published->report, "workload");
	const json_t *right = field(report->report, "workload");

	if (fields_equal(left, right, keys))
		return NULL;
	if (isnan(field_number(right, keys[0])) || isnan(field_number(right, keys[1])))
		return json_sprintf("%s does not tell how many entries its workload has",
				    report->name);
	return json_sprintf("the published workload has %.0f and %.0f entries, that of %s %.0f and "
			    "%.0f: other work", field_number(left, keys[0]),
			    field_number(left, keys[1]), report->name,
			    field_number(right, keys[0]), field_number(right, keys[1]));
}

static json_t *workload_obstacle(const struct saved *baseline, const struct saved *report)
{
	const char *left = field_text(baseline->report, "workload.digest", NULL);
	const char *right = field_text(report->report, "workload.digest", NULL);

	if (baseline->published)
		return published_obstacle(baseline, report);
	if (!left || !right)
		return json_sprintf(
			"%s does not tell its workload's digest: whether it is the same "
			"work is not known",
			left ? report->name : baseline->name);
	if (!strcmp(left, right))
		return NULL;
	return json_sprintf("%s has the workload %s, %s has %s, with another digest: other work",
			    baseline->name,
			    field_text(baseline->report, "workload.name", "unknown"), report->name,
			    field_text(report->report, "workload.name", "unknown"));
}

bool compare_same_work(const struct saved *baseline, const struct saved *report)
{
	json_t *obstacle;
	bool same;

	if (baseline->published)
		return false;
	obstacle = workload_obstacle(baseline, report);
	same = !obstacle;
	json_decref(obstacle);
	return same;
}

json_t *compare_obstacles(const struct saved *baseline, const struct saved *report)
{
	json_t *list = json_array(), *machine = machine_obstacle(baseline, report);
	json_t *workload = workload_obstacle(baseline, report);

	if (machine)
		json_array_append_new(list, machine);
	if (workload)
		json_array_append_new(list, workload);
	return list;
}
