/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting before a session until processor and disk are cool and idle. */
#ifndef BLITBENCH_RUN_COOL_H
#define BLITBENCH_RUN_COOL_H

#include "lib/progress.h"
#include "machine/sensors.h"

#include <stdbool.h>

/* At most as warm as this is cool; for so long no more of all processors busy than this, and
 * nothing read or written at the disk, is idle. */
enum { COOL_PACKAGE_CELSIUS = 60, COOL_DRIVE_CELSIUS = 55, COOL_BUSY_PERCENT = 10,
       COOL_CALM_SECONDS = 1 };

struct cooling {
	const char *result; /* "cool", "limit" (not before the time was over) or "unknown" (idle, and
			       no sensor tells a temperature) */
	double seconds;
	bool idle;
	struct temperatures temperatures; /* at the end */
};

/* No sensor, or all that there are say so. */
bool cool_enough(const struct temperatures *temperatures);

/* Waits limit_seconds at most. stat_path and root as in machine/sensors.h. Progress is told in the
 * name's words; -EINTR where it asks to stop. Counters that cannot be read are an error. */
int cool_wait(struct cooling *cooling, double limit_seconds, const char *stat_path,
	      const struct progress *progress, const char *name, const char *root);

#endif
