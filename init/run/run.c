/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/run.h"

#include "disk/arrivals.h"
#include "disk/controllers.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "lib/values.h"
#include "machine/inventory.h"
#include "machine/kernel.h"
#include "measure/counters.h"
#include "report/report.h"
#include "run/announce.h"
#include "run/describe.h"
#include "run/fresh.h"
#include "run/held.h"
#include "run/memory.h"
#include "run/resume.h"
#include "workload/workers.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#define RESULTS_MOUNTPOINT "/run/results"
#define TARGET_MOUNTPOINT "/run/target"
#define NODE_DIRECTORY "/run/blitbench"

/* Boots in a row that led nowhere, after which one is refused. */
enum { RUN_BARREN_MAX = 3 };

/* Disks may appear after PID 1 has started; USB sticks take a second or two, spinning and slow ones
 * more; once the stick is there, so is mostly everything. */
enum { STICK_LIMIT_SECONDS = 30, TARGET_LIMIT_SECONDS = 15 };

/* The kernel tells of disks that come; a look is taken that often if it does not, or if somebody asks to stop. */
enum { DEVICE_STEP_MILLISECONDS = 1000 };

/* Looking at a tree and removing it take a descriptor for each directory that one is in, as making
 * it does: more than most are allowed at first. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void run_init(struct run *run, const struct progress *progress)
{
	char machine[64];

	allow_descriptors();
	*run = (struct run){ .progress = progress, .results = RESULTS_NONE, .target.held_fd = -1 };
	run->virtual_machine = *inventory_virtual("", machine, sizeof(machine));
	run->plan.hold_seconds = run->virtual_machine ? 0 : PLAN_HOLD_SECONDS;
}

void run_ended(struct run *run, enum run_status status, const char *reason)
{
	if (run->status != RUN_INCOMPLETE)
		return;
	run->status = status;
	int length = snprintf(run->reason, sizeof(run->reason), "%s", reason ? reason : "");
	if (run->plan.redact) {
		redact_buffer(&run->redactor, run->reason, sizeof(run->reason));
		length = (int)strlen(run->reason);
	}
	/* Of several lines, such as mistakes, the last needs no end. */
	if (length > 0 && (size_t)length < sizeof(run->reason) && run->reason[length - 1] == '\n')
		run->reason[length - 1] = '\0';
}

/* Who asks to stop is not refused, and neither is a machine that is too small. */
static int refuse(struct run *run, int code, const char *rule)
{
	if (code == -EINTR || code == -ENOMEM) {
		run_ended(run, code == -EINTR ? RUN_ABORTED : RUN_FAILED, error_text());
		return code;
	}
	if (!run->rule)
		run->rule = rule;
	run_ended(run, RUN_REFUSED, error_text());
	return code;
}

static int rescan(struct run *run)
{
	devices_free(&run->devices);
	int result = devices_scan(&run->devices, "");
	return result ? result : run_learn_secrets(run);
}

/* Disks are looked at again whenever the kernel tells of one, for so long. */
struct awaiting {
	const char *phase;
	double deadline;
	int arrivals;
	bool looked;
};

static struct awaiting await_disks(const char *phase, unsigned limit_seconds)
{
	return (struct awaiting){ .phase = phase,
				  .deadline = clock_seconds() + limit_seconds,
				  .arrivals = arrivals_open() };
}

static bool awaiting_is_over(const struct awaiting *awaiting)
{
	return clock_seconds() >= awaiting->deadline;
}

static int look(struct run *run, struct awaiting *awaiting)
{
	if (progress_update(run->progress, awaiting->phase, 0, 0))
		return error_set(-EINTR, "stopped by the user");
	if (awaiting->looked)
		arrivals_wait(awaiting->arrivals, DEVICE_STEP_MILLISECONDS);
	awaiting->looked = true;
	return rescan(run);
}

/* The time, so that folders sort, and 16 random bits, since clocks may be wrong and stick at 1970.
 */
void run_name(struct run *run)
{
	time_t now = time(NULL);
	uint16_t random = 0;
	struct tm parts;
	char stamp[20];

	run->started = clock_boot_seconds();
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) != sizeof(random))
		random = (uint16_t)(clock_seconds() * 1e6);
	gmtime_r(&now, &parts);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &parts);
	snprintf(run->id, sizeof(run->id), "%s-%04x", stamp, random);
}

