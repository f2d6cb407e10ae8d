/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes over the serial consoles when a run is over: signals for a lab, report and journal. */
#ifndef BLITBENCH_RUN_DISPATCH_H
#define BLITBENCH_RUN_DISPATCH_H

#include "run/run.h"

struct dispatch {
	char *lava, *json, *journal; /* NULL = not asked for */
	bool asked, sent;            /* for report and journal */
};

/* What the run's key report asks for; and report and journal in any case where they are not saved. */
struct dispatch dispatch_make(const struct run *run);

/* After the run, when nothing is measured any more. Frees it; only sent stays. */
void dispatch_send(struct dispatch *dispatch, const struct progress *progress);

#endif
