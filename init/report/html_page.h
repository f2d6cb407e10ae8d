/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A report as its page shows it: the cells of the summary with their trials, numbered by subject (a
 * filesystem in one variant: what is compared) and by setup (how it was blitted: report/setup.h).
 */
#ifndef BLITBENCH_REPORT_HTML_PAGE_H
#define BLITBENCH_REPORT_HTML_PAGE_H

#include <jansson.h>
#include <stddef.h>

struct page_cell {
	const json_t *cell; /* of the summary */
	size_t subject, setup;
	const json_t **trials; /* in order */
	size_t trial_count;
};

struct page {
	const json_t *report, *summary;
	struct page_cell *cells; /* in the summary's order */
	size_t cell_count;
	const json_t **trials; /* all that belong to some cell, cell by cell */
	/* Subjects from the fastest to the slowest in the main figures, and a cell of each. */
	const struct page_cell **subjects;
	size_t subject_count;
	const struct page_cell **setups; /* in order of appearance, a cell of each */
	size_t setup_count;
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

/* A number of the cell found, NaN where there is no cell or it has none. */
double page_number(const struct page_cell *cell, const char *key);

/* The greatest of that number among cells of the setup and cache; 0 where there is none. */
double page_greatest(const struct page *page, size_t setup, const char *cache, const char *key);

/* "xfs-parent" */
void page_subject_label(char *text, size_t size, const struct page *page, size_t subject);

/* "handle, 2 threads"; "" where the run has one setup. */
void page_setup_label(char *text, size_t size, const struct page *page, size_t setup);

#endif
