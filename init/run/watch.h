/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What else happens to the machine in a session: the kernel's messages, and the disks' other work. */
#ifndef BLITBENCH_RUN_WATCH_H
#define BLITBENCH_RUN_WATCH_H

#include "measure/kmsg.h"
#include "measure/others.h"
#include "report/record.h"
#include "run/transaction.h"

struct watch {
	struct kmsg kmsg;
	struct others others;
	int results_fd; /* on the results volume, -1 = there is none; borrowed */
	json_t *messages; /* of the session, outside its trials; NULL where they cannot be read */
};

/* From now on. target and results as in measure/others.h; results_fd as above. */
void watch_open(struct watch *watch, dev_t target, dev_t results, int results_fd);
void watch_close(struct watch *watch);

/* Before a trial settles: FAT writes its count of free clusters seconds after a flush, which would fall
 * into the trial; so it is made to write that now. NULL = no watch. */
void watch_prepare(const struct watch *watch);

/*
 * After a transaction, before its tree is verified: flags kernel-error and other-io. What the kernel has
 * said since the last call counts here, also while the trial was being prepared. NULL = no watch.
 */
void watch_trial(const struct watch *watch, const struct transaction *transaction,
		 struct trial_record *record);

/* Into the session's record: "kernel_messages", those that no trial has. */
void watch_session(const struct watch *watch, json_t *record);

#endif
