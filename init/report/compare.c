/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/values.h"
#include "report/compare_cells.h"
#include "report/fields.h"
#include "report/json_file.h"
#include "report/published.h"

#define SCHEMA "blitbench-compare/1"

static json_t *caveats_of(const struct saved *saved)
{
	json_t *list = json_array();

	for (size_t i = 0; saved->published && published_caveats[i]; i++)
		json_array_append_new(list, json_string(published_caveats[i]));
	return list;
}

static json_t *describe(const struct saved *saved)
{
	static const char *const keys[] = { "id", "status", "profile", "started" };
	json_t *json = json_object();

	json_object_set_new(json, "name", json_text(saved->name));
	for (size_t i = 0; i < ARRAY_LENGTH(keys); i++) {
		json_t *value = json_object_get(field(saved->report, "run"), keys[i]);

		if (value)
			json_object_set(json, keys[i], value);
		else
			json_object_set_new(json, keys[i], json_null());
	}
	json_object_set_new(json, "source", json_text(saved->published ? published_source : NULL));
	json_object_set_new(json, "caveats", caveats_of(saved));
	return json;
}

static json_t *versus_to_json(const struct versus *versus, const struct matches *matches,
			      json_t *obstacles)
{
	bool forced = json_array_size(obstacles);

	return json_pack("{s:o, s:b, s:O, s:o, s:s, s:o, s:o, s:o, s:o}",
		"report", describe(versus->report),
		"forced", forced,
		"obstacles", obstacles,
		"differences", compare_differences(versus->baseline, versus->report),
		"measure", versus->per_entry ? "seconds_per_entry" : "seconds",
		"tests", matches_tests(matches),
		"cells", matches_to_json(matches, versus, forced),
		"only_in_baseline", matches_only_in_baseline(versus),
		"only_in_report", matches_only_in_report(versus));
}

static int refuse(const struct saved *report, const json_t *obstacles)
{
	const json_t *obstacle;
	char text[2048];
	size_t index, used = 0;

	json_array_foreach(obstacles, index, obstacle) {
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
					 index ? "; " : "", json_string_value(obstacle));
		if (used >= sizeof(text))
			break;
	}
	return error_set(-EXDEV,
			 "%s cannot be compared: %s. --force does it all the same, and says "
			 "so in every line",
			 report->name, text);
}

static int compare_one(json_t *list, const struct versus *versus, bool force)
{
	__attribute__((cleanup(matches_free))) struct matches matches = { 0 };
	json_t *obstacles = compare_obstacles(versus->baseline, versus->report);
	int error = 0;

	if (json_array_size(obstacles) && !force)
		error = refuse(versus->report, obstacles);
	if (!error)
		error = matches_make(&matches, versus);
	if (!error && !matches.count)
		error = error_set(-EINVAL,
				  "%s and %s have no cell in common: no filesystem, engine, "
				  "store, cache and operation that both measured",
				  versus->baseline->name, versus->report->name);
	if (!error)
		json_array_append_new(list, versus_to_json(versus, &matches, obstacles));
	json_decref(obstacles);
	return error;
}

static bool same_run(const struct saved *left, const struct saved *right)
{
	const char *id = field_text(left->report, "run.id", NULL);

	if (id && !strcmp(id, field_text(right->report, "run.id", "")))
		return true;
	return json_equal(left->report, right->report);
}

static int check_different(const struct saved *baseline, const struct saved *reports, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct saved *other = same_run(baseline, &reports[i]) ? baseline : NULL;

		for (size_t j = 0; j < i && !other; j++)
			other = same_run(&reports[j], &reports[i]) ? &reports[j] : NULL;
		if (other)
			return error_set(-EINVAL, "%s and %s are the same run (%s): name each once",
					 other->name, reports[i].name,
					 field_text(other->report, "run.id", "without an id"));
	}
	return 0;
}

int compare_build(json_t **comparison, const struct saved *baseline, const struct saved *reports,
		  size_t count, bool force)
{
	int error = check_different(baseline, reports, count);
	json_t *list = json_array();

	for (size_t i = 0; i < count && !error; i++) {
		struct versus versus = { .baseline = baseline, .report = &reports[i] };

		versus.per_entry = !compare_same_work(baseline, &reports[i]);
		error = compare_one(list, &versus, force);
	}
	if (error) {
		json_decref(list);
		return error;
	}
	*comparison = json_pack("{s:s, s:o, s:o, s:o, s:n}",
		"schema", SCHEMA,
		"only", baseline->only ? json_incref(baseline->only) : json_array(),
		"baseline", describe(baseline),
		"comparisons", list,
		"verdict");
	return *comparison ? 0 : error_set(-ENOMEM, "out of memory");
}

char *compare_json(const json_t *comparison)
{
	return json_file_text(comparison);
}
