/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/by.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/values.h"
#include "measure/statistics.h"
#include "report/columns.h"
#include "report/fields.h"
#include "report/setup.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUP_COLUMNS = 40 };

static int out_of_memory(void)
{
	return error_set(-ENOMEM, "out of memory for the table");
}

int by_begin(struct by *by, const char *path)
{
	*by = (struct by){
		.path = path,
		.seen = json_object(),
		.left_out = json_object(),
		.places = json_object(),
		.cells = json_array(),
	};
	return by->seen && by->left_out && by->places && by->cells ? 0 : out_of_memory();
}

void by_free(struct by *by)
{
	json_decref(by->seen);
	json_decref(by->left_out);
	json_decref(by->places);
	json_decref(by->cells);
}

int by_leave_out(struct by *by, const char *why)
{
	json_int_t before = json_integer_value(json_object_get(by->left_out, why));

	return json_object_set_new(by->left_out, why, json_integer(before + 1)) ? out_of_memory() : 0;
}

/* "Intel(R) Core(TM) i7-6700K", in a virtual machine with its kind. Freed by the caller. */
static char *group_of(const struct by *by, const json_t *report)
{
	_cleanup_free_ char *words = field_words(report, by->path);
	const char *kind = field_text(report, "machine.virtual", NULL);
	char *name;

	if (asprintf(&name, "%s%s%s%s", words ? words : "not told", kind ? " (" : "", kind ? kind : "",
		     kind ? ")" : "") < 0)
		return NULL;
	return name;
}

/* The element of the cells that the key names, made where it is new; borrowed. */
static json_t *cell_of(struct by *by, const struct cell_key *key)
{
	json_t *cell = cell_key_to_json(key);
	_cleanup_free_ char *identity = cell ? fields_key(cell, cell_keys) : NULL;
	const json_t *place = identity ? json_object_get(by->places, identity) : NULL;
	size_t next = json_array_size(by->cells);

	if (place || !identity) {
		json_decref(cell);
		return identity ? json_array_get(by->cells, (size_t)json_integer_value(place)) : NULL;
	}
	if (json_object_set_new(cell, "groups", json_object()) || json_array_append_new(by->cells, cell) ||
	    json_object_set_new_nocheck(by->places, identity, json_integer((json_int_t)next)))
		return NULL;
	return cell;
}

static int add_cell(struct by *by, const char *group, const struct saved *saved, const struct cell *cell)
{
	_cleanup_free_ double *medians = calloc(cell->count + 1, sizeof(*medians));
	json_t *groups = json_object_get(cell_of(by, cell->key), "groups");

	if (!medians || !groups)
		return out_of_memory();
	double seconds = statistics_median(medians, cells_medians(&saved->cells, cell, trial_seconds, medians));
	if (isnan(seconds))
		return 0;
	json_t *values = json_object_get(groups, group);
	if (!values && json_object_set_new(groups, group, values = json_array()))
		return out_of_memory();
	return json_array_append_new(values, json_real(seconds)) ? out_of_memory() : 0;
}

int by_add(struct by *by, const struct saved *saved)
{
	const char *id = field_text(saved->report, "run.id", "");
	const char *digest = field_text(saved->report, "workload.digest", "");
	_cleanup_free_ char *group = group_of(by, saved->report);
	int result = 0;

	if (!group)
		return out_of_memory();
	if (*id && json_object_get(by->seen, id))
		return by_leave_out(by, "the same run again");
	if (by->reports && strcmp(by->digest, digest))
		return by_leave_out(by, "another workload than the first one's");
	snprintf(by->digest, sizeof(by->digest), "%s", digest);
	if (*id && json_object_set_new(by->seen, id, json_true()))
		return out_of_memory();
	by->reports++;
	by->told |= field(saved->report, by->path) && !json_is_null(field(saved->report, by->path));
	for (size_t i = 0; i < saved->cells.count && !result; i++)
		result = add_cell(by, group, saved, &saved->cells.list[i]);
	return result;
}

struct group {
	const char *name;
	size_t reports;
	double median, minimum, maximum;
};

static int by_median(const void *left, const void *right)
{
	const struct group *a = left, *b = right;

	return a->median < b->median ? -1 : a->median > b->median ? 1 : strcmp(a->name, b->name);
}

