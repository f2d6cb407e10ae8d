/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Started as PID 1 this is the whole userland of the image; started by a person it is a command
 * (cli/). */
#include "boot/boot.h"
#include "boot/console.h"
#include "boot/pstore.h"
#include "boot/watchdog.h"
#include "cli/command.h"
#include "lib/child.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "report/report.h"
#include "run/announce.h"
#include "run/dispatch.h"
#include "run/resume.h"
#include "run/run.h"
#include "run/save.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

static int on_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
	(void)context;
	watchdog_feed();
	consoles_progress(phase, done, total);
	return boot_stop_requested();
}

static void on_line(void *context, const char *line)
{
	(void)context;
	watchdog_feed();
	consoles_print(line);
	consoles_print("\n");
}

static const struct progress progress = { .update = on_progress, .say = on_line };

/* Waiting for a person is no hang. */
static bool stop_requested_while_awake(void)
{
	watchdog_feed();
	return boot_stop_requested();
}

/* On bare metal a person sees which disk will be formatted and may stop it. */
static int announce(struct run *run)
{
	char text[ANNOUNCEMENT_BYTES];

	consoles_print(run_announcement(run, text));
	if (run->plan.dry_run || !run->plan.countdown_seconds)
		return 0;
	if (!consoles_wait_key((int)run->plan.countdown_seconds,
			       "Any key stops. Formatting begins in", stop_requested_while_awake))
		return 0;
	run_ended(run, RUN_ABORTED, "stopped by a key before anything was written to the target");
	return error_set(-EINTR, "%s", run->reason);
}

/* What the kernel said before it panicked in an earlier boot lies beside this run's journal, and what it says from here on is
 * kept. In a report that hides names it would tell some. */
static int keep_last_words(struct run *run)
{
	int count = 0;

	if (!run->plan.pstore)
		return 0;
	if (pstore_open())
		return journal_note(run->journal, "%s", error_text()), 0;
	if (run->results.number && !run->plan.redact)
		count = pstore_take(PSTORE_FOLDER, run->results.run_fd);
	if (count)
		journal_note(run->journal, "%s", count < 0 ? error_text()
							    : "the kernel's last words of an earlier boot are in " PSTORE_PREFIX
							      "* beside this report");
	return 0;
}

/* From here on a hang ends in a reset. Not before there is a journal: it is by those that runs are counted which
 * led nowhere, and that a machine is not reset again and again. */
static int start_watchdog(struct run *run)
{
	if (run->plan.watchdog_seconds && watchdog_start(run->plan.watchdog_seconds))
		journal_note(run->journal, "%s", error_text());
	child_while_waiting(watchdog_feed);
	return 0;
}

/* A list to read: */
/* clang-format off */
static int (*const steps[])(struct run *) = {
	run_read_command_line,
	run_check_kernel,
	run_find_results,
	run_configure,
	start_watchdog,
	keep_last_words,
	run_load_workload,
	run_choose_target,
	run_name_contents,
	run_hold_machine,
	announce,
	run_confirm_target,
	run_resume,
	run_sessions,
};
/* clang-format on */

static void show_place(const struct run *run, const char *unsaved, bool sent)
{
	if (run->saved)
		progress_say(
			&progress,
			"blitbench: run %s %s: results saved in %s on BLITRESULTS, safe to unplug",
			run->id, run_status_name(run->status), run->results.run_path);
	else if (sent)
		progress_say(&progress,
			     "blitbench: run %s %s: report sent over the serial console, and kept "
			     "nowhere else",
			     run->id, run_status_name(run->status));
	else
		progress_say(&progress, "blitbench: RESULTS NOT SAVED: %s", unsaved);
}

static void show_end(const struct run *run, const char *unsaved, bool sent)
{
	char *table = run->report ? run->saved || sent ? report_table(run->report)
						       : report_text(run->report)
				  : NULL;

	consoles_print("\n");
	if (table)
		consoles_print(table);
	/* The whole report, shown where it is not saved, has the reason in it. */
	if ((run->status != RUN_COMPLETE || run->plan.dry_run) && (run->saved || sent || !table)) {
		progress_say(&progress, "\nblitbench: run %s: %s%s%s", run->id,
			     run_status_name(run->status), run->rule ? ", rule " : "",
			     run->rule ? run->rule : "");
		consoles_print(run->reason);
		consoles_print("\n");
	}
	free(table);
	show_place(run, unsaved, sent);
}

