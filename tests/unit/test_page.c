/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells numbered by what they have in common, and the trials that belong to them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "report_fixture.h"
#include "report/page.h"

static const char *const keys[] = { "a", "b", NULL };

/* What an element has under a and b as JSON, and the number that it must get. */
static const struct {
	const char *json;
	size_t number;
} elements[] = {
	{ "{\"a\": \"x\", \"b\": 1}", 0 },
	{ "{\"a\": \"x\", \"b\": 2}", 1 },
	{ "{\"b\": 1, \"a\": \"x\", \"c\": \"of no matter\"}", 0 },
	{ "{\"a\": \"x\", \"b\": \"1\"}", 2 },
	{ "{\"a\": \"x\", \"b\": 1.0}", 3 },
	{ "{\"a\": \"x\"}", 4 },
	{ "{\"a\": \"x\", \"b\": null}", 4 },
	{ "{\"a\": \"x\", \"b\": \"\"}", 5 },
	{ "{\"a\": \"x\", \"b\": \"null\"}", 6 },
	{ "{\"a\": \"x\\\"\", \"b\": \"y\"}", 7 },
	{ "{\"a\": \"x\", \"b\": \"\\\"y\"}", 8 },
	{ "{\"a\": \"\", \"b\": \"x\"}", 9 },
	{ "{\"a\": {\"x\": [1]}, \"b\": true}", 10 },
	{ "{\"a\": {\"x\": [1]}, \"b\": true}", 10 },
	{ "{\"a\": {\"x\": [1]}, \"b\": \"true\"}", 11 },
	{ "[]", 12 },
	{ "{}", 12 },
};

static json_t *list_of_elements(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ARRAY_LENGTH(elements); i++)
		json_array_append_new(list, json_loads(elements[i].json, 0, NULL));
	assert_int_equal(json_array_size(list), ARRAY_LENGTH(elements));
	return list;
}

static void only_what_is_alike_has_the_same_number(void **state)
{
	json_t *list = list_of_elements(), *other = json_pack("{s:s, s:i}", "a", "x", "b", 3);
	size_t next = 0;
	struct numbering numbering;

	(void)state;
	assert_int_equal(numbering_make(&numbering, list, keys), 0);
	for (size_t i = 0; i < ARRAY_LENGTH(elements); i++) {
		assert_int_equal(numbering.of[i], elements[i].number);
		assert_int_equal(numbering_find(&numbering, json_array_get(list, i)),
				 elements[i].number);
		if (elements[i].number == next)
			assert_int_equal(numbering.first[next++], i);
	}
	assert_int_equal(numbering.count, next);
	assert_int_equal(numbering_find(&numbering, other), numbering.count);
	numbering_free(&numbering);
	json_decref(other);
	json_decref(list);
}

static void nothing_has_no_numbers(void **state)
{
	json_t *list = json_array();
	struct numbering numbering;

	(void)state;
	assert_int_equal(numbering_make(&numbering, list, keys), 0);
	assert_int_equal(numbering.count, 0);
	numbering_free(&numbering);
	json_decref(list);
}

/* A cell, its trials, and those that it stands beside, found in other ways than the page finds them. */
static void cells_have_their_trials(void **state)
{
	json_t *report = golden();
	const json_t *trials = field(report, "trials"), *trial;
	size_t index, sorted = 0, lines = 0;
	struct page page;

	(void)state;
	assert_int_equal(page_build(&page, report), 0);
	assert_true(page.cell_count > 1);
	for (size_t i = 0; i < page.cell_count; i++) {
		const struct page_cell *cell = &page.cells[i];
		bool begins = true;

		for (size_t j = 0; j < i; j++)
			begins = begins && !fields_equal(page.cells[j].cell, cell->cell, line_keys);
		assert_int_equal(cell->begins_line, begins);
		lines += begins;
		for (size_t j = 0; j < cell->trial_count; j++)
			assert_true(fields_equal(cell->trials[j], cell->cell, cell_keys));
		sorted += cell->trial_count;
		assert_ptr_equal(page_beside(&page, cell, field_text(cell->cell, "cache", "")), cell);
		assert_null(page_beside(&page, cell, "lukewarm"));
	}
	assert_true(lines < page.cell_count);
	assert_int_equal(sorted, json_array_size(trials));
	json_array_foreach(trials, index, trial)
		assert_true(fields_equal(page.cell_of[index]->cell, trial, cell_keys));
	page_free(&page);
	json_decref(report);
}

/* So may a report be that came from elsewhere. */
static void trials_without_a_cell_are_told_all_the_same(void **state)
{
	char *(*const renders[])(const json_t *report) = { report_text, report_table, report_html,
							   report_lava, report_csv };
	json_t *report = golden();
	struct page page;

	(void)state;
	json_array_clear(json_object_get(report, "summary"));
	assert_int_equal(page_build(&page, report), 0);
	for (size_t i = 0; i < json_array_size(field(report, "trials")); i++)
		assert_null(page.cell_of[i]);
	page_free(&page);
	for (size_t i = 0; i < ARRAY_LENGTH(renders); i++) {
		char *text = renders[i](report);

		assert_non_null(text);
		free(text);
	}
	_cleanup_free_ char *text = report_text(report);
	assert_non_null(strstr(text, "stolen-time"));
	json_decref(report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_alike_has_the_same_number),
		cmocka_unit_test(nothing_has_no_numbers),
		cmocka_unit_test(cells_have_their_trials),
		cmocka_unit_test(trials_without_a_cell_are_told_all_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
