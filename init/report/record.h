/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal's records: what a run tells, step by step. Plain values only: report/ knows these
 * shapes and nothing of the code that made them. Details that only a person reads (features,
 * options, DMI) travel as JSON. Times are seconds; NAN means "not measured" and is null in JSON,
 * and so is a count that is COUNT_UNKNOWN (report/json.h). Sizes are bytes.
 */
#ifndef BLITBENCH_REPORT_RECORD_H
#define BLITBENCH_REPORT_RECORD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum run_status { RUN_INCOMPLETE, RUN_COMPLETE, RUN_PARTIAL, RUN_FAILED, RUN_REFUSED, RUN_ABORTED };

/* "incomplete", "complete", ... */
const char *run_status_name(enum run_status status);

/* What identifies one cell of the report: everything but the repetition. */
struct cell_key {
	char filesystem[16], variant[32], engine[32], strategy[16], store[16];
	char governor[32]; /* of the CPU frequency; "" = none was set */
	char cache[8];     /* hot or cold */
	char operation[16]; /* install or remove */
	unsigned threads;
};

enum flag_level { FLAG_NOTE, FLAG_INVALID };

struct trial_flag {
	char name[24]; /* not-hot, not-cold, not-quiet, verification-failed, unsupported, ... */
	enum flag_level level;
	char detail[256];
};

enum { TRIAL_FLAGS_MAX = 8 };

struct trial_record {
	unsigned round, number; /* both from 1 */
	struct cell_key cell;
	double at_seconds; /* since the run's start: when the timed blit began */
	uint64_t entries;
	double seconds, durable_seconds, quiesced_seconds;
	double swap_seconds, archive_seconds, prune_seconds;
	struct {
		uint64_t reads, read_bytes, writes, write_bytes, discards;
	} io;
	struct {
		double user_seconds, system_seconds, machine_busy_seconds;
	} cpu;
	bool verified;
	json_t *details; /* owned; an object with what else was counted, or NULL */
	unsigned flag_count;
	struct trial_flag flags[TRIAL_FLAGS_MAX]; /* last: trial_keep leaves out those that are not set */
};

/* Adds a flag; the ninth and later go into the last one's detail, so that none goes unseen. */
void trial_flag(struct trial_record *trial, const char *name, enum flag_level level,
		const char *format, ...) __attribute__((format(printf, 4, 5)));

/* A trial counts in the summary when it has no invalid flag and was verified. */
bool trial_valid(const struct trial_record *trial);

/*
 * The record as a journal line's object, {"record": "trial", ...}; and back. -EINVAL with a
 * sentence for a wrong shape.
 */
json_t *trial_to_json(const struct trial_record *trial);
int trial_from_json(struct trial_record *trial, const json_t *json);

/* The same as an element of the report's trials. The texts that tell its cell are shared with another
 * element of the same cell, where one is given. */
json_t *trial_to_element(const struct trial_record *trial, const json_t *alike);

void trial_record_free(struct trial_record *trial);

/* A copy in as little memory as it takes, to which no flag can be added; it takes over the details. Ends
 * with trial_drop. NULL when memory is short. */
struct trial_record *trial_keep(struct trial_record *trial);
void trial_drop(struct trial_record *trial);

#endif
