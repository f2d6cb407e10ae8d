/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All active consoles at once. A screen gets a progress bar that is redrawn; a serial line gets
 * plain lines, which people and programs can read afterwards. Without any console everything goes
 * on.
 */
#ifndef BLITBENCH_BOOT_CONSOLE_H
#define BLITBENCH_BOOT_CONSOLE_H

#include <stdbool.h>
#include <stdint.h>

/* Opens what /sys/class/tty/console/active names. */
void consoles_open(void);

/*
 * One more: a terminal that fd, without O_NONBLOCK or with, is made over to. One that takes nothing for
 * so long, since Scroll Lock or a line's flow control holds it, is passed over until it takes something
 * again, and then says that lines are missing: nobody waits for it a second time.
 */
void consoles_add(int fd, bool screen, unsigned patience_milliseconds);

/* Text that may hold several lines. */
void consoles_print(const char *text);

/*
 * Lines for a program that reads a serial console: to those consoles only, with the kernel's messages kept
 * from them meanwhile (begin, end). false where there is no such console; end returns when all of it has
 * gone out.
 */
bool consoles_serial_begin(void);
void consoles_serial_print(const char *text);
void consoles_serial_end(void);

/* Phase with its progress; total 0 = not known. A serial line gets a line per phase and per quarter
 * of long ones. */
void consoles_progress(const char *phase, uint64_t done, uint64_t total);

enum { CONSOLE_NO_LIMIT = -1 };

/*
 * Waits for a key on any console, or until the seconds have passed (0 = not at all, CONSOLE_NO_LIMIT = for ever); what is left
 * is shown on the screens after words. True where a key came. stop is asked ten times a second and
 * ends the wait like a key.
 */
bool consoles_wait_key(int seconds, const char *words, bool (*stop)(void));

#endif