static struct run *held;

/* Who stopped it stands in the journal beside the verdict. */
static enum boot_stop note_stop(const struct run *run)
{
	static const char *const words[] = {
		[BOOT_STOP_KEYS] = "Ctrl-Alt-Del was pressed: the run was to stop, and the machine to start again",
		[BOOT_STOP_SIGNAL] = "a signal asked the run to stop",
		[BOOT_STOP_BUTTON] = "the power button was pressed: the run was to stop, and the machine to be turned off",
	};
	enum boot_stop stop = boot_stop();
	const char *who = words[stop];

	if (!who)
		return stop;
	progress_say(&progress, "blitbench: %s", who);
	if (run->journal)
		journal_note(run->journal, "%s", who);
	return stop;
}

/* As the last one wanted who asked for a stop (before: the run's), or as the configuration says. What hangs
 * on its way to the next start is started by the watchdog; who turns a machine off wants no start. */
static void end_machine(const struct run *run, enum boot_stop before)
{
	enum boot_stop asked = boot_stop_requested() ? boot_stop() : before;

	if (asked != BOOT_STOP_KEYS && (asked == BOOT_STOP_BUTTON || run->plan.after != AFTER_REBOOT))
		boot_poweroff();
	if (watchdog_started())
		watchdog_start(watchdog_started()->seconds);
	boot_reboot();
}

static bool saved_or_stopped(void)
{
	return boot_stop_requested() || save_retry(held);
}

/* Results that are nowhere but on the screen stay there until somebody has seen them, or has plugged in the
 * stick that they belong on. */
static void hold(struct run *run, bool sent)
{
	bool unsaved = !run->saved && !sent;
	bool (*over)(void) = unsaved ? saved_or_stopped : boot_stop_requested;

	held = run;
	if (unsaved) /* What ended the run must not end this too. */
		boot_stop_forget();
	if ((unsaved && !run->virtual_machine) || run->plan.after == AFTER_HOLD)
		consoles_wait_key(CONSOLE_NO_LIMIT,
				  unsaved ? "The results are lost with any key now; a stick that was "
					    "pulled may be plugged in again, and they are written to it."
					  : "Any key ends it.",
				  over);
	else if (!run->saved || run->status == RUN_REFUSED)
		consoles_wait_key((int)run->plan.hold_seconds,
				  "Any key ends it. The machine stays on for", over);
	if (unsaved && run->saved)
		show_place(run, NULL, false);
}

static void pid1(void)
{
	struct run run;
	double began = clock_boot_seconds();
	int prepared = boot_prepare(), result = 0;
	char unsaved[1024];

	consoles_open();
	progress_say(&progress, "\nblitbench " BLITBENCH_VERSION);
	run_init(&run, &progress);
	run.began = began;
	boot_panic_policy(run.virtual_machine);
	if (prepared)
		run_ended(&run, RUN_FAILED, error_text());
	for (size_t i = 0; !prepared && !result && i < ARRAY_LENGTH(steps); i++)
		result = steps[i](&run);
	enum boot_stop stop = note_stop(&run);
	if (run_report(&run))
		progress_say(&progress, "blitbench: the report could not be written: %s",
			     error_text());
	run_leave_machine(&run);
	snprintf(unsaved, sizeof(unsaved), "%s",
		 save_finish(&run) ? error_text() : "no results volume");
	struct dispatch dispatch = dispatch_make(&run);
	dispatch_send(&dispatch, &progress);
	/* In the place of a results volume, not of one that failed. */
	bool sent = dispatch.asked && dispatch.sent && !*run.results.mountpoint;
	show_end(&run, unsaved, sent);
	watchdog_stop();
	hold(&run, sent);
	end_machine(&run, stop);
}

int main(int argc, char **argv)
{
	if (getpid() != 1)
		return command_main(argc, argv);
	pid1();
}