/* Runs are sorted by their ids, also where the clock has gone back since the newest one. */
static void name_behind(struct run *run, const char *newest)
{
	struct tm parts = { 0 };
	char stamp[20];

	if (strcmp(run->id, newest) > 0 || !strptime(newest, "%Y%m%d-%H%M%S", &parts))
		return;
	time_t later = timegm(&parts) + 1;
	gmtime_r(&later, &parts);
	strftime(stamp, sizeof(stamp), "%Y%m%d-%H%M%S", &parts);
	memcpy(run->id, stamp, strlen(stamp));
}

/* So many boots in a row that led nowhere are no accident, and the next would lead nowhere either. */
static int note_unfinished(struct run *run)
{
	const struct unfinished *unfinished = &run->unfinished;

	if (strcmp(run->id, unfinished->newest) > 0 && *unfinished->name)
		journal_note(run->journal, "the run before this one, %s, was cut short: its journal ends without a verdict",
			     unfinished->name);
	if (unfinished->barren < RUN_BARREN_MAX)
		return 0;
	error_set(-ELOOP,
		  "the last %u runs, the newest of them %s, were all cut short before they had finished "
		  "a session; look at their journals in runs/ on BLITRESULTS for the last that each has "
		  "told, mend that, and start again, which is not refused",
		  unfinished->barren, unfinished->name);
	return refuse(run, -ELOOP, "cut-short");
}

/* Where a stick's disk is not taken to have a cache, the kernel sends it no flushes. */
static void note_flushes(struct run *run)
{
	const char *type = run->results.cache_type;

	if (*type && strcmp(type, "write back"))
		journal_note(run->journal, "the cache type of the results volume's disk is %s", type);
}

static void note_repairs(struct run *run)
{
	if (!*run->results.repairs)
		return;
	progress_say(run->progress, "the results volume was repaired: %s", run->results.repairs);
	journal_note(run->journal, "the results volume was repaired before it was used: %s",
		     run->results.repairs);
}

static int start_journal(struct run *run)
{
	int result = results_start_run(&run->results, run->id);
	int journal = journal_create(&run->journal, result ? -1 : run->results.run_fd);

	if (!journal) {
		note_flushes(run);
		note_repairs(run);
		journal_watch(run->journal, run->progress);
	}
	return result ? result : journal;
}

int run_read_command_line(struct run *run)
{
	_cleanup_free_ char *command_line = sysfs_slurp("", "/proc/cmdline");

	run_name(run);
	run->config = config_new(plan_names);
	if (!run->config)
		return refuse(run, error_set(-ENOMEM, "out of memory for the configuration"),
			      "config");
	config_read_command_line(run->config, command_line ? command_line : "");
	return 0;
}

bool run_reports_to(const struct run *run, const char *word)
{
	return run->config && config_has_word(run->config, KEY_REPORT, word);
}

static int start_without_results(struct run *run)
{
	int result = journal_create(&run->journal, -1);

	if (result)
		return refuse(run, result, "no-results");
	progress_say(run->progress, "no results volume was found: the report is kept in memory, and "
				    "sent over the serial console");
	return journal_note(run->journal, "there was no results volume: journal and report were kept in "
					  "memory, for the serial console");
}

static int refuse_kernel(struct run *run, const char *lacks)
{
	error_set(-ENOSYS, "this kernel lacks %s; start one that has it built in, such as the image's own", lacks);
	return refuse(run, -ENOSYS, "kernel");
}

int run_check_kernel(struct run *run)
{
	char lacks[KERNEL_LACKS_BYTES];

	return *kernel_lacks(lacks, "") ? refuse_kernel(run, lacks) : 0;
}

