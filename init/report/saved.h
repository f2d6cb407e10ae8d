/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report read back, checked and sorted into cells, to be compared with others. */
#ifndef BLITBENCH_REPORT_SAVED_H
#define BLITBENCH_REPORT_SAVED_H

#include "report/cells.h"

struct saved {
	char *name; /* as it was given */
	json_t *report;
	struct trial_record **trials;
	size_t trial_count;
	struct cells cells;
	json_t *only;   /* "key=value" of each saved_keep; NULL without any */
	bool published; /* the table of report/published.h, in the shape of a report */
};

/*
 * From a report.json, or from the folder of a run: its report.json, else its journal. 0 or a
 * negative errno with a sentence: no JSON, no report, of another schema, with figures that no run
 * can have, without any valid trial.
 */
int saved_read(struct saved *saved, const char *path);

/* The same of a report object, whose reference is taken in all cases. */
int saved_take(struct saved *saved, const char *name, json_t *report);

/* The published table. */
int saved_published(struct saved *saved);

/* Keeps the cells whose key (report/setup.h, cell_keys) has the value. -EINVAL where none has. */
int saved_keep(struct saved *saved, const char *key, const char *value);

/* Safe on zeroes and after a failure. */
void saved_free(struct saved *saved);

#endif
