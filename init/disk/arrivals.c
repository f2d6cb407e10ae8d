/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/arrivals.h"

#include "lib/clock.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The kernel's own multicast group; what udev makes of it goes to another. */
enum { KERNEL_GROUP = 1 };

int arrivals_open(void)
{
	const struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (bind(fd, (const struct sockaddr *)&address, sizeof(address))) {
		int code = errno;

		close(fd);
		return -code;
	}
	return fd;
}

/* "add@/devices/...", "ACTION=add", ..., each with its NUL. */
static bool is_of_block_device(const char *event, size_t size)
{
	for (size_t at = 0; at < size; at += strlen(event + at) + 1)
		if (!strcmp(event + at, "SUBSYSTEM=block"))
			return true;
	return false;
}

/* All that has come. More than there was room for may have been anything. */
static bool take_all(int fd)
{
	char event[8192];
	bool found = false;

	for (;;) {
		ssize_t size = recv(fd, event, sizeof(event) - 1, MSG_DONTWAIT);

		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0)
			return found || errno == ENOBUFS;
		event[size] = '\0';
		found |= is_of_block_device(event, (size_t)size);
	}
}

bool arrivals_wait(int fd, unsigned limit_milliseconds)
{
	double deadline = clock_seconds() + limit_milliseconds / 1e3, left;

	while ((left = deadline - clock_seconds()) > 0) {
		/* A descriptor below 0 is waited on for nothing but the time. */
		struct pollfd told = { .fd = fd, .events = POLLIN };

		if (poll(&told, 1, (int)(left * 1000) + 1) > 0 && take_all(fd))
			return true;
	}
	return false;
}
