/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives a fuzzer's bytes to the readers as a file of their own. */
#ifndef BLITBENCH_TESTS_FEED_H
#define BLITBENCH_TESTS_FEED_H

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The name of a file in memory that holds the bytes until the next call. */
static const char *feed(const uint8_t *data, size_t size)
{
	static char name[64];
	static int fd = -1;

	if (fd < 0) {
		fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	}
	if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
		abort();
	return name;
}

#endif
