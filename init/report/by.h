/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One table over many reports, grouped by whatever one of their keys tells, such as the processor's model: in each cell how
 * the groups did. Each report counts once, with the median of its sessions' medians. Kinds of virtual machines are
 * groups of their own.
 */
#ifndef BLITBENCH_REPORT_BY_H
#define BLITBENCH_REPORT_BY_H

#include "report/saved.h"

struct by {
	const char *path; /* the key, such as "machine.cpu.model"; borrowed */
	size_t reports;
	bool told; /* some report has the key */
	json_t *seen;	  /* runs by id */
	json_t *left_out; /* {why: how many} */
	json_t *places;	  /* of a cell's identity: which of the cells it is */
	json_t *cells;	  /* each with all keys of a cell, and groups {name: [seconds]} */
	char digest[64];  /* of the workload, which must be the same for all */
};

/* -ENOMEM; by_free is safe after it. */
int by_begin(struct by *by, const char *path);
void by_free(struct by *by);

/* Adds a report, or counts why it takes no part: the same run again, another workload. */
int by_add(struct by *by, const struct saved *saved);

/* Counts one that could not even be read. */
int by_leave_out(struct by *by, const char *why);

/*
 * {by, reports, left_out [{reason, reports}], cells [{all keys of a cell, groups [{group, reports, median_seconds, min_seconds,
 * max_seconds}]}]}, groups from the fastest to the slowest. Caller owns; NULL when memory is short.
 */
json_t *by_json(const struct by *by);

/* The same in 80 columns, freed by the caller. */
char *by_text(const json_t *table);

#endif
