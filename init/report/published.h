/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table that was published for moss in January 2025 (AerynOS/os-tools,
 * moss-filesystem-performance.md): facts about another machine, kept as data, so that a report can
 * show them beside its own and a comparison can take them as its baseline.
 */
#ifndef BLITBENCH_REPORT_PUBLISHED_H
#define BLITBENCH_REPORT_PUBLISHED_H

#include <stddef.h>
#include <stdint.h>

/* One run. The governor is the word of the source: "balanced" is a profile, no governor. */
struct published_cell {
	const char *filesystem, *cache, *operation, *governor;
	uint64_t entries; /* made by this transaction */
	double seconds;
};

extern const struct published_cell published_cells[];
extern const size_t published_cell_count;

/* Where and when, and on what: words for a person. */
extern const char *const published_source;
extern const char *const published_cpu;
extern const char *const published_memory;
extern const char *const published_disk;

/* What a reader must know to judge the figures: clauses without a full stop, NULL at the end. */
extern const char *const published_caveats[];

/* The cell, or NULL where none of that kind was published. */
const struct published_cell *published_find(const char *filesystem, const char *cache,
					    const char *operation);

#endif
