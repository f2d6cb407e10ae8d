/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tells the cells of a list apart, be it a summary, a ranking or a comparison, and how a person
 * reads it. A table has a block for each setup (engine, strategy, threads, store, governor) and in it
 * lines for filesystems, operations and caches.
 */
#ifndef BLITBENCH_REPORT_SETUP_H
#define BLITBENCH_REPORT_SETUP_H

#include <stdio.h>

#include "report/numbering.h"

/* Lists of keys, each ending with NULL (report/fields.h). */
extern const char *const subject_keys[]; /* filesystem, variant: what is compared */
extern const char *const setup_keys[];   /* engine, strategy, threads, store, governor */
extern const char *const line_keys[];    /* all of a cell but its cache */
extern const char *const cell_keys[];    /* all of it */

enum { SETUP_LABEL_BYTES = 192 };

struct setups {
	const json_t *cells; /* borrowed */
	struct numbering by; /* of the cells, by setup_keys */
	/*
	 * Of each setup: "moss-2026 reflink, 2 threads, store 3x2", without what is the same in all of the
	 * list; "" where everything is. Which strategy is told where the engine has several in it, or does
	 * not link.
	 */
	char (*labels)[SETUP_LABEL_BYTES];
	char common[SETUP_LABEL_BYTES]; /* what the labels leave out; "" where they leave out nothing */
};

/* The cells must outlive it. -ENOMEM; setups_free is safe after it, and on zeroes. */
int setups_make(struct setups *setups, const json_t *cells);
void setups_free(struct setups *setups);

#define _cleanup_setups_ __attribute__((cleanup(setups_free)))

/* "xfs", of a variant "xfs-parent". */
void filesystem_label(char *text, size_t size, const json_t *cell);

/* "All rows: moss-2025, 1 thread, store 3x2."; nothing where they have nothing in common. */
void setups_print_common(FILE *out, const struct setups *setups);

/* The label on a line of its own, above a block's lines; nothing where there is one block. */
void setups_heading(FILE *out, const struct setups *setups, size_t setup);

#endif
