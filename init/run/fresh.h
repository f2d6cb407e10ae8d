/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session on a fresh filesystem on the target, from discard to check. */
#ifndef BLITBENCH_RUN_FRESH_H
#define BLITBENCH_RUN_FRESH_H

#include "disk/target.h"
#include "fs/room.h"
#include "run/session.h"

/*
 * request's path is where it is mounted; node, stat_path and can_freeze are filled in here. room is
 * what the session needs. As session_run; -ESTALE and -EBUSY come from the last look.
 */
int fresh_run(struct session_request *request, const struct target *target,
	      const struct room *room);

#endif
