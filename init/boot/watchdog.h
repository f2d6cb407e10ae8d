/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The watchdog: a timer of the machine's hardware, or of the kernel where there is none that can
 * wait so long, which resets the machine unless it is fed. It is fed by progress, so that what
 * hangs, hangs no longer than that.
 */
#ifndef BLITBENCH_BOOT_WATCHDOG_H
#define BLITBENCH_BOOT_WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>

enum { WATCHDOG_IDENTITY_BYTES = 64, WATCHDOGS_MAX = 8 };

struct watchdog {
	char identity[WATCHDOG_IDENTITY_BYTES]; /* as its driver calls it */
	unsigned seconds;
	bool was_reset; /* it says that the machine has started because of it */
};

/* The names (watchdog0) of those that sysfs below top knows: hardware first, the kernel's own last.
 * Returns how many. */
size_t watchdog_candidates(char names[WATCHDOGS_MAX][16], const char *top);

/* Starts the first that can wait for that many seconds. -ENODEV and a sentence where there is none.
 */
int watchdog_start(unsigned seconds);

/* Puts the reset off. May be called as often as one likes: twice a second it does something. */
void watchdog_feed(void);

/* From here on it resets nothing. */
void watchdog_stop(void);

/* The one that was started last, NULL before the first. */
const struct watchdog *watchdog_started(void);

#endif
