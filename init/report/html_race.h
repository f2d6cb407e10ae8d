/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The subjects of a page beside each other with one cache, in the main figures. */
#ifndef BLITBENCH_REPORT_HTML_RACE_H
#define BLITBENCH_REPORT_HTML_RACE_H

#include "report/page.h"

#include <stdbool.h>
#include <stdio.h>

enum { RACERS_MAX = 16 };

struct racer {
	char name[64];
	double seconds, reads; /* reads per entry, or NaN */
	double sessions;
	bool tied; /* by the ranking: cannot be told from the first */
};

struct race {
	const char *cache;
	struct racer racers[RACERS_MAX]; /* those with valid trials, the fastest first */
	size_t count;
	char without[64];      /* the first of those that have trials, but no valid one; or "" */
	const json_t *ranking; /* the report's element for it, or NULL */
};

void race_run(struct race *race, const struct page *page, const char *cache);

/* "With cold caches, xfs was 5.6 times as fast as ext4 and 5.9 times as fast as f2fs." */
void race_tell(FILE *out, const struct race *race);

/* Whether the report's test finds the order certain. */
bool race_sure(const struct race *race);

#endif
