/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's word on block devices that come, go or change, so that whoever awaits one need not
 * look again and again. */
#ifndef BLITBENCH_DISK_ARRIVALS_H
#define BLITBENCH_DISK_ARRIVALS_H

#include <stdbool.h>

/* A descriptor to wait on, closed by the caller, to be had before the first look at what is there.
 * -errno without a sentence where the kernel tells nothing; that may be waited on as well. */
int arrivals_open(void);

/* True once something of a block device was told, which is then forgotten as all that came with it
 * is; false when the time was over. */
bool arrivals_wait(int fd, unsigned limit_milliseconds);

#endif