int run_find_results(struct run *run)
{
	struct awaiting awaiting = await_disks("looking for the results volume", STICK_LIMIT_SECONDS);
	int index = -ENOENT, result;

	do {
		result = look(run, &awaiting);
		if (!result)
			index = results_find(&run->devices);
	} while (!result && index == -ENOENT && !awaiting_is_over(&awaiting));
	cleanup_close(&awaiting.arrivals);
	if (result)
		return refuse(run, result, "no-results");
	/* Only once no other may come any more. */
	int damaged = index == -ENOENT ? results_find_damaged(&run->devices) : -1;
	if (damaged >= 0)
		index = damaged;
	if (index == -ENOENT && run_reports_to(run, "serial"))
		return start_without_results(run);
	result = index < 0 ? index
			   : results_mount(&run->results, &run->devices, (size_t)index, RESULTS_MOUNTPOINT, NULL);
	if (!result) {
		unfinished_find(RESULTS_MOUNTPOINT, &run->unfinished);
		name_behind(run, run->unfinished.newest);
		result = start_journal(run);
	}
	if (result)
		return refuse(run, result, "no-results");
	return note_unfinished(run);
}

/* Once it is known what is to be measured. */
static int check_kernel_for(struct run *run)
{
	const struct plan *plan = &run->plan;
	const char *types[PLAN_LIST_MAX];
	char lacks[KERNEL_LACKS_BYTES];

	for (unsigned i = 0; i < plan->filesystem_count; i++)
		types[i] = plan->filesystems[i]->type;
	kernel_lacks_for(lacks, types, plan->filesystem_count, plan_has_cache(plan, CACHE_COLD), "");
	return *lacks ? refuse_kernel(run, lacks) : 0;
}

int run_configure(struct run *run)
{
	bool on_volume = run->results.number;
	char path[256];

	int result = config_read_conf(run->config, RESULTS_MOUNTPOINT "/blitbench.conf");
	if (result == -ENOENT)
		progress_say(run->progress, "no blitbench.conf on BLITRESULTS: defaults are used");
	else if (result)
		return refuse(run, result, "config");
	const char *profile = config_get(run->config, KEY_PROFILE);
	snprintf(path, sizeof(path), PLAN_PROFILES "/%.64s.conf", profile);
	if (strchr(profile, '/') || config_read_profile(run->config, path))
		config_mistake(run->config, KEY_PROFILE, "no such profile in the image");
	result = plan_make(&run->plan, run->config, on_volume ? RESULTS_MOUNTPOINT : NULL,
			   run->virtual_machine);
	if (run_redact(run))
		return refuse(run, -ENOMEM, "config");
	journal_append(run->journal, "run", describe_run(run));
	if (!result)
		return check_kernel_for(run);
	/* All of them, however many: more than one sentence of an error may hold. */
	run->rule = "config";
	run_ended(run, RUN_REFUSED, config_mistakes(run->config));
	return result;
}

/* Before anything is written: whoever has too little memory may think again. */
static void note_memory(const struct run *run)
{
	char text[512];

	memory_warning(&run->plan, &run->workload, inventory_memory_bytes(""), text, sizeof(text));
	if (!*text)
		return;
	progress_say(run->progress, "%s", text);
	journal_note(run->journal, "%s", text);
}

int run_load_workload(struct run *run)
{
	const struct plan *plan = &run->plan;
	struct workload *workload = &run->workload;

	int result = workload_read(workload, plan->workload, plan->base_path,
				   *plan->delta_path ? plan->delta_path : NULL, run->progress);
	if (!result && plan->cap_bytes)
		result = workload_cap(workload, plan->cap_bytes);
	if (!result)
		result = needs_make(&run->needs, plan, workload);
	if (result)
		return refuse(run, result, "workload");
	journal_append(run->journal, "workload", describe_workload(workload, plan));
	note_memory(run);
	return 0;
}

/* Once for all sessions: no fill of a store has to bear it. What is needed is known exactly then,
 * and the target is looked at with it when it is confirmed. */
int run_name_contents(struct run *run)
{
	int result = contents_name(&run->workload.contents, CONTENT_SEED,
				   workers_processors(WORKERS_MAX), run->progress);

	if (!result)
		result = needs_make(&run->needs, &run->plan, &run->workload);
	if (result)
		return refuse(run, result, "workload");
	run->plan.wish.bytes_needed = run->needs.partition_bytes;
	return 0;
}

/* A disk may still be on its way: what is not there yet, or seems to be a whole disk, is awaited.
 */
static bool may_come_yet(const struct refusal *refusal)
{
	return !strcmp(refusal->rule, "no-match") || !strcmp(refusal->rule, "whole-disk");
}

