/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a smaller workload of the same shape. Directories are taken in an order that looks random
 * and always is the same: by the XXH3-64 of their path. Those above a directory are taken before
 * it, and with each come all its files and symlinks; what it has in subdirectories comes when their
 * turn comes. Only the directory taken last is trimmed: it has the first of its entries, bytewise
 * by name, that make the number exact. A smaller subset is part of a larger one.
 */
#ifndef BLITBENCH_WORKLOAD_SUBSET_H
#define BLITBENCH_WORKLOAD_SUBSET_H

#include "workload/layout_build.h"

/*
 * Hands exactly so many entries of a layout, usr counted, to take, in moss's order; directories are
 * all listed, and contents keep their numbers and sizes. -EINVAL where there are fewer.
 */
int subset_each(const struct layout *layout, const struct contents *contents, uint64_t entries,
		take_entry *take, void *context);

#endif
