/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session puts on its filesystem: the store, and as many trees as stand at the same time. */
#ifndef BLITBENCH_RUN_NEEDS_H
#define BLITBENCH_RUN_NEEDS_H

#include "fs/room.h"
#include "run/plan.h"

/* By place in the plan's filesystems and stores. */
struct needs {
	struct room rooms[PLAN_LIST_MAX][PLAN_LIST_MAX];
	uint64_t partition_bytes; /* enough for each of them */
};

/* Before the workload's contents are named, which may take minutes, this is the least: their names
 * say which directories the store has. -EMLINK where a filesystem allows too few links, -ENOMEM;
 * both with a sentence. */
int needs_make(struct needs *needs, const struct plan *plan, const struct workload *workload);

/* Adds what one tree takes, by any of the plan's engines. */
void needs_add_tree(struct room *room, const struct filesystem *fs, const struct plan *plan,
		    const struct layout *layout);

#endif
