/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Private device nodes, made from a number, so that no name has to be looked up. */
#ifndef BLITBENCH_DISK_NODE_H
#define BLITBENCH_DISK_NODE_H

#include <sys/types.h>

/* Makes the block device node, 0600, in place of whatever has the path. */
int node_make(const char *path, dev_t number);

/* Opens it and proves that it is of that number. A descriptor, or an error with a sentence. */
int node_open(const char *path, dev_t number, int flags);

#endif
