/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Children whose limits pass at once. For programs linked with --wrap=poll, and skipping_clock.h.
 */
#ifndef BLITBENCH_TESTS_CHILD_FIXTURE_H
#define BLITBENCH_TESTS_CHILD_FIXTURE_H

#include "skipping_clock.h"

#include <poll.h>

/* What the next waits for a child's output come to, the first one first: 'w', there is some, or the
 * end of it, however long that takes; 's', the whole time has passed in silence. At its end they
 * are as ever. */
static const char *waits = "";

int __real_poll(struct pollfd *wanted, nfds_t count, int milliseconds);
int __wrap_poll(struct pollfd *wanted, nfds_t count, int milliseconds);

int __wrap_poll(struct pollfd *wanted, nfds_t count, int milliseconds)
{
	if (!*waits)
		return __real_poll(wanted, count, milliseconds);
	if (*waits++ == 'w')
		return __real_poll(wanted, count, -1);
	skipped_nanoseconds += milliseconds * 1000000ll;
	return 0;
}

#endif
