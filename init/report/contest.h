/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who is ranked against whom, and the tests between them: what report/ranking.h is made of. */
#ifndef BLITBENCH_REPORT_CONTEST_H
#define BLITBENCH_REPORT_CONTEST_H

#include "report/cells.h"

/* More are not ranked: a run has a handful of filesystems, each of which is tested against all. */
enum { CONTEST_ENTRANTS_MAX = 32 };

/* A cell with the medians of its sessions. */
struct entrant {
	const struct cell_key *key;
	const double *sessions; /* sorted */
	size_t count;
	double median;
	size_t index; /* in its group, by first appearance */
};

/* Cells that differ in filesystem and variant only. */
struct group {
	struct cell_key key, table_key;
	struct entrant *entrants;
	size_t count;
	double *p;    /* of each two, corrected: entrant by entrant; NULL above the limit */
	size_t table; /* the index of the first group of its table */
	size_t tests; /* of its table */
};

struct contest {
	const struct cells *cells;
	struct group *groups;
	struct entrant *entrants;
	double *medians;
	size_t group_count;
};

/* The cells are borrowed. -ENOMEM; contest_free is safe after it, and on zeroes. */
int contest_make(struct contest *contest, const struct cells *cells);
void contest_free(struct contest *contest);

/* The test between the sessions' medians of two cells, not corrected: NaN where one of them has too few for
 * a ranking, or too many for the exact test. */
double contest_test(const double *left, size_t left_count, const double *right, size_t right_count);

/* NaN where they were not tested: too few sessions of one, or too many. */
double contest_p(const struct group *group, const struct entrant *left,
		 const struct entrant *right);

#endif
