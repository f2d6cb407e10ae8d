/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report as its page shows it: the cells of the summary with their trials, numbered by subject (a
 * filesystem in one variant: what is compared) and by setup (how it was blitted: report/setup.h).
 */
#ifndef BLITBENCH_REPORT_PAGE_H
#define BLITBENCH_REPORT_PAGE_H

#include <stdbool.h>

#include "report/setup.h"

struct page_cell {
	const json_t *cell; /* of the summary */
	size_t subject, setup;
	bool begins_line;      /* no cell before it has the same line_keys (report/setup.h) */
	const json_t **trials; /* in order */
	size_t trial_count;
};

struct page {
	const json_t *report, *summary;
	struct page_cell *cells; /* in the summary's order */
	size_t cell_count;
	const json_t **trials; /* all that belong to some cell, cell by cell */
	const struct page_cell **cell_of; /* of each of the report's trials; NULL where it has none */
	/* Subjects from the fastest to the slowest in the main figures, and a cell of each. */
	const struct page_cell **subjects;
	size_t subject_count;
	struct setups setups; /* in order of appearance */
	/* What the main figures are of: moss's own way where it was measured. */
	size_t main_setup;
	const char *operation;
};

/* -ENOMEM, else 0. The report stays the caller's and must outlive the page. */
int page_build(struct page *page, const json_t *report);
void page_free(struct page *page);

/* NULL where there is none. */
const struct page_cell *page_find(const struct page *page, size_t subject, size_t setup,
				  const char *cache, const char *operation);

/* The cell of the same line (report/setup.h) with that cache; NULL where there is none. */
const struct page_cell *page_beside(const struct page *page, const struct page_cell *cell,
				    const char *cache);

/* A number of the cell found, NaN where there is no cell or it has none. */
double page_number(const struct page_cell *cell, const char *key);

/* The greatest of that number among cells of the setup and cache; 0 where there is none. */
double page_greatest(const struct page *page, size_t setup, const char *cache, const char *key);

/* "xfs-parent" */
void page_subject_label(char *text, size_t size, const struct page *page, size_t subject);

#define _cleanup_page_ __attribute__((cleanup(page_free)))

#endif
