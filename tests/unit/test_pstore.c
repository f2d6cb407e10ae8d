/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's last words are moved, and none is lost where that cannot be done. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "boot/pstore.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static char top[64], from[80];
static int results;

static void shell(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", top, command);
	assert_int_equal(system(line), 0);
}

static int begin(void **state)
{
	(void)state;
	if (scratch_make(top, "pstore"))
		return -1;
	snprintf(from, sizeof(from), "%s/firmware", top);
	shell("mkdir firmware results && echo Oops > firmware/dmesg-efi_pstore-1 && printf 'a\\000b' > firmware/dmesg-efi_pstore-2");
	char path[80];
	snprintf(path, sizeof(path), "%s/results", top);
	results = open(path, O_RDONLY | O_DIRECTORY);
	return results < 0;
}

static int end(void **state)
{
	char line[96];

	(void)state;
	close(results);
	snprintf(line, sizeof(line), "rm -rf %s", top);
	return system(line);
}

static void they_are_moved_as_they_are(void **state)
{
	(void)state;
	shell("cp -r firmware before");
	assert_int_equal(pstore_take(from, results), 2);
	shell("[ -z \"$(ls firmware)\" ]");
	shell("for file in before/*; do cmp $file results/last-words-$(basename $file) || exit 1; done");
	assert_int_equal(pstore_take(from, results), 0);
}

/* What is there already is somebody's, and the firmware's copy is the only one of the other. */
static void nothing_is_replaced_and_nothing_lost(void **state)
{
	(void)state;
	shell("rm firmware/*-2 && echo another > results/last-words-dmesg-efi_pstore-1");
	assert_int_equal(pstore_take(from, results), -EEXIST);
	shell("grep -qx Oops firmware/dmesg-efi_pstore-1 && grep -qx another results/last-words-dmesg-efi_pstore-1");
}

static void a_folder_that_is_not_there_holds_none(void **state)
{
	(void)state;
	shell("rm -r firmware");
	assert_int_equal(pstore_take(from, results), 0);
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(they_are_moved_as_they_are),
		test(nothing_is_replaced_and_nothing_lost),
		test(a_folder_that_is_not_there_holds_none),
	};
	return cmocka_run_group_tests_name("pstore", tests, NULL, NULL);
}
