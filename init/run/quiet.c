/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/quiet.h"

#include "lib/clock.h"
#include "lib/error.h"

#include <errno.h>
#include <time.h>

enum { STEP_MILLISECONDS = 100 };

static bool moved(const struct disk_counters *before, const struct disk_counters *now)
{
	return now->in_flight || now->reads != before->reads || now->writes != before->writes ||
	       now->discards != before->discards;
}

int quiet_begin(const char *stat_path, struct quiet *quiet)
{
	quiet->since = clock_seconds();
	return disk_counters_read(&quiet->counters, stat_path);
}

int quiet_wait(const char *stat_path, const struct quiet *quiet, const struct progress *progress,
	       const char *phase, bool *reached)
{
	const struct timespec step = { .tv_nsec = STEP_MILLISECONDS * 1000000L };
	double started = clock_seconds(), still_since = quiet->since;
	struct disk_counters last = quiet->counters, now;

	for (;;) {
		int result = disk_counters_read(&now, stat_path);

		if (result)
			return result;
		double time = clock_seconds();
		if (moved(&last, &now))
			still_since = time;
		*reached = time - still_since >= QUIET_SECONDS;
		if (*reached || time - started >= QUIET_LIMIT_SECONDS)
			return 0;
		last = now;
		if (progress_update(progress, phase, 0, 0))
			return error_set(-EINTR, "stopped by the user");
		nanosleep(&step, NULL);
	}
}