static int refuse_target(struct run *run, const struct refusal *refusal)
{
	char hiding[512] = "";

	if (may_come_yet(refusal))
		controllers_hiding("", hiding, sizeof(hiding));
	error_set(-EPERM, "%s%s%s; %s", refusal->reason, *hiding ? "; " : "", hiding,
		  refusal->remedy);
	return refuse(run, -EPERM, refusal->rule);
}

int run_choose_target(struct run *run)
{
	struct awaiting awaiting = await_disks("looking for the target", TARGET_LIMIT_SECONDS);
	struct target_wish *wish = &run->plan.wish;
	struct refusal refusal = { 0 };
	int index = -ENOENT, result;

	wish->results = run->results.number;
	wish->unfinished_partuuid = *run->unfinished.partuuid ? run->unfinished.partuuid : NULL;
	wish->bytes_needed = run->needs.partition_bytes;
	do {
		result = look(run, &awaiting);
		if (!result)
			index = target_choose(&run->devices, wish, &refusal);
	} while (!result && index < 0 && may_come_yet(&refusal) && !awaiting_is_over(&awaiting));
	cleanup_close(&awaiting.arrivals);
	if (result)
		return refuse(run, result, "no-match");
	if (index < 0)
		return refuse_target(run, &refusal);
	result = target_open(&run->target, &run->devices.devices[index], NODE_DIRECTORY);
	if (result)
		return refuse(run, result, result == -ESTALE ? "changed" : "in-use");
	run->target_held = true;
	return 0;
}

int run_confirm_target(struct run *run)
{
	struct refusal refusal = { 0 };
	int result = rescan(run);

	if (result)
		return refuse(run, result, "changed");
	/* The second of two sticks may have come after the first was taken: whose configuration is
	 * this? */
	if (results_find(&run->devices) == -EEXIST)
		return refuse(run, -EEXIST, "no-results");
	int index = target_choose(&run->devices, &run->plan.wish, &refusal);
	if (index < 0)
		return refuse_target(run, &refusal);
	if (run->devices.devices[index].number != run->target.identity.number)
		return refuse(
			run,
			error_set(-ESTALE,
				  "another partition answers to the target's name than a "
				  "moment ago; start again with the disks as they shall stay"),
			"changed");
	run->measured = run->target.identity.number;
	if (!run->plan.dry_run)
		held_link(run);
	json_t *target = describe_target(run);
	if (json_is_false(json_object_get(target, "aligned")))
		journal_note(run->journal,
			     "the target does not begin on a sector of its disk: blocks straddle "
			     "sectors, and writing is slower than it need be");
	journal_append(run->journal, "target", target);
	return 0;
}

int run_hold_machine(struct run *run)
{
	int result = held_open(run);

	return result ? refuse(run, result, "config") : 0;
}

/* How the sessions went so far. */
struct tally {
	unsigned sessions, failed, unverified, left_out;
	char reasons[1024];
};

static int on_target(struct run *run, const struct room *room, struct session_request *request)
{
	request->path = TARGET_MOUNTPOINT;
	return fresh_run(request, &run->target, room);
}

static int one_session(struct run *run, run_session *session, unsigned round, unsigned place,
		       struct tally *tally)
{
	struct plan_session which = plan_session(&run->plan, round, place);
	const struct filesystem *fs = run->plan.filesystems[which.filesystem];
	const struct fanout *fanout = run->plan.stores[which.store];
	bool several = run->plan.store_count > 1;
	struct watch watch;
	char name[48];
	struct session_request request = {
		.plan = &run->plan,
		.workload = &run->workload,
		.fs = fs,
		.fanout = fanout,
		.name = name,
		.journal = run->journal,
		.progress = run->progress,
		.hold = run->hold,
		.run_started = run->started,
		.round = round,
		.unverified = &tally->unverified,
		.watch = &watch,
	};

	snprintf(name, sizeof(name), "%s%s%s", fs->name, several ? " " : "",
		 several ? fanout->name : "");
	watch_open(&watch, run->measured, run->results.number,
		   run->results.number ? run->results.run_fd : -1);
	int result = session(run, &run->needs.rooms[which.filesystem][which.store], &request);
	watch_close(&watch);
	size_t used = strlen(tally->reasons);

