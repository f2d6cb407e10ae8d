/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run holds still of its machine, and tells of it: the clock speed, the link of the disk. */
#ifndef BLITBENCH_RUN_HELD_H
#define BLITBENCH_RUN_HELD_H

#include "run/run.h"

/* Sets the clock speed as the plan says, tells what the machine is and what could not be had. Where
 * there is no cpufreq driver the plan has one governor from then on, as found. */
int held_open(struct run *run);

/* Sets the policy of the link that the disk hangs on which is measured, as the plan says. Where the disk
 * does not take it, that is a note. */
void held_link(struct run *run);

#endif