/* What the values of one group come to. */
static int sum_up(struct group *group, const char *name, const json_t *values)
{
	size_t count = json_array_size(values);
	_cleanup_free_ double *sorted = calloc(count + 1, sizeof(*sorted));

	if (!sorted)
		return out_of_memory();
	for (size_t i = 0; i < count; i++)
		sorted[i] = json_number_value(json_array_get(values, i));
	count = statistics_sort(sorted, count);
	*group = (struct group){
		.name = name,
		.reports = count,
		.median = statistics_median(sorted, count),
		.minimum = statistics_minimum(sorted, count),
		.maximum = statistics_maximum(sorted, count),
	};
	return 0;
}

/* The groups of a cell, the fastest first. */
static json_t *groups_json(json_t *told)
{
	_cleanup_free_ struct group *groups = calloc(json_object_size(told) + 1, sizeof(*groups));
	json_t *list = json_array(), *values;
	size_t count = 0;
	const char *name;

	json_object_foreach(told, name, values)
		if (!groups || sum_up(&groups[count++], name, values))
			return json_decref(list), NULL;
	qsort(groups, count, sizeof(*groups), by_median);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(list,
				      json_pack("{s:o,s:I,s:f,s:f,s:f}", "group", json_text(groups[i].name),
						"reports", (json_int_t)groups[i].reports, "median_seconds",
						groups[i].median, "min_seconds", groups[i].minimum,
						"max_seconds", groups[i].maximum));
	return list;
}

json_t *by_json(const struct by *by)
{
	json_t *cells = json_deep_copy(by->cells), *left_out = json_array(), *cell, *count;
	const char *why;
	size_t index;

	json_object_foreach(by->left_out, why, count)
		json_array_append_new(left_out, json_pack("{s:s,s:O}", "reason", why, "reports", count));
	json_array_foreach(cells, index, cell)
		json_object_set_new(cell, "groups", groups_json(json_object_get(cell, "groups")));
	return json_pack("{s:s,s:I,s:o,s:o}", "by", by->path, "reports", (json_int_t)by->reports, "left_out",
			 left_out, "cells", cells);
}

static void print_cell(FILE *out, const json_t *cell, const char *setup)
{
	char filesystem[64];
	const json_t *group;
	size_t index;

	filesystem_label(filesystem, sizeof(filesystem), cell);
	fprintf(out, "\n%s, %s %s%s%s\n", filesystem, field_text(cell, "cache", ""),
		field_text(cell, "operation", ""), *setup ? ", " : "", setup);
	json_array_foreach(field(cell, "groups"), index, group)
	{
		fputs("  ", out);
		columns_print(out, field_text(group, "group", ""), GROUP_COLUMNS);
		fprintf(out, " %7lld %9.3f %9.3f %9.3f\n",
			(long long)json_integer_value(field(group, "reports")),
			field_number(group, "median_seconds"), field_number(group, "min_seconds"),
			field_number(group, "max_seconds"));
	}
}

char *by_text(const json_t *table)
{
	const json_t *cells = field(table, "cells"), *cell, *left_out;
	_cleanup_setups_ struct setups setups = { .cells = NULL };
	char *text = NULL;
	size_t size, index;
	FILE *out = open_memstream(&text, &size);

	if (!out || setups_make(&setups, cells)) {
		if (out)
			fclose(out);
		free(text);
		return NULL;
	}
	columns_wrap(out, "", 0, "%lld reports by %s. Seconds of a blit: the median of the reports, the least and the most.",
		     (long long)json_integer_value(field(table, "reports")), field_text(table, "by", ""));
	setups_print_common(out, &setups);
	json_array_foreach(field(table, "left_out"), index, left_out)
		columns_wrap(out, "", 0, "Left out: %lld (%s)", (long long)json_integer_value(field(left_out, "reports")),
			     field_text(left_out, "reason", ""));
	fprintf(out, "\n%*s %7s %9s %9s %9s\n", GROUP_COLUMNS + 2, "", "reports", "median", "least", "most");
	json_array_foreach(cells, index, cell)
		print_cell(out, cell, setups.labels[setups.by.of[index]]);
	if (!fclose(out))
		return text;
	free(text);
	return NULL;
}
