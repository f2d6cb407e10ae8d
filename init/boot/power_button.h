/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's power button, which asks to stop and turn it off. */
#ifndef BLITBENCH_BOOT_POWER_BUTTON_H
#define BLITBENCH_BOOT_POWER_BUTTON_H

#include <stdbool.h>

/* Listens to every input device below directory (/dev/input) that has such a key. */
void power_buttons_open(const char *directory);

/* Whether one was pressed since the last call. */
bool power_button_pressed(void);

#endif
