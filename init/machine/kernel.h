/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program needs of the kernel that it was started with, which may be anybody's. */
#ifndef BLITBENCH_MACHINE_KERNEL_H
#define BLITBENCH_MACHINE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

enum { KERNEL_LACKS_BYTES = 1024 };

/*
 * Names what the kernel lacks of what any run needs, by the symbols of its configuration, each with what it is for:
 * as /proc/config.gz below top tells, where there is one, and as the kernel itself shows. A module counts as lacking, for none
 * is loaded. "" where nothing is lacking.
 */
const char *kernel_lacks(char words[KERNEL_LACKS_BYTES], const char *top);

/* The same of filesystems, by the kernel's names for them ("xfs"), and of the inode slabs by which cold caches are
 * proven. */
const char *kernel_lacks_for(char words[KERNEL_LACKS_BYTES], const char *const *types, size_t count, bool cold,
			     const char *top);

#endif
