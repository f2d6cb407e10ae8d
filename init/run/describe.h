/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal's objects that say what was run, on what, with what. */
#ifndef BLITBENCH_RUN_DESCRIBE_H
#define BLITBENCH_RUN_DESCRIBE_H

#include "run/run.h"

/* {id, mode, dry_run, profile, started, boot_seconds, image {version, digest}, kernel {release, cmdline}, config {...}}; config
 * is empty before it was read. */
json_t *describe_run(const struct run *run);
json_t *describe_machine(const struct run *run);
json_t *describe_target(const struct run *run);
json_t *describe_workload(const struct workload *workload, const struct plan *plan);

#endif
