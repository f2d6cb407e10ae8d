/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/html_page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/fields.h"
#include "report/setup.h"

/* The number of what the object has under these keys: the count of those before it where it is new. */
static size_t number_of(json_t *numbers, const json_t *object, const char *const *keys)
{
	_cleanup_free_ char *key = fields_key(object, keys);
	const json_t *number = key ? json_object_get(numbers, key) : NULL;
	size_t next = json_object_size(numbers);

	if (number)
		return (size_t)json_integer_value(number);
	if (key)
		json_object_set_new_nocheck(numbers, key, json_integer((json_int_t)next));
	return next;
}

/* Numbers all cells; returns which trial belongs to which of them. */
static json_t *number_cells(struct page *page)
{
	json_t *subjects = json_object(), *setups = json_object(), *cells = json_object();
	const json_t *cell;
	size_t index;

	json_array_foreach(page->summary, index, cell) {
		struct page_cell *made = &page->cells[index];

		made->cell = cell;
		made->subject = number_of(subjects, cell, subject_keys);
		made->setup = number_of(setups, cell, setup_keys);
		number_of(cells, cell, cell_keys);
		if (!page->subjects[made->subject])
			page->subjects[made->subject] = made;
		if (!page->setups[made->setup])
			page->setups[made->setup] = made;
	}
	page->subject_count = json_object_size(subjects);
	page->setup_count = json_object_size(setups);
	json_decref(subjects);
	json_decref(setups);
	return cells;
}

/* NULL where the trial is of no cell of the summary. */
static struct page_cell *cell_of(struct page *page, const json_t *numbers, const json_t *trial)
{
	_cleanup_free_ char *key = fields_key(trial, cell_keys);
	const json_t *number = key ? json_object_get(numbers, key) : NULL;

	return number ? &page->cells[json_integer_value(number)] : NULL;
}

static int sort_trials(struct page *page, const json_t *numbers)
{
	const json_t *trials = field(page->report, "trials"), *trial;
	_cleanup_free_ struct page_cell **cells =
		calloc(json_array_size(trials) + 1, sizeof(*cells));
	size_t index, used = 0;

	if (!cells)
		return -ENOMEM;
	json_array_foreach(trials, index, trial) {
		cells[index] = cell_of(page, numbers, trial);
		if (cells[index])
			cells[index]->trial_count++;
	}
	for (size_t i = 0; i < page->cell_count; i++) {
		page->cells[i].trials = page->trials + used;
		used += page->cells[i].trial_count;
		page->cells[i].trial_count = 0;
	}
	json_array_foreach(trials, index, trial)
		if (cells[index])
			cells[index]->trials[cells[index]->trial_count++] = trial;
	return 0;
}

static void choose_main(struct page *page)
{
	for (size_t i = page->setup_count; i--;) {
		const json_t *cell = page->setups[i]->cell;

		if (!strcmp(field_text(cell, "engine", ""), "moss-2025") &&
		    !strcmp(field_text(cell, "store", "3x2"), "3x2"))
			page->main_setup = i;
	}
	page->operation = "remove";
	for (size_t i = page->cell_count; i--;) {
		const char *operation = field_text(page->cells[i].cell, "operation", "");

		if (page->cells[i].setup == page->main_setup) {
			page->operation = operation;
			if (!strcmp(operation, "remove"))
				return;
		}
	}
}

static double main_seconds(const struct page *page, size_t subject)
{
	double cold =
		page_number(page_find(page, subject, page->main_setup, "cold", page->operation),
			    "median_seconds");
	double hot = page_number(page_find(page, subject, page->main_setup, "hot", page->operation),
				 "median_seconds");

	/* Any cold figure is behind all hot ones: a page is of both, or of one of them. */
	return isfinite(cold) ? cold : isfinite(hot) ? hot : INFINITY;
}

/* Numbers the subjects anew, the fastest first; those that are equal stay in order. */
static void order_subjects(struct page *page)
{
	size_t count = page->subject_count;
	double *seconds = calloc(count + 1, sizeof(*seconds));
	size_t *place = calloc(count + 1, sizeof(*place));
	const struct page_cell **first = calloc(count + 1, sizeof(*first));

	for (size_t i = 0; seconds && i < count; i++)
		seconds[i] = main_seconds(page, i);
	for (size_t i = 0; seconds && place && first && i < count; i++) {
		for (size_t j = 0; j < count; j++)
			place[i] += seconds[j] < seconds[i] || (seconds[j] == seconds[i] && j < i);
		first[place[i]] = page->subjects[i];
	}
	if (seconds && place && first) {
		memcpy(page->subjects, first, count * sizeof(*first));
		for (size_t i = 0; i < page->cell_count; i++)
			page->cells[i].subject = place[page->cells[i].subject];
	}
	free(seconds);
	free(place);
	free(first);
}

int page_build(struct page *page, const json_t *report)
{
	const json_t *summary = field(report, "summary");
	size_t count = json_array_size(summary);
	json_t *numbers;
	int error;

	*page = (struct page){ .report = report, .summary = summary, .cell_count = count };
	page->cells = calloc(count + 1, sizeof(*page->cells));
	page->subjects = calloc(count + 1, sizeof(*page->subjects));
	page->setups = calloc(count + 1, sizeof(*page->setups));
	page->trials = calloc(json_array_size(field(report, "trials")) + 1, sizeof(*page->trials));
	if (!page->cells || !page->subjects || !page->setups || !page->trials) {
		page_free(page);
		return -ENOMEM;
	}
	numbers = number_cells(page);
	error = sort_trials(page, numbers);
	json_decref(numbers);
	if (error) {
		page_free(page);
		return error;
	}
	choose_main(page);
	order_subjects(page);
	return 0;
}

void page_free(struct page *page)
{
	free(page->cells);
	free(page->subjects);
	free(page->setups);
	free(page->trials);
	*page = (struct page){ 0 };
}

const struct page_cell *page_find(const struct page *page, size_t subject, size_t setup,
				  const char *cache, const char *operation)
{
	for (size_t i = 0; i < page->cell_count; i++) {
		const struct page_cell *cell = &page->cells[i];

		if (cell->subject == subject && cell->setup == setup &&
		    !strcmp(field_text(cell->cell, "cache", ""), cache) &&
		    !strcmp(field_text(cell->cell, "operation", ""), operation))
			return cell;
	}
	return NULL;
}

double page_number(const struct page_cell *cell, const char *key)
{
	return cell ? field_number(cell->cell, key) : NAN;
}

double page_greatest(const struct page *page, size_t setup, const char *cache, const char *key)
{
	double greatest = 0;

	for (size_t i = 0; i < page->cell_count; i++)
		if (page->cells[i].setup == setup &&
		    !strcmp(field_text(page->cells[i].cell, "cache", ""), cache))
			greatest = fmax(greatest, page_number(&page->cells[i], key));
	return greatest;
}

void page_subject_label(char *text, size_t size, const struct page *page, size_t subject)
{
	filesystem_label(text, size, page->subjects[subject]->cell);
}

void page_setup_label(char *text, size_t size, const struct page *page, size_t setup)
{
	setup_label(text, size, page->summary, page->setups[setup]->cell);
}
