/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the report share. */
#ifndef BLITBENCH_TESTS_REPORT_FIXTURE_H
#define BLITBENCH_TESTS_REPORT_FIXTURE_H

#include "journal_fixture.h"
#include "report/fields.h"
#include "report/journal.h"
#include "report/report.h"

#define GOLDEN "tests/data/report-golden.jsonl"
#define GOLDEN_TEXT "tests/data/report-golden.txt"

static inline json_t *report_of(const char *path, unsigned *damaged)
{
	json_t *lines, *report;

	assert_int_equal(journal_read(path, &lines, damaged), 0);
	report = report_build(lines);
	assert_non_null(report);
	json_decref(lines);
	return report;
}

static inline json_t *golden(void)
{
	unsigned damaged;
	json_t *report = report_of(GOLDEN, &damaged);

	assert_int_equal(damaged, 0);
	return report;
}

/* As text, since a file holds fewer digits than a double. */
static inline void assert_same_json(const json_t *left, const json_t *right)
{
	char *left_text = report_json(left), *right_text = report_json(right);

	assert_string_equal(left_text, right_text);
	free(left_text);
	free(right_text);
}

static inline char *slurp(const char *path)
{
	char *text = sysfs_slurp("", "%s", path);

	assert_non_null(text);
	return text;
}

static inline void write_short_journal(const struct folder *folder)
{
	struct trial_record trial = example_trial();
	struct journal *journal;

	assert_int_equal(journal_create(&journal, folder->fd), 0);
	journal_append(journal, "run", json_pack("{s:s}", "id", "cut"));
	journal_append(journal, "session", json_pack("{s:i, s:s, s:s, s:s, s:i, s:s}", "round", 1,
		"filesystem", "ext4", "variant", "default", "store", "3x2", "age", 0, "status",
		"running"));
	journal_append(journal, "trial", trial_to_json(&trial));
	trial.number++;
	journal_append(journal, "trial", trial_to_json(&trial));
	assert_int_equal(journal_verdict(journal, RUN_COMPLETE, NULL, NULL), 0);
	journal_close(journal);
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

#endif
