/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress of a command on the terminal, and the end of it by Ctrl-C. */
#ifndef BLITBENCH_CLI_BAR_H
#define BLITBENCH_CLI_BAR_H

#include "lib/progress.h"

/*
 * A bar in the last line of standard error, where that is a terminal; elsewhere nothing is shown.
 * From the first call on SIGINT, SIGTERM and SIGHUP make the work stop (-EINTR) instead of the
 * program end, so that it leaves nothing half-written; what is ignored, as under nohup, stays so.
 */
const struct progress *bar_start(void);

/* Takes the bar away. To be called before anything else is printed. */
void bar_end(void);

/* The signal that asked to stop, 0 where none did. */
int bar_signal(void);

#endif
