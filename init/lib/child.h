/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs one of the filesystem tools: no shell, no search path, an empty environment, a time limit,
 * its output kept. */
#ifndef BLITBENCH_LIB_CHILD_H
#define BLITBENCH_LIB_CHILD_H

#include <stdbool.h>

struct child_result {
	int exit_status; /* 0..255; 128 + N where signal N ended it */
	bool timed_out;
	double seconds;
	char output[8192]; /* the last part of stdout and stderr together, always NUL-terminated */
};

/* From here on alive is called about twice a second while a child is waited for; NULL = nobody.
 * Such a wait is no hang: it has the child's limit. */
void child_while_waiting(void (*alive)(void));

/*
 * argv[0] is the absolute path of the program. After limit_seconds it gets SIGTERM, five seconds
 * later SIGKILL (its whole process group), and another five seconds later it is given up. Returns 0
 * when the program ran and exited with 0; -ETIMEDOUT; -EBUSY when it could not be killed either and
 * may go on; -ENOENT and the like when it could not be started; -EIO when it exited otherwise.
 * result is filled in all cases.
 */
int child_run(const char *const argv[], unsigned limit_seconds, struct child_result *result);

#endif
