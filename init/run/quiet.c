/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/quiet.h"

#include "lib/clock.h"
#include "measure/counters.h"

#include <time.h>

enum { STEP_MILLISECONDS = 50 };

static bool moved(const struct disk_counters *before, const struct disk_counters *now)
{
	return now->in_flight || now->reads != before->reads || now->writes != before->writes ||
	       now->discards != before->discards;
}

int quiet_wait(const char *stat_path, bool *quiet)
{
	const struct timespec step = { .tv_nsec = STEP_MILLISECONDS * 1000000L };
	double started = clock_seconds(), still_since = started;
	struct disk_counters last, now;

	*quiet = false;
	int result = disk_counters_read(&last, stat_path);
	while (!result) {
		nanosleep(&step, NULL);
		result = disk_counters_read(&now, stat_path);
		if (result)
			break;
		double time = clock_seconds();
		if (moved(&last, &now))
			still_since = time;
		*quiet = time - still_since >= QUIET_SECONDS;
		if (*quiet || time - started >= QUIET_LIMIT_SECONDS)
			return 0;
		last = now;
	}
	return result;
}
