/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's build id, among notes as the linker writes them and among none such. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "lib/cleanup.h"
#include "machine/build_id.h"

#include <stdlib.h>
#include <string.h>

/* Xen's, without padding; Linux's, of which name and description are padded; and GNU's. */
static const unsigned char notes[] = {
	4,    0,    0,    0,    8,    0,    0,    0,    2,    0,    0,    0,    'X',  'e',
	'n',  0,    1,    2,    3,    4,    5,    6,    7,    8,    6,    0,    0,    0,
	1,    0,    0,    0,    0,    1,    0,    0,    'L',  'i',  'n',  'u',  'x',  0,
	0,    0,    9,    0,    0,    0,    4,    0,    0,    0,    20,   0,    0,    0,
	3,    0,    0,    0,    'G',  'N',  'U',  0,    0x00, 0x11, 0x22, 0x33, 0x44, 0x55,
	0x66, 0x77, 0x88, 0x99, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff, 0xf0, 0xe1, 0xd2, 0xc3,
};
enum { XEN = 0, LINUX = 24, GNU = 48 };

static char id[BUILD_ID_CHARACTERS];

/* In a copy of its own, so that a byte beyond it is noticed. */
static const char *id_of(const unsigned char *bytes, size_t size)
{
	unsigned char *copy = malloc(size ? size : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	build_id_of(id, copy, size);
	free(copy);
	return id;
}

static void it_is_found_behind_others_notes(void **state)
{
	(void)state;
	assert_string_equal(id_of(notes, sizeof(notes)),
			    "00112233445566778899aabbccddeefff0e1d2c3");
	assert_string_equal(id_of(notes + GNU, sizeof(notes) - GNU),
			    "00112233445566778899aabbccddeefff0e1d2c3");
	assert_string_equal(id_of(notes, GNU), "");
}

static void notes_that_are_cut_off_have_none(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(notes); size++)
		assert_string_equal(id_of(notes, size), "");
}

static void sizes_that_lie_lead_nowhere(void **state)
{
	static const unsigned char lies[] = { 0x00, 0x7f, 0x80, 0xff };
	unsigned char bytes[sizeof(notes)];

	(void)state;
	for (size_t at = 0; at < sizeof(notes); at++)
		for (size_t i = 0; i < ARRAY_LENGTH(lies); i++) {
			memcpy(bytes, notes, sizeof(notes));
			bytes[at] = lies[i];
			id_of(bytes, sizeof(bytes));
			assert_int_equal(strspn(id, "0123456789abcdef"), strlen(id));
		}
	/* All sizes that four bytes can have, which wrap around on no machine. */
	memcpy(bytes, notes, sizeof(notes));
	memset(bytes + XEN, 0xff, 8);
	assert_string_equal(id_of(bytes, sizeof(bytes)), "");
	memcpy(bytes, notes, sizeof(notes));
	memset(bytes + GNU + 4, 0xff, 4);
	assert_string_equal(id_of(bytes, sizeof(bytes)), "");
}

static void another_kind_of_note_and_another_name_are_none(void **state)
{
	unsigned char bytes[sizeof(notes)];

	(void)state;
	memcpy(bytes, notes, sizeof(notes));
	bytes[GNU + 8] = 4;
	assert_string_equal(id_of(bytes, sizeof(bytes)), "");
	memcpy(bytes, notes, sizeof(notes));
	bytes[GNU + 12] = 'g';
	assert_string_equal(id_of(bytes, sizeof(bytes)), "");
}

static void one_that_is_longer_is_cut_and_one_that_is_shorter_is_whole(void **state)
{
	unsigned char bytes[16 + 64] = { 4, 0, 0, 0, 64, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };

	(void)state;
	assert_int_equal(strlen(id_of(bytes, sizeof(bytes))), BUILD_ID_CHARACTERS - 1);
	bytes[4] = 3;
	assert_string_equal(id_of(bytes, 19), "000000");
}

static void a_kernel_that_does_not_tell_has_none(void **state)
{
	(void)state;
	assert_string_equal(build_id_of_kernel(id, "/nonexistent"), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_is_found_behind_others_notes),
		cmocka_unit_test(notes_that_are_cut_off_have_none),
		cmocka_unit_test(sizes_that_lie_lead_nowhere),
		cmocka_unit_test(another_kind_of_note_and_another_name_are_none),
		cmocka_unit_test(one_that_is_longer_is_cut_and_one_that_is_shorter_is_whole),
		cmocka_unit_test(a_kernel_that_does_not_tell_has_none),
	};

	return cmocka_run_group_tests_name("build id", tests, NULL, NULL);
}
