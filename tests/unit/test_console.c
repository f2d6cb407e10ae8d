/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Consoles that take nothing: Scroll Lock, a line held by its flow control, one that is gone. Pseudo
 * terminals stand in for them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "boot/console.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { PATIENCE_MILLISECONDS = 40 };

static struct {
	int master, slave;
} first, second;

static void open_pair(int *master, int *slave)
{
	*master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	assert_true(*master >= 0);
	assert_int_equal(grantpt(*master) | unlockpt(*master), 0);
	*slave = open(ptsname(*master), O_RDWR | O_NOCTTY);
	assert_true(*slave >= 0);
}

/* All that has arrived at the other end. */
static const char *arrived(int master)
{
	static char text[65536];
	size_t used = 0;
	struct pollfd wanted = { .fd = master, .events = POLLIN };

	while (used < sizeof(text) - 1 && poll(&wanted, 1, 0) > 0) {
		ssize_t got = read(master, text + used, sizeof(text) - 1 - used);

		if (got <= 0)
			break;
		used += (size_t)got;
	}
	text[used] = '\0';
	return text;
}

static int add_two(void **state)
{
	(void)state;
	open_pair(&first.master, &first.slave);
	open_pair(&second.master, &second.slave);
	consoles_add(first.slave, false, PATIENCE_MILLISECONDS);
	consoles_add(second.slave, true, PATIENCE_MILLISECONDS);
	return 0;
}

static void a_stopped_console_holds_up_nobody(void **state)
{
	(void)state;
	consoles_print("before\n");
	assert_string_equal(arrived(first.master), "before\r\n");
	assert_string_equal(arrived(second.master), "before\r\n");

	/* as Scroll Lock does */
	assert_int_equal(tcflow(second.slave, TCOOFF), 0);
	for (unsigned i = 0; i < 500; i++)
		consoles_print("meanwhile\n");
	consoles_progress("blitting", 1, 2);
	assert_non_null(strstr(arrived(first.master), "meanwhile\r\n"));
	assert_string_equal(arrived(second.master), "");

	assert_int_equal(tcflow(second.slave, TCOON), 0);
	consoles_print("after\n");
	const char *text = arrived(second.master);
	assert_non_null(strstr(text, "lines are missing here"));
	assert_non_null(strstr(text, "after\r\n"));
	assert_null(strstr(text, "meanwhile"));
	arrived(first.master);
}

/* A line that nobody reads takes what its buffers hold. */
static void a_full_line_holds_up_nobody(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20000; i++)
		consoles_serial_print("0123456789");
	while (*arrived(first.master))
		;
	consoles_serial_print("after\n");
	const char *text = arrived(first.master);
	assert_non_null(strstr(text, "lines are missing here"));
	assert_non_null(strstr(text, "after\r\n"));
}

static void a_console_that_is_gone_is_passed_over(void **state)
{
	(void)state;
	close(first.master);
	consoles_print("to the other one\n");
	assert_non_null(strstr(arrived(second.master), "to the other one\r\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stopped_console_holds_up_nobody),
		cmocka_unit_test(a_full_line_holds_up_nobody),
		cmocka_unit_test(a_console_that_is_gone_is_passed_over),
	};
	return cmocka_run_group_tests_name("console", tests, add_two, NULL);
}
