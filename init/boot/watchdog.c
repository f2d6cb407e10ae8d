/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot/watchdog.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/watchdog.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>

#define SOFTWARE "Software Watchdog" /* softdog's identity */

/* Half of the shortest that can be asked for. */
#define FEED_SECONDS 0.5

static struct watchdog started;
static int fd = -1;
static double fed;

static bool is_software(const char *name, const char *top)
{
	char identity[WATCHDOG_IDENTITY_BYTES];

	return !sysfs_read(identity, sizeof(identity), top, "/sys/class/watchdog/%s/identity",
			   name) &&
	       !strcmp(identity, SOFTWARE);
}

size_t watchdog_candidates(char names[WATCHDOGS_MAX][16], const char *top)
{
	size_t count = 0;

	for (int software = 0; software <= 1; software++) {
		for (unsigned number = 0; number < WATCHDOGS_MAX; number++) {
			char name[16], state[16];

			snprintf(name, sizeof(name), "watchdog%u", number);
			if (sysfs_read(state, sizeof(state), top, "/sys/class/watchdog/%s/state",
				       name) ||
			    is_software(name, top) != software)
				continue;
			strcpy(names[count++], name);
		}
	}
	return count;
}

/* Opening one starts it, with whatever time it has; the letter V before closing stops it. */
static int start(const char *name, unsigned seconds)
{
	char path[32];
	int timeout = (int)seconds, status = 0;
	struct watchdog_info info;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (ioctl(fd, WDIOC_SETTIMEOUT, &timeout) || timeout < (int)seconds ||
	    ioctl(fd, WDIOC_GETSUPPORT, &info)) {
		watchdog_stop();
		return -ERANGE;
	}
	started = (struct watchdog){
		.seconds = (unsigned)timeout,
		.was_reset = !ioctl(fd, WDIOC_GETBOOTSTATUS, &status) && (status & WDIOF_CARDRESET),
	};
	snprintf(started.identity, sizeof(started.identity), "%.32s", (const char *)info.identity);
	watchdog_feed();
	return 0;
}

int watchdog_start(unsigned seconds)
{
	char names[WATCHDOGS_MAX][16];
	size_t count = watchdog_candidates(names, "");

	for (size_t i = 0; i < count; i++)
		if (!start(names[i], seconds))
			return 0;
	return error_set(
		-ENODEV,
		"there is no watchdog that waits for %u seconds: a machine that hangs stays as it is",
		seconds);
}

void watchdog_feed(void)
{
	double now = clock_seconds();

	if (fd < 0 || now - fed < FEED_SECONDS)
		return;
	fed = now;
	ioctl(fd, WDIOC_KEEPALIVE, NULL);
}

void watchdog_stop(void)
{
	if (fd < 0)
		return;
	/* A driver that does not know the letter goes on, and must be fed by whoever comes next. */
	if (write(fd, "V", 1) == 1)
		close(fd);
	fd = -1;
}

const struct watchdog *watchdog_started(void)
{
	return started.seconds ? &started : NULL;
}
