/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trials sorted into cells: one for every combination that trials were made of, in order of first
 * appearance. The replicate is the session (within a cell: the round), so what is compared and
 * summed up are the medians of its sessions. Trials that are not valid take no part; a cell left
 * with none of them stays.
 */
#ifndef BLITBENCH_REPORT_CELLS_H
#define BLITBENCH_REPORT_CELLS_H

#include "report/record.h"

struct cell {
	const struct cell_key *key;
	const struct trial_record **trials; /* the valid ones, session by session */
	size_t count;
};

struct cells {
	struct cell *list;
	size_t count, trial_count;           /* cells; trials of all of them together */
	const struct trial_record **members; /* of all cells, cell after cell */
	double *values;                      /* room for one of each trial */
};

/* A figure of a trial; NaN where it was not measured. */
typedef double (*trial_value)(const struct trial_record *trial);

double trial_seconds(const struct trial_record *trial);
double trial_entries_per_second(const struct trial_record *trial);

/* Whether it is part of its cell's figures: valid, and with a time. */
bool trial_counted(const struct trial_record *trial);

bool cell_key_equal(const struct cell_key *left, const struct cell_key *right);

/* The same with zeroes behind each text: equal keys are the same bytes. */
struct cell_key cell_key_plain(const struct cell_key *key);

/* The keys of a cell as a report tells them, a new object. */
json_t *cell_key_to_json(const struct cell_key *key);

/* The trials are borrowed, the list of them is not. -ENOMEM; cells_free is safe after it, and on zeroes. */
int cells_make(struct cells *cells, const struct trial_record *const *trials, size_t count);
void cells_free(struct cells *cells);

/* The medians of the cell's sessions, sorted, into room for cell->count; returns how many sessions
 * have one. */
size_t cells_medians(const struct cells *cells, const struct cell *cell, trial_value value,
		     double *medians);

#endif
