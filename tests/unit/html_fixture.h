/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Artificial runs for report.html: lists of a journal's lines. */
#ifndef BLITBENCH_TESTS_HTML_FIXTURE_H
#define BLITBENCH_TESTS_HTML_FIXTURE_H

#include "journal_fixture.h"

static inline void add_blit_by(json_t *lines, const char *engine, const char *filesystem,
			       const char *cache, const char *operation, unsigned round,
			       double seconds)
{
	struct trial_record trial = example_trial();
	bool cold = !strcmp(cache, "cold");

	snprintf(trial.cell.engine, sizeof(trial.cell.engine), "%s", engine);
	snprintf(trial.cell.filesystem, sizeof(trial.cell.filesystem), "%s", filesystem);
	snprintf(trial.cell.strategy, sizeof(trial.cell.strategy), "hardlink");
	snprintf(trial.cell.cache, sizeof(trial.cell.cache), "%s", cache);
	snprintf(trial.cell.operation, sizeof(trial.cell.operation), "%s", operation);
	trial.round = round;
	trial.number = 1;
	trial.seconds = seconds;
	trial.at_seconds = NAN;
	trial.io.reads = !cold ? 0 : strcmp(filesystem, "xfs") ? 1240 : 400;
	json_array_append_new(lines, trial_to_json(&trial));
}

static inline void add_blit(json_t *lines, const char *filesystem, const char *cache,
			    const char *operation, unsigned round, double seconds)
{
	add_blit_by(lines, "moss-2025", filesystem, cache, operation, round, seconds);
}

static inline void add_session(json_t *lines, const char *filesystem, const char *store,
			       unsigned round)
{
	json_array_append_new(lines, json_pack(
		"{s:s, s:i, s:s, s:s, s:s, s:s, s:i, s:{s:[s, s, s], s:s, s:f}, s:{s:s, s:s}}",
		"record", "session", "round", round, "filesystem", filesystem, "variant", "default",
		"store", store, "status", "complete", "age", 0, "mkfs", "argv", "mkfs", "-q",
		filesystem, "version", "1.2.3", "seconds", 0.5, "mount", "type", filesystem,
		"options", "nodiscard"));
}

/*
 * About so many trials, as the largest profile has: five filesystems, six ways to blit, four stores,
 * both caches and operations; as many rounds of three trials as it takes.
 */
static inline json_t *full_profile(unsigned trials)
{
	static const char *const filesystems[] = { "ext4", "xfs", "f2fs", "btrfs", "bcachefs" };
	static const char *const engines[] = { "moss-2025", "moss-2025-parallel", "moss-2026",
					       "primed", "handle" };
	static const char *const stores[] = { "3x2", "2x2", "1x2", "flat" };
	json_t *lines = json_array();
	unsigned made = 0;

	for (unsigned round = 1; made < trials; round++)
		for (unsigned i = 0; i < 5 * 4; i++) {
			add_session(lines, filesystems[i % 5], stores[i / 5], round);
			for (unsigned j = 0; j < 5 * 2 * 2 * 3 && made < trials; j++, made++) {
				struct trial_record trial = example_trial();

				strcpy(trial.cell.filesystem, filesystems[i % 5]);
				strcpy(trial.cell.store, stores[i / 5]);
				strcpy(trial.cell.engine, engines[j % 5]);
				strcpy(trial.cell.strategy, "hardlink");
				strcpy(trial.cell.cache, j / 5 % 2 ? "cold" : "hot");
				strcpy(trial.cell.operation, j / 10 % 2 ? "install" : "remove");
				trial.round = round;
				trial.number = 1 + j / 20;
				trial.seconds = 1 + i + 0.01 * j + 0.003 * round;
				/* The main figures get more of them than can be drawn. */
				if (made % 7 == 0) {
					strcpy(trial.cell.engine, "moss-2025");
					strcpy(trial.cell.store, "3x2");
					trial.number = 1000 + made; /* no other has it */
				}
				json_array_append_new(lines, trial_to_json(&trial));
			}
		}
	return lines;
}

/* The words everywhere a journal has words, in so many sessions and notes. */
static inline json_t *hostile_run(const char *words, unsigned count)
{
	struct trial_record trial = example_trial();
	json_t *lines = json_array();

	snprintf(trial.cell.filesystem, sizeof(trial.cell.filesystem), "%s", words);
	snprintf(trial.cell.variant, sizeof(trial.cell.variant), "%s", words);
	snprintf(trial.cell.engine, sizeof(trial.cell.engine), "%s", words);
	snprintf(trial.cell.strategy, sizeof(trial.cell.strategy), "%s", words);
	snprintf(trial.cell.operation, sizeof(trial.cell.operation), "%s", words);
	trial_flag(&trial, words, FLAG_INVALID, "%s", words);
	json_array_append_new(lines, trial_to_json(&trial));
	trial.flag_count = 0;
	trial.details = json_pack("{s:{s:[{s:o, s:i, s:f, s:{s:i}}]}}", "latency", "calls", "call",
				  json_text(words), "count", 1, "seconds", 0.1, "buckets", "10", 1);
	json_array_append_new(lines, trial_to_json(&trial));
	json_decref(trial.details);
	trial.details = NULL;
	trial.seconds = 1e300;
	json_array_append_new(lines, trial_to_json(&trial));
	trial.seconds = 1e-300;
	snprintf(trial.cell.store, sizeof(trial.cell.store), "%s", words);
	json_array_append_new(lines, trial_to_json(&trial));
	for (unsigned i = 0; i < count; i++) {
		json_array_append_new(lines, json_pack("{s:s, s:i, s:o, s:o, s:o, s:{s:[o]}}",
			"record", "session", "round", i, "filesystem", json_text(words), "reason",
			json_text(words), "features", json_text(words), "mkfs", "argv",
			json_text(words)));
		json_array_append_new(lines, json_pack("{s:s, s:o}", "record", "note", "text",
						       json_text(words)));
	}
	json_array_append_new(lines, json_pack("{s:s, s:o, s:o, s:o, s:{s:o}, s:{s:o}}", "record",
		"run", "id", json_text(words), "profile", json_text(words), "started",
		json_text(words), "kernel", "release", json_text(words), "config", "key",
		json_text(words)));
	json_array_append_new(lines, json_pack("{s:s, s:o, s:{s:o}, s:f}", "record", "machine",
		"virtual", json_text(words), "cpu", "model", json_text(words), "memory_bytes",
		1e300));
	json_array_append_new(lines, json_pack("{s:s, s:o, s:{s:o}}", "record", "target",
		"partlabel", json_text(words), "disk", "model", json_text(words)));
	json_array_append_new(lines, json_pack("{s:s, s:o, s:o}", "record", "workload", "name",
		json_text(words), "content", json_text(words)));
	json_array_append_new(lines, json_pack("{s:s, s:s, s:o, s:o}", "record", "verdict",
		"status", "failed", "reason", json_text(words), "rule", json_text(words)));
	return lines;
}

#endif
