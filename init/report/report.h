/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Renders a journal: the same code on the image and on any other machine. */
#ifndef BLITBENCH_REPORT_REPORT_H
#define BLITBENCH_REPORT_REPORT_H

#include <jansson.h>
#include <stddef.h>

#define REPORT_SCHEMA "blitbench-report/1"

/* report.json's object (docs/report.md) from the journal's lines. NULL and a sentence on error. */
json_t *report_build(const json_t *journal_lines);

/* The same of a journal's file, or of what one holds, which sentences call by name. */
json_t *report_read_journal(const char *path);
json_t *report_of_journal(const char *name, const char *text, size_t size);

/* The same from what a report.json holds. NULL and a sentence for what is none, or one of another schema. */
json_t *report_parse(const char *text, size_t size);

/* Whether that is the schema of this report, and nothing is in it that might not be read again; its parts
 * may be missing. -EINVAL with a sentence. */
int report_check(const json_t *report);

/* The 80-column text report / only its closing table, from a report object; freed by the caller. */
char *report_text(const json_t *report);
char *report_table(const json_t *report);

/* What report.json holds, from a report object; freed by the caller. */
char *report_json(const json_t *report);

/* report.html, one self-contained page of at most 300 KiB, from a report object; freed by the caller.
 */
char *report_html(const json_t *report);

/* report.csv: a row for each trial; from a report object, freed by the caller. */
char *report_csv(const json_t *report);

/* Lines for a lab that reads a console (docs/lab.md); from a report object, freed by the caller. */
char *report_lava(const json_t *report);

/*
 * Writes report.json, report.txt, report.csv and report.html as new files into the directory, flushed. Files
 * that hold the same already are fine, so that it can be tried again; others are never replaced (-EEXIST).
 */
int report_write(const json_t *report, int directory_fd);

/* The same for one file of any text. */
int report_save(int directory_fd, const char *name, const char *text);

#endif
