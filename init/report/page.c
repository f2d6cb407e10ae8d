/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/page.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/fields.h"

/* Numbers all cells. */
static int number_cells(struct page *page)
{
	_cleanup_numbering_ struct numbering subjects = { 0 }, lines = { 0 };
	int error = setups_make(&page->setups, page->summary);

	error = error ?: numbering_make(&subjects, page->summary, subject_keys);
	error = error ?: numbering_make(&lines, page->summary, line_keys);
	if (error)
		return error;
	for (size_t i = 0; i < page->cell_count; i++)
		page->cells[i] = (struct page_cell){
			.cell = json_array_get(page->summary, i),
			.subject = subjects.of[i],
			.setup = page->setups.by.of[i],
			.begins_line = lines.first[lines.of[i]] == i,
		};
	page->subject_count = subjects.count;
	for (size_t i = 0; i < subjects.count; i++)
		page->subjects[i] = &page->cells[subjects.first[i]];
	return 0;
}

/* Gives each cell its trials. */
static int sort_trials(struct page *page)
{
	const json_t *trials = field(page->report, "trials"), *trial;
	_cleanup_numbering_ struct numbering cells = { 0 };
	int error = numbering_make(&cells, page->summary, cell_keys);
	size_t index, used = 0;

	if (error)
		return error;
	json_array_foreach(trials, index, trial) {
		size_t number = numbering_find(&cells, trial);

		if (number == cells.count)
			continue;
		page->cell_of[index] = &page->cells[cells.first[number]];
		page->cells[cells.first[number]].trial_count++;
	}
	for (size_t i = 0; i < page->cell_count; i++) {
		page->cells[i].trials = page->trials + used;
		used += page->cells[i].trial_count;
		page->cells[i].trial_count = 0;
	}
	json_array_foreach(trials, index, trial) {
		struct page_cell *cell = (struct page_cell *)page->cell_of[index];

		if (cell)
			cell->trials[cell->trial_count++] = trial;
	}
	return 0;
}

static void choose_main(struct page *page)
{
	for (size_t i = page->setups.by.count; i--;) {
		const json_t *cell = page->cells[page->setups.by.first[i]].cell;

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
	size_t count = json_array_size(summary), trials = json_array_size(field(report, "trials"));
	int error;

	*page = (struct page){
		.report = report,
		.summary = summary,
		.cell_count = count,
		.cells = calloc(count + 1, sizeof(*page->cells)),
		.subjects = calloc(count + 1, sizeof(*page->subjects)),
		.trials = calloc(trials + 1, sizeof(*page->trials)),
		.cell_of = calloc(trials + 1, sizeof(*page->cell_of)),
	};
	if (!page->cells || !page->subjects || !page->trials || !page->cell_of)
		error = -ENOMEM;
	else
		error = number_cells(page) ?: sort_trials(page);
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
	free(page->trials);
	free(page->cell_of);
	setups_free(&page->setups);
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

const struct page_cell *page_beside(const struct page *page, const struct page_cell *cell,
				    const char *cache)
{
	return page_find(page, cell->subject, cell->setup, cache,
			 field_text(cell->cell, "operation", ""));
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
