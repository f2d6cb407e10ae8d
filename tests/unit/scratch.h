/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where tests put what they write: into memory where the machine offers that, for the speed. */
#ifndef BLITBENCH_TESTS_SCRATCH_H
#define BLITBENCH_TESTS_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Makes a new folder and writes its path into top, of at least 64 bytes. 0 or -1. */
__attribute__((unused)) static int scratch_make(char *top, const char *name)
{
	snprintf(top, 64, "%s/blitbench-%s-XXXXXX", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm",
		 name);
	return mkdtemp(top) ? 0 : -1;
}

#endif
