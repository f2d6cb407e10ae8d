/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal: an append-only file of one JSON object a line, each flushed to the medium before the
 * call returns. Line 1 is the verdict "incomplete"; the last verdict line wins. Every line has
 * "record", a name:
 *   verdict   status, reason, rule (null or the refusal's name), time (UTC, ISO 8601),
 *             uptime_seconds (since boot)
 *   run       the report's run object without status, reason, rule, finished, seconds
 *   machine, target, workload   the report's objects of these names
 *   session   one element of the report's sessions; "status": "running" before its trials, and
 *             told again after them: the later line of the same round, filesystem, variant and
 *             store wins
 *   trial     one element of the report's trials (record.h)
 *   resume    run, sessions, seconds: the sessions of a run that was cut short, so many and so long, follow
 *             as it told them
 *   note      text: anything a reader should know
 */
#ifndef BLITBENCH_REPORT_JOURNAL_H
#define BLITBENCH_REPORT_JOURNAL_H

#include "lib/progress.h"
#include "lib/redact.h"
#include "report/record.h"

struct journal;

/*
 * Makes journal.jsonl (O_EXCL) in the directory and writes line 1. directory_fd -1 = keep the lines
 * in memory only, for a run that has no results volume. Later write errors do not stop the run:
 * lines are kept in memory as well, journal_append returns the error and journal_unsaved tells it.
 */
int journal_create(struct journal **journal, int directory_fd);

/*
 * From here on the first write that fails is told at once in one sentence, and noted in the journal itself;
 * so is the first one after it that succeeds. progress is borrowed.
 */
void journal_watch(struct journal *journal, const struct progress *progress);

/* From here on no line holds what the redactor (borrowed) knows or learns. */
void journal_redact(struct journal *journal, const struct redactor *redactor);

/* Owns object in all cases; its key "record" is set to name. Appends one line, then fdatasync. */
int journal_append(struct journal *journal, const char *name, json_t *object);

/* A record "note" with one sentence for whoever reads the report. */
int journal_note(struct journal *journal, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

int journal_verdict(struct journal *journal, enum run_status status, const char *rule,
		    const char *reason);

/* True where some record is not on the medium: not flushed, or lost for want of memory (or there is
 * no medium). */
bool journal_unsaved(const struct journal *journal);

/* Closes the file. The lines stay in memory, and later ones go there only. */
void journal_detach(struct journal *journal);

/*
 * Writes all lines to the directory, flushed: behind what its journal.jsonl holds, where that is the
 * beginning of this one, else into a new file. -EEXIST where it holds anything else, which is left as it
 * is.
 */
int journal_save(struct journal *journal, int directory_fd);

/* The lines so far as a JSON array, borrowed. */
const json_t *journal_lines(const struct journal *journal);

/* What the file of a journal with these lines holds, freed by the caller. NULL when out of memory. */
char *journal_text(const json_t *lines);

/*
 * Reads a journal file back: an array of the lines' objects (caller owns), with null in the place of
 * each damaged one, so that the first element is line 1; they are counted as well. Damaged is also what
 * no run writes: values nested deeper than JOURNAL_DEPTH_MAX, and numbers beyond JSON_REAL_MAX. A file
 * with whole lines, none of which is a record, is -EINVAL.
 */
enum { JOURNAL_DEPTH_MAX = 32 };

/* A journal's line lies two levels deeper in the report. */
enum { REPORT_DEPTH_MAX = JOURNAL_DEPTH_MAX + 2 };

int journal_read(const char *path, json_t **lines, unsigned *damaged_lines);

/*
 * The same line by line, so that they need not be in memory all at once: each goes to the visitor in turn,
 * borrowed, null where it is damaged. Nonzero from it (-ENOMEM) ends the reading. After an error what was
 * visited is of no journal.
 */
typedef int (*journal_visitor)(void *data, json_t *line);

int journal_visit(const char *path, journal_visitor visit, void *data);

/* The same of what a file holds; name is what the sentences call it. */
int journal_visit_text(const char *name, const char *text, size_t length, journal_visitor visit,
		       void *data);

void journal_close(struct journal *journal);

#endif
