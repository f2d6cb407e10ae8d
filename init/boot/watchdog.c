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

#define SOFTDOG "Software Watchdog" /* its identity */

/* Half of the shortest that can be asked for. */
#define FEED_SECONDS 0.5

/* What the kernel's own waits longer, where the machine's is to bite first. */
enum { LATER_SECONDS = 5 };

enum { HARDWARE, SOFTWARE, KINDS };

static struct watchdog started;
static int fds[KINDS] = { -1, -1 };
static double fed;

static bool is_software(const char *name, const char *top)
{
	char identity[WATCHDOG_IDENTITY_BYTES];

	return !sysfs_read(identity, sizeof(identity), top, "/sys/class/watchdog/%s/identity",
			   name) &&
	       !strcmp(identity, SOFTDOG);
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

static void stop(int *fd)
{
	if (*fd < 0)
		return;
	/* A driver that does not know the letter goes on, and must be fed by whoever comes next. */
	if (write(*fd, "V", 1) == 1)
		close(*fd);
	*fd = -1;
}

static void note_started(int fd, unsigned seconds)
{
	struct watchdog_info info = { .options = 0 };
	size_t used = strlen(started.identity);
	int status = 0;

	ioctl(fd, WDIOC_GETSUPPORT, &info);
	snprintf(started.identity + used, sizeof(started.identity) - used, "%s%.28s",
		 used ? ", " : "", (const char *)info.identity);
	started.was_reset |= !ioctl(fd, WDIOC_GETBOOTSTATUS, &status) && (status & WDIOF_CARDRESET);
	if (!started.seconds)
		started.seconds = seconds;
}

/* Opening one starts it, with whatever time it has; the letter V before closing stops it. */
static int start(int *fd, const char *name, unsigned seconds)
{
	char path[32];
	int timeout = (int)seconds;

	snprintf(path, sizeof(path), "/dev/%s", name);
	*fd = open(path, O_WRONLY | O_CLOEXEC);
	if (*fd < 0)
		return -errno;
	if (ioctl(*fd, WDIOC_SETTIMEOUT, &timeout) || timeout < (int)seconds) {
		stop(fd);
		return -ERANGE;
	}
	note_started(*fd, (unsigned)timeout);
	return 0;
}

int watchdog_start(unsigned seconds)
{
	char names[WATCHDOGS_MAX][16];
	size_t count = watchdog_candidates(names, "");

	started = (struct watchdog){ .seconds = 0 };
	for (size_t i = 0; i < count; i++) {
		int kind = is_software(names[i], "") ? SOFTWARE : HARDWARE;
		unsigned later = kind == SOFTWARE && fds[HARDWARE] >= 0 ? LATER_SECONDS : 0;

		if (fds[kind] < 0)
			start(&fds[kind], names[i], seconds + later);
	}
	watchdog_feed();
	if (started.seconds)
		return 0;
	return error_set(
		-ENODEV,
		"there is no watchdog that waits for %u seconds: a machine that hangs stays as it is",
		seconds);
}

void watchdog_feed(void)
{
	double now = clock_seconds();

	if (now - fed < FEED_SECONDS)
		return;
	fed = now;
	for (int kind = 0; kind < KINDS; kind++)
		if (fds[kind] >= 0)
			ioctl(fds[kind], WDIOC_KEEPALIVE, NULL);
}

void watchdog_stop(void)
{
	for (int kind = 0; kind < KINDS; kind++)
		stop(&fds[kind]);
}

const struct watchdog *watchdog_started(void)
{
	return started.seconds ? &started : NULL;
}
