/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which watchdog is taken; that it bites is shown in a machine (tests/system/interrupted.sh). */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "boot/watchdog.h"

#include <string.h>

static char top[64];

static int begin(void **state)
{
	(void)state;
	return scratch_make(top, "watchdog");
}

static int end(void **state)
{
	char command[96];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", top);
	return system(command);
}

static void put_watchdog(const char *name, const char *identity)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "mkdir -p %s/sys/class/watchdog/%s && cd %s/sys/class/watchdog/%s && echo inactive > state", top,
		 name, top, name);
	assert_int_equal(system(command), 0);
	if (!identity)
		return;
	snprintf(command, sizeof(command), "echo '%s' > %s/sys/class/watchdog/%s/identity", identity, top, name);
	assert_int_equal(system(command), 0);
}

static void a_machine_may_have_none(void **state)
{
	char names[WATCHDOGS_MAX][16];

	(void)state;
	assert_int_equal(watchdog_candidates(names, top), 0);
	assert_null(watchdog_started());
	/* Neither does anything then. */
	watchdog_feed();
	watchdog_stop();
}

static void hardware_comes_first(void **state)
{
	char names[WATCHDOGS_MAX][16];

	(void)state;
	put_watchdog("watchdog0", "Software Watchdog");
	put_watchdog("watchdog1", "iTCO_wdt");
	put_watchdog("watchdog3", NULL); /* whatever it is, it is not the kernel's own */
	assert_int_equal(watchdog_candidates(names, top), 3);
	assert_string_equal(names[0], "watchdog1");
	assert_string_equal(names[1], "watchdog3");
	assert_string_equal(names[2], "watchdog0");
}

static void there_may_be_more_than_anybody_needs(void **state)
{
	char names[WATCHDOGS_MAX][16], name[16];

	(void)state;
	for (unsigned i = 0; i < WATCHDOGS_MAX + 3; i++) {
		snprintf(name, sizeof(name), "watchdog%u", i);
		put_watchdog(name, "i6300ESB timer");
	}
	assert_int_equal(watchdog_candidates(names, top), WATCHDOGS_MAX);
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_machine_may_have_none),
		test(hardware_comes_first),
		test(there_may_be_more_than_anybody_needs),
	};
	return cmocka_run_group_tests_name("watchdog", tests, NULL, NULL);
}
