/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/cells.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/values.h"
#include "measure/statistics.h"

double trial_seconds(const struct trial_record *trial)
{
	return trial->seconds;
}

double trial_entries_per_second(const struct trial_record *trial)
{
	return trial->seconds > 0 ? (double)trial->entries / trial->seconds : NAN;
}

bool cell_key_equal(const struct cell_key *left, const struct cell_key *right)
{
	return !strcmp(left->filesystem, right->filesystem) &&
	       !strcmp(left->variant, right->variant) && !strcmp(left->engine, right->engine) &&
	       !strcmp(left->strategy, right->strategy) && !strcmp(left->store, right->store) &&
	       !strcmp(left->cache, right->cache) && !strcmp(left->operation, right->operation) &&
	       !strcmp(left->governor, right->governor) && left->threads == right->threads;
}

static json_t *text_or_null(const char *text)
{
	return json_text(*text ? text : NULL);
}

json_t *cell_key_to_json(const struct cell_key *key)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}",
		"filesystem", json_text(key->filesystem),
		"variant", text_or_null(key->variant),
		"engine", text_or_null(key->engine),
		"strategy", text_or_null(key->strategy),
		"threads", (json_int_t)key->threads,
		"store", text_or_null(key->store),
		"governor", text_or_null(key->governor),
		"cache", json_text(key->cache),
		"operation", json_text(key->operation));
}

struct cell_key cell_key_plain(const struct cell_key *key)
{
	struct cell_key plain = { .threads = key->threads };

	memccpy(plain.filesystem, key->filesystem, 0, sizeof(plain.filesystem));
	memccpy(plain.variant, key->variant, 0, sizeof(plain.variant));
	memccpy(plain.engine, key->engine, 0, sizeof(plain.engine));
	memccpy(plain.strategy, key->strategy, 0, sizeof(plain.strategy));
	memccpy(plain.store, key->store, 0, sizeof(plain.store));
	memccpy(plain.governor, key->governor, 0, sizeof(plain.governor));
	memccpy(plain.cache, key->cache, 0, sizeof(plain.cache));
	memccpy(plain.operation, key->operation, 0, sizeof(plain.operation));
	return plain;
}

/* The index of the key's cell, which is added where it is new. The numbers are those of the keys so far. */
static size_t find_cell(struct cells *cells, json_t *numbers, const struct cell_key *key)
{
	struct cell_key plain = cell_key_plain(key);
	const json_t *number = json_object_getn(numbers, (const char *)&plain, sizeof(plain));

	if (number)
		return (size_t)json_integer_value(number);
	json_object_setn_new_nocheck(numbers, (const char *)&plain, sizeof(plain),
				     json_integer((json_int_t)cells->count));
	cells->list[cells->count].key = key;
	return cells->count++;
}

bool trial_counted(const struct trial_record *trial)
{
	return trial_valid(trial) && isfinite(trial->seconds);
}

/* By session and number. */
static int by_session(const void *left, const void *right)
{
	const struct trial_record *a = *(const struct trial_record *const *)left;
	const struct trial_record *b = *(const struct trial_record *const *)right;

	if (a->round != b->round)
		return a->round < b->round ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

int cells_make(struct cells *cells, const struct trial_record *const *trials, size_t count)
{
	_cleanup_free_ size_t *cell_of = calloc(count + 1, sizeof(*cell_of));
	json_t *numbers = json_object();

	*cells = (struct cells){
		.list = calloc(count + 1, sizeof(*cells->list)),
		.members = calloc(count + 1, sizeof(*cells->members)),
		.values = calloc(count + 1, sizeof(*cells->values)),
	};
	if (!cell_of || !cells->list || !cells->members || !cells->values || !numbers) {
		json_decref(numbers);
		return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++) {
		cell_of[i] = find_cell(cells, numbers, &trials[i]->cell);
		cells->list[cell_of[i]].count += trial_counted(trials[i]);
	}
	json_decref(numbers);
	for (size_t i = 0; i < cells->count; i++) {
		cells->list[i].trials = cells->members + cells->trial_count;
		cells->trial_count += cells->list[i].count;
		cells->list[i].count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct cell *cell = &cells->list[cell_of[i]];

		if (trial_counted(trials[i]))
			cell->trials[cell->count++] = trials[i];
	}
	for (size_t i = 0; i < cells->count; i++)
		if (cells->list[i].count)
			qsort(cells->list[i].trials, cells->list[i].count,
			      sizeof(*cells->list[i].trials), by_session);
	return 0;
}

void cells_free(struct cells *cells)
{
	free(cells->list);
	free(cells->members);
	free(cells->values);
	*cells = (struct cells){ 0 };
}

size_t cells_medians(const struct cells *cells, const struct cell *cell, trial_value value,
		     double *medians)
{
	size_t sessions = 0, used = 0;

	for (size_t i = 0; i < cell->count; i++) {
		bool last = i + 1 == cell->count ||
			    cell->trials[i + 1]->round != cell->trials[i]->round;

		cells->values[used++] = value(cell->trials[i]);
		if (!last)
			continue;
		used = statistics_sort(cells->values, used);
		if (used)
			medians[sessions++] = statistics_median(cells->values, used);
		used = 0;
	}
	return statistics_sort(medians, sessions);
}
