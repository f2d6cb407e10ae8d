/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is mounted, as proc_pid_mountinfo(5) tells it. */
#ifndef BLITBENCH_LIB_MOUNTS_H
#define BLITBENCH_LIB_MOUNTS_H

#include <stdbool.h>
#include <sys/types.h>

/* Strings are valid during the call that gets them. What a line does not have is 0 or "". */
struct mounted {
	int id;       /* mnt_id of /proc/self/fdinfo */
	dev_t number; /* of the filesystem's device; btrfs has one of its own */
	const char *where;
	const char *type;
	const char *source;
	const char *options; /* the mount's and then the filesystem's, rw or ro once */
};

/* Calls visit for each mount in the kernel's order, in which the last on a folder is the one that
 * is seen, until it returns true. root as in lib/sysfs.h. A negative errno, without a sentence,
 * where it is not told what is mounted. */
int mounts_each(const char *root, bool (*visit)(void *context, const struct mounted *mounted),
		void *context);

/* In place: the kernel writes blanks and the like in names as \040, also in /proc/swaps. */
void mounts_unescape(char *text);

#endif