	tally->sessions++;
	if (!result)
		return 0;
	progress_say(run->progress, "%s%s", result == -EINTR ? "" : "FAILED: ", error_text());
	snprintf(tally->reasons + used, sizeof(tally->reasons) - used, "%s%s",
		 tally->failed++ ? "; " : "", error_text());
	return result;
}

/* Asked to stop, or a target that is no longer surely ours or could not be let go: nothing more. */
static bool must_stop(int result)
{
	return result == -EINTR || result == -ESTALE || result == -EBUSY;
}

static enum run_status tally_status(const struct tally *tally, int last)
{
	if (last == -EINTR)
		return RUN_ABORTED;
	if (tally->failed)
		return tally->failed == tally->sessions ? RUN_FAILED : RUN_PARTIAL;
	return tally->unverified || tally->left_out ? RUN_PARTIAL : RUN_COMPLETE;
}

/* What is to be said besides what every session that failed has said. */
static void add_reasons(struct tally *tally, const struct plan *plan)
{
	if (!tally->failed && tally->unverified)
		snprintf(tally->reasons, sizeof(tally->reasons),
			 "%u trial%s failed or left a tree that is not what it should be",
			 tally->unverified, tally->unverified == 1 ? "" : "s");
	size_t used = strlen(tally->reasons);
	if (tally->left_out)
		snprintf(tally->reasons + used, sizeof(tally->reasons) - used,
			 "%slimit_minutes = %u was reached, and %u of %u sessions are left out",
			 used ? "; " : "", plan->limit_minutes, tally->left_out,
			 plan->rounds * plan_sessions(plan));
}

static bool limit_reached(const struct plan *plan, double started)
{
	return plan->limit_minutes && clock_seconds() - started >= plan->limit_minutes * 60.0;
}

int run_sessions_in(struct run *run, run_session *session)
{
	const struct plan *plan = &run->plan;
	unsigned places = plan_sessions(plan), all = plan->rounds * places;
	double started = clock_seconds();
	struct tally tally = {
		.sessions = (unsigned)json_object_size(run->taken_over),
		.unverified = resume_unverified(run),
	};
	int last = 0;

	for (unsigned i = 0; i < all && !must_stop(last) && !tally.left_out; i++) {
		if (resume_has(run, 1 + i / places, i % places))
			continue;
		if (limit_reached(plan, started))
			tally.left_out = all - i;
		else
			last = one_session(run, session, 1 + i / places, i % places, &tally);
	}
	add_reasons(&tally, plan);
	run_ended(run, tally_status(&tally, last), tally.reasons);
	return tally.failed ? error_set(-EIO, "%s", tally.reasons) : 0;
}

int run_sessions(struct run *run)
{
	if (run->plan.dry_run)
		return run_dry(run);
	return run_sessions_in(run, on_target);
}

int run_report(struct run *run)
{
	if (!run->journal) {
		int result = journal_create(&run->journal, -1);

		if (result)
			return result;
	}
	run_ended(run, RUN_FAILED, error_text());
	int told = journal_verdict(run->journal, run->status, run->rule,
				   *run->reason ? run->reason : NULL);
	run->report = report_build(journal_lines(run->journal));
	if (!run->report)
		return -EINVAL;
	if (run->results.run_fd < 0)
		return told;
	/* Tried in any case: a report without its journal is better than neither. */
	int written = report_write(run->report, run->results.run_fd);
	run->reported = !told && !written;
	return written ? written : told;
}

void run_leave_machine(struct run *run)
{
	if (run->target_held)
		target_close(&run->target);
	run->target_held = false;
	link_power_release(&run->link_power);
	if (hold_release(run->hold))
		progress_say(run->progress,
			     "the clock speed's settings could not all be put back: %s",
			     error_text());
	run->hold = NULL;
}

void run_release(struct run *run)
{
	run_leave_machine(run);
	journal_close(run->journal);
	run->journal = NULL;
	unfinished_free(&run->unfinished);
	json_decref(run->taken_over);
	run->taken_over = NULL;
	redactor_free(&run->redactor);
	run->progress = run->unredacted ? run->unredacted : run->progress;
}
