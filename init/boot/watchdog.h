/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog: a timer of the machine's hardware, and some seconds behind it one of the kernel,
 * which reset the machine unless they are fed. They are fed by progress, so that what hangs, hangs
 * no longer than that. There are two since only hardware resets a kernel that hangs, but not all of
 * it does: boards are wired so that the chipset's timer runs out without any effect (Intel's "No
 * Reboot" strap), which QEMU's does, too, unless told otherwise.
 */
#ifndef BLITBENCH_BOOT_WATCHDOG_H
#define BLITBENCH_BOOT_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

enum { WATCHDOG_IDENTITY_BYTES = 64, WATCHDOGS_MAX = 8 };

struct watchdog {
	char identity[WATCHDOG_IDENTITY_BYTES]; /* as the drivers call them: "iTCO_wdt, Software
						   Watchdog" */
	unsigned seconds;                       /* that the first of them waits */
	bool was_reset; /* one says that the machine has started because of it */
};

/* The names (watchdog0) of those that sysfs below top knows: hardware first, the kernel's own last.
 * Returns how many. */
size_t watchdog_candidates(char names[WATCHDOGS_MAX][16], const char *top);

/* Starts the first of the hardware's that can wait for that many seconds, and the kernel's. -ENODEV
 * and a sentence where there is neither. */
int watchdog_start(unsigned seconds);

/* Puts the reset off. May be called as often as one likes: twice a second it does something. */
void watchdog_feed(void);

/* From here on it resets nothing. */
void watchdog_stop(void);

/* What was started last, NULL before the first. */
const struct watchdog *watchdog_started(void);

#endif
