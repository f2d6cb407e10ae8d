/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What only PID 1 does: the kernel's filesystems, signals and limits at the start, power at the
 * end. */
#ifndef BLITBENCH_BOOT_BOOT_H
#define BLITBENCH_BOOT_BOOT_H

#include <stdbool.h>

/* Mounts /proc, /sys, /dev (devtmpfs) and /run (tmpfs); raises the limit of open files to the hard
 * limit, as moss does. */
int boot_prepare(void);

/* In a virtual machine a panic ends it at once, so that whoever waits for it is told; on metal it
 * stays readable for a while. */
void boot_panic_policy(bool virtual_machine);

/* Who has asked to stop, the last one: Ctrl-Alt-Del (and INT), TERM, or the power button. */
enum boot_stop { BOOT_GOES_ON, BOOT_STOP_KEYS, BOOT_STOP_SIGNAL, BOOT_STOP_BUTTON };

enum boot_stop boot_stop(void);

bool boot_stop_requested(void);

/* It is done: only another one counts. */
void boot_stop_forget(void);

/* Both write out what is still in memory, for a minute at most. */
void boot_poweroff(void) __attribute__((noreturn));
void boot_reboot(void) __attribute__((noreturn));

#endif
