/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/dispatch.h"

#include "boot/console.h"
#include "boot/watchdog.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/report.h"
#include "report/wire.h"

#include <stdlib.h>
#include <string.h>

static void print_line(void *context, const char *line)
{
	(void)context;
	watchdog_feed();
	consoles_serial_print(line);
	consoles_serial_print("\n");
}

struct dispatch dispatch_make(const struct run *run)
{
	bool asked = run->report && run_reports_to(run, "serial");
	bool serial = asked || (run->report && !run->saved);

	return (struct dispatch){
		.asked = asked,
		.lava = run->report && run_reports_to(run, "lava") ? report_lava(run->report) : NULL,
		.json = serial ? report_json(run->report) : NULL,
		.journal = serial ? journal_text(journal_lines(run->journal)) : NULL,
	};
}

static void send_files(struct dispatch *dispatch, const struct progress *progress)
{
	const struct wire_file files[] = {
		{ "report.json", dispatch->json, strlen(dispatch->json) },
		{ "journal.jsonl", dispatch->journal, strlen(dispatch->journal) },
	};

	if (wire_send(files, ARRAY_LENGTH(files), print_line, NULL))
		progress_say(progress, "blitbench: the report could not be sent: %s", error_text());
	else
		dispatch->sent = true;
}

void dispatch_send(struct dispatch *dispatch, const struct progress *progress)
{
	if (!dispatch->lava && !dispatch->json)
		return;
	bool serial = consoles_serial_begin();
	if (!serial && dispatch->asked)
		progress_say(progress, "blitbench: there is no serial console to send it over");
	if (serial && dispatch->json && dispatch->journal) {
		progress_say(progress, "sending the report over the serial console");
		send_files(dispatch, progress);
	}
	if (dispatch->lava)
		consoles_serial_print(dispatch->lava);
	consoles_serial_end();
	free(take_pointer(dispatch->lava));
	free(take_pointer(dispatch->json));
	free(take_pointer(dispatch->journal));
}
