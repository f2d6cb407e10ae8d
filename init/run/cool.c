/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/cool.h"

#include "lib/clock.h"
#include "lib/error.h"
#include "measure/counters.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { STEP_MILLISECONDS = 200, CALM_STEPS = COOL_CALM_SECONDS * 1000 / STEP_MILLISECONDS };

/* What was counted at a moment. */
struct look {
	double time;
	struct cpu_counters cpu;
	struct disk_counters disk;
};

bool cool_enough(const struct temperatures *temperatures)
{
	return !(temperatures->package_celsius > COOL_PACKAGE_CELSIUS) &&
	       !(temperatures->drive_celsius > COOL_DRIVE_CELSIUS);
}

static int take_look(struct look *look, const char *stat_path, const char *root)
{
	char path[PATH_MAX];
	int result = cpu_counters_read(&look->cpu, root);

	look->time = clock_seconds();
	look->disk = (struct disk_counters){ .reads = 0 };
	if (result || !stat_path)
		return result;
	snprintf(path, sizeof(path), "%s%s", root, stat_path);
	return disk_counters_read(&look->disk, path);
}

static bool is_calm(const struct look *before, const struct look *now)
{
	double busy = now->cpu.machine_busy_seconds - before->cpu.machine_busy_seconds;
	double all = (now->time - before->time) * (double)sysconf(_SC_NPROCESSORS_ONLN);

	return busy * 100 <= all * COOL_BUSY_PERCENT && !now->disk.in_flight &&
	       now->disk.reads == before->disk.reads && now->disk.writes == before->disk.writes &&
	       now->disk.discards == before->disk.discards;
}

static int tell(const struct progress *progress, const char *name, const struct cooling *cooling)
{
	const struct temperatures *now = &cooling->temperatures;
	char phase[128], *end = phase + sizeof(phase), *at = phase;

	at += snprintf(at, (size_t)(end - at), "%.40s: %s", name,
		       cool_enough(now) ? "waiting until the machine is idle" : "cooling down");
	if (!isnan(now->package_celsius))
		at += snprintf(at, (size_t)(end - at), ", CPU %.0f C", now->package_celsius);
	if (!isnan(now->drive_celsius))
		snprintf(at, (size_t)(end - at), ", drive %.0f C", now->drive_celsius);
	return progress_update(progress, phase, 0, 0) ? error_set(-EINTR, "stopped by the user") :
							0;
}

static const char *result_of(const struct cooling *cooling)
{
	const struct temperatures *last = &cooling->temperatures;

	if (!cooling->idle || !cool_enough(last))
		return "limit";
	return isnan(last->package_celsius) && isnan(last->drive_celsius) ? "unknown" : "cool";
}

int cool_wait(struct cooling *cooling, double limit_seconds, const char *stat_path,
	      const struct progress *progress, const char *name, const char *root)
{
	const struct timespec step = { .tv_nsec = STEP_MILLISECONDS * 1000000L };
	struct look before, now;
	unsigned calm = 0;
	int result = take_look(&before, stat_path, root);
	double started = before.time;

	*cooling = (struct cooling){ .seconds = 0 };
	while (!result) {
		nanosleep(&step, NULL);
		result = take_look(&now, stat_path, root);
		if (result)
			break;
		calm = is_calm(&before, &now) ? calm + 1 : 0;
		before = now;
		sensors_temperatures(&cooling->temperatures, stat_path, root);
		cooling->idle = calm >= CALM_STEPS;
		cooling->seconds = now.time - started;
		if ((cooling->idle && cool_enough(&cooling->temperatures)) ||
		    cooling->seconds >= limit_seconds)
			break;
		result = tell(progress, name, cooling);
	}
	cooling->result = result_of(cooling);
	if (!result && !strcmp(cooling->result, "limit"))
		progress_say(progress, "%s: not yet cool and idle after %.0f s; it begins all the same",
			     name, cooling->seconds);
	return result;
}
