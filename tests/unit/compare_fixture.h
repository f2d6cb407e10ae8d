/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Artificial reports to be compared. */
#ifndef BLITBENCH_TESTS_COMPARE_FIXTURE_H
#define BLITBENCH_TESTS_COMPARE_FIXTURE_H

#include "report_fixture.h"

#include "lib/error.h"
#include "report/compare.h"

/* A run in a virtual machine of the kind, or on bare metal for NULL, of a workload with the digest.
 */
__attribute__((unused)) static json_t *artificial(const char *id, const char *virtual,
						  const char *digest)
{
	json_t *report =
		json_pack("{s:s, s:{s:s, s:s}, s:{s:s?, s:{s:s}}, s:{s:s, s:s?, s:i, s:i}, "
			  "s:[], s:[]}",
			  "schema", "blitbench-report/1", "run", "id", id, "status", "complete",
			  "machine", "virtual", virtual, "cpu", "model", "Artificial CPU",
			  "workload", "name", "artificial", "digest", digest, "entries", 1000,
			  "install_entries", 1010, "sessions", "trials");

	assert_non_null(report);
	return report;
}

__attribute__((unused)) static void add_artificial(json_t *report, const char *filesystem,
						   const char *cache, const char *operation,
						   unsigned round, double seconds)
{
	json_array_append_new((json_t *)field(report, "trials"),
		json_pack("{s:i, s:i, s:s, s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:i, s:f, s:b, s:[]}",
			"round", (int)round,
			"number", 1,
			"filesystem", filesystem,
			"variant", "default",
			"engine", "moss-2025",
			"strategy", "hardlink",
			"threads", 1,
			"store", "3x2",
			"cache", cache,
			"operation", operation,
			"entries", 1000,
			"seconds", seconds,
			"verified", 1,
			"flags"));
}

/* Sessions of 1.00, 1.01, 1.02, ... times as many seconds. */
__attribute__((unused)) static void add_artificial_cell(json_t *report, const char *filesystem,
							const char *cache, unsigned sessions,
							double seconds)
{
	for (unsigned round = 1; round <= sessions; round++)
		add_artificial(report, filesystem, cache, "remove", round,
			       seconds * (0.99 + round / 100.0));
}

static json_t *comparison;

/* Takes both reports; the result is in comparison where it is 0. */
__attribute__((unused)) static int compare(json_t *baseline, json_t *report, bool force)
{
	struct saved saved[2] = { 0 };
	int error;

	assert_int_equal(baseline ? saved_take(&saved[0], "base", baseline)
				  : saved_published(&saved[0]), 0);
	assert_int_equal(saved_take(&saved[1], "new", report), 0);
	error = compare_build(&comparison, &saved[0], &saved[1], 1, force);
	saved_free(&saved[0]);
	saved_free(&saved[1]);
	return error;
}

__attribute__((unused)) static const json_t *the_one(void)
{
	return json_array_get(field(comparison, "comparisons"), 0);
}

__attribute__((unused)) static void end_comparison(void)
{
	json_decref(comparison);
	comparison = NULL;
}

__attribute__((unused)) static json_t *session(int agcount, const char *feature, const char *node)
{
	return json_pack("{s:s, s:s, s:s, s:{s:[s, s], s:s, s:f}, s:{s:[s, s], s:i}}",
		"filesystem", "xfs",
		"variant", "default",
		"store", "3x2",
		"mkfs",
			"argv", "mkfs.xfs", node,
			"version", "6.13",
			"seconds", agcount * 0.1,
		"features",
			"features", "crc", feature,
			"agcount", agcount);
}

__attribute__((unused)) static void assert_contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in: %s", part, text);
}

__attribute__((unused)) static void assert_error_has(const char *part)
{
	assert_contains(error_text(), part);
}

#endif
