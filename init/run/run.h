/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A whole run on a machine of its own, as the steps that main lists. Each step returns 0, or a
 * negative errno with a sentence; the run then remembers how it ended (run_ended) and only the last
 * two steps are still to be taken.
 */
#ifndef BLITBENCH_RUN_RUN_H
#define BLITBENCH_RUN_RUN_H

#include "disk/link_power.h"
#include "disk/results.h"
#include "disk/target.h"
#include "lib/redact.h"
#include "machine/hold.h"
#include "report/journal.h"
#include "run/needs.h"
#include "run/plan.h"
#include "run/session.h"
#include "run/unfinished.h"

struct directory;

struct run {
	const struct progress *progress;
	char id[32];
	bool virtual_machine;
	struct directory *directory; /* where no target is formatted (run/directory.h); borrowed */
	struct device_list devices;
	struct results results;
	struct config *config;
	struct plan plan;
	struct workload workload;
	struct needs needs;
	struct journal *journal;
	struct target target;
	dev_t measured; /* the block device under the filesystems that are measured; 0 = none */
	struct hold *hold;
	double began;	/* by clock_boot_seconds(), when the program did; 0 = it is no PID 1 */
	double started; /* by clock_boot_seconds(), when it was named */
	struct link_power link_power;
	struct redactor redactor;	 /* used where the plan says so */
	struct progress redacted;	 /* what it is told then goes on to: */
	const struct progress *unredacted;
	bool target_held;
	bool reported, saved; /* the report's files are written; and all of it is on the medium */
	/* of run/save.h, by clock_seconds() */
	uint64_t newest_disk;
	double retry_at, retry_until;
	struct unfinished unfinished; /* what earlier runs have left */
	json_t *taken_over;	      /* the sessions of run/resume.h, or NULL */

	/* how it ended */
	enum run_status status;
	const char *rule; /* of a refusal, or NULL */
	char reason[8192];
	json_t *report; /* after run_report */
};

void run_init(struct run *run, const struct progress *progress);

/* Names it, once: this is its start. */
void run_name(struct run *run);

/* Reads the kernel's command line, which is all that is known before there are results. */
int run_read_command_line(struct run *run);

/* Whether this kernel has what any run needs. Rule "kernel". */
int run_check_kernel(struct run *run);

/* Awaits the results volume, mounts it, starts the run's folder and its journal. Where there is none it
 * is rule "no-results"; or, where the command line sends the report over a serial line, the journal is
 * kept in memory. */
int run_find_results(struct run *run);

/* Reads blitbench.conf and profile; makes the plan. All mistakes at once, rule "config"; what this kernel lacks for
 * the plan, rule "kernel". */
int run_configure(struct run *run);

/* Reads the manifests and finds out what all of it needs at least. Rule "workload". */
int run_load_workload(struct run *run);

/* Awaits the target and chooses it, or refuses; opens it. From here on it is known what would be
 * written to. */
int run_choose_target(struct run *run);

/* Names the contents, so that it is known exactly what all of it needs. Rule "workload". */
int run_name_contents(struct run *run);

/* After a countdown: the choice, made once more from a fresh look at the disks, still falls on it.
 */
int run_confirm_target(struct run *run);

/* From here on serial numbers and the like are left out, where the plan says so. */
int run_redact(struct run *run);

/* Those of the devices as they were scanned last, where the plan says so. */
int run_learn_secrets(struct run *run);

/* Sets the clock speed and journals what the machine is. */
int run_hold_machine(struct run *run);

/* All rounds and sessions; of a dry run none. A session that fails does not stop the others, unless the target itself
 * has become doubtful. */
int run_sessions(struct run *run);

/* The same by another function than the one that formats the target: it makes the session of a request
 * that has all but where it is. room is what the session needs. */
typedef int run_session(struct run *run, const struct room *room, struct session_request *request);
int run_sessions_in(struct run *run, run_session *session);

/* Notes how the run ended, and why where it did not complete. The first call counts. */
void run_ended(struct run *run, enum run_status status, const char *reason);

/* Whether the key report has this word. */
bool run_reports_to(const struct run *run, const char *word);

/* Writes the verdict and the reports to the results volume. An error where one is not there. */
int run_report(struct run *run);

/* Lets go of the target and puts the machine back. */
void run_leave_machine(struct run *run);

/* The same, and frees the journal. */
void run_release(struct run *run);

#endif
