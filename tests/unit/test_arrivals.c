/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for disks by the kernel's word: what counts as one, what does not, and that nobody waits
 * longer than is said. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "disk/arrivals.h"
#include "lib/cleanup.h"
#include "lib/clock.h"

#include <string.h>
#include <sys/socket.h>

enum { KERNEL, WAITER };

static int ends[2];

static int begin(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends);
}

static int end(void **state)
{
	(void)state;
	close(ends[KERNEL]);
	close(ends[WAITER]);
	return 0;
}

static void tell(const char *event, size_t size)
{
	assert_int_equal(send(ends[KERNEL], event, size, 0), (ssize_t)size);
}

#define TELL(event) tell(event, sizeof(event))

static void a_block_device_ends_the_wait(void **state)
{
	(void)state;
	TELL("add@/devices/virtual/block/loop0\0ACTION=add\0SUBSYSTEM=block\0DEVNAME=loop0");
	assert_true(arrivals_wait(ends[WAITER], 60000));
	/* That is told once, and with it all that had come by then. */
	assert_false(arrivals_wait(ends[WAITER], 20));
	for (int i = 0; i < 5; i++)
		TELL("change@/devices/virtual/block/loop0\0SUBSYSTEM=block");
	assert_true(arrivals_wait(ends[WAITER], 60000));
	assert_false(arrivals_wait(ends[WAITER], 20));
}

/* Also behind any number of what is none, and in the last bytes of an event that has no NUL at its
 * end. */
static void it_is_found_among_others(void **state)
{
	static const char bare[] = "add@/devices/x\0SUBSYSTEM=block";

	(void)state;
	for (int i = 0; i < 5; i++)
		TELL("add@/devices/pci\0ACTION=add\0SUBSYSTEM=usb");
	tell(bare, sizeof(bare) - 1);
	assert_true(arrivals_wait(ends[WAITER], 60000));
}

static void whatever_else_is_told_does_not_end_it(void **state)
{
	double started = clock_seconds();

	(void)state;
	TELL("add@/devices/pci\0ACTION=add\0SUBSYSTEM=usb");
	TELL("add@/devices/SUBSYSTEM=block\0XSUBSYSTEM=block\0SUBSYSTEM=blocks");
	TELL("");
	assert_false(arrivals_wait(ends[WAITER], 50));
	assert_true(clock_seconds() - started >= 0.05);
}

static void where_the_kernel_tells_nothing_the_time_passes(void **state)
{
	double started = clock_seconds();

	(void)state;
	assert_false(arrivals_wait(-1, 50));
	assert_true(clock_seconds() - started >= 0.05);
}

/* The kernel's real word, where it may be heard here. */
static void the_kernel_is_listened_to(void **state)
{
	_cleanup_close_ int fd = arrivals_open();
	_cleanup_fclose_ FILE *trigger = fopen("/sys/block/loop0/uevent", "w");

	(void)state;
	if (fd < 0 || !trigger) {
		print_message("skipped: the kernel cannot be made to tell of loop0 here\n");
		skip();
	}
	while (arrivals_wait(fd, 10))
		;
	assert_int_equal(fputs("change", trigger) >= 0 && !fflush(trigger), 1);
	assert_true(arrivals_wait(fd, 60000));
}

#define test(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		test(a_block_device_ends_the_wait),
		test(it_is_found_among_others),
		test(whatever_else_is_told_does_not_end_it),
		test(where_the_kernel_tells_nothing_the_time_passes),
		test(the_kernel_is_listened_to),
	};

	return cmocka_run_group_tests_name("arrivals", tests, NULL, NULL);
}
