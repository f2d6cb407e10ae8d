/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way to power-off, where it may be held up. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "boot/boot.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

static bool disk_answers;
static int waited_milliseconds, how;
static jmp_buf powered_off;

void __wrap_sync(void);
int __wrap_reboot(int command);
int __real_poll(struct pollfd *wanted, nfds_t count, int milliseconds);
int __wrap_poll(struct pollfd *wanted, nfds_t count, int milliseconds);

/* Whoever calls it where no disk answers does not come back. */
void __wrap_sync(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (!disk_answers)
		pause();
}

int __wrap_reboot(int command)
{
	how = command;
	longjmp(powered_off, 1);
}

int __wrap_poll(struct pollfd *wanted, nfds_t count, int milliseconds)
{
	waited_milliseconds = milliseconds;
	return __real_poll(wanted, count, disk_answers ? -1 : 0);
}

static void a_disk_that_does_not_answer_does_not_keep_the_machine_on(void **state)
{
	static void (*const ends[])(void) = { boot_poweroff, boot_reboot };
	static const int hows[] = { RB_POWER_OFF, RB_AUTOBOOT };

	(void)state;
	alarm(100); /* for a test that would hang */
	for (volatile int i = 0; i < 4; i++) {
		disk_answers = i & 1;
		waited_milliseconds = how = 0;
		if (!setjmp(powered_off))
			ends[i / 2]();
		assert_int_equal(how, hows[i / 2]);
		assert_in_range(waited_milliseconds, 1000, 60000);
		/* What it left has ended if the disk answered, and is waiting still if it did not.
		 */
		assert_int_equal(waitpid(-1, NULL, WNOHANG) > 0, disk_answers);
	}
	alarm(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_disk_that_does_not_answer_does_not_keep_the_machine_on),
	};

	return cmocka_run_group_tests_name("boot", tests, NULL, NULL);
}
