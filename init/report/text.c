/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text report, for a reader who may know neither this program nor the words of its trade. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/columns.h"
#include "report/details.h"
#include "report/fields.h"
#include "report/latency.h"
#include "report/page.h"
#include "report/pieces.h"
#include "report/ranking.h"
#include "report/ratios.h"
#include "report/tables.h"

enum { LABEL_COLUMNS = 12 };

static void print_rule(FILE *out)
{
	for (int i = 0; i < COLUMNS_MAX; i++)
		fputc('=', out);
	fputc('\n', out);
}

/* Whoever reads one line only must not take a run for good whose trials are not. */
static void print_worth(FILE *out, const json_t *report)
{
	double trials = field_number(report, "run.trials");
	double valid = field_number(report, "run.valid_trials");

	if (valid == 0 && trials > 0)
		columns_wrap(out, "", 0, "NONE OF THE %.0f TRIALS COUNTS: the flags below say why.",
			     trials);
	else if (valid < trials)
		columns_wrap(out, "", 0, "%.0f of %.0f trials do not count: the flags below say why.",
			     trials - valid, trials);
}

static void print_status(FILE *out, const json_t *report)
{
	static const struct {
		const char *status, *word, *reason;
	} statuses[] = {
		{ "complete", "Complete", "every trial of the plan was made." },
		{ "dry run", "DRY RUN", "nothing was formatted." },
		{ "partial", "PARTIAL", "not all of the plan was measured." },
		{ "failed", "FAILED", "no reason was recorded." },
		{ "refused", "REFUSED", "no reason was recorded." },
		{ "aborted", "ABORTED", "the run was stopped." },
	};
	const char *status = table_outcome(report);
	const char *rule = field_text(report, "run.rule", NULL);

	for (size_t i = 0; i < ARRAY_LENGTH(statuses); i++)
		if (!strcmp(status, statuses[i].status))
			columns_wrap(out, "", 0, "%s: %s", statuses[i].word,
				     field_text(report, "run.reason", statuses[i].reason));
	if (rule)
		columns_wrap(out, "", 0, "(rule: %s)", rule);
	print_worth(out, report);
}

static void print_title(FILE *out, const json_t *report)
{
	columns_wrap(out, "", 0, "blitbench report, run %s",
		     field_text(report, "run.id", "without a name"));
	print_rule(out);
	print_status(out, report);
	fputc('\n', out);
}

static void print_facts(FILE *out, const char *label, struct pieces *facts)
{
	const char *words = pieces_words(facts);

	columns_wrap(out, label, LABEL_COLUMNS, "%s", *words ? words : "not recorded");
}

static void print_run(FILE *out, const json_t *report)
{
	_cleanup_pieces_ struct pieces run = pieces_begin(), image = pieces_begin();

	add_piece(&run, "profile ", report, "run.profile", "");
	add_piece(&run, "started ", report, "run.started", "");
	if (isfinite(field_number(report, "run.seconds")))
		add_words(&run, "took %.0f s", field_number(report, "run.seconds"));
	print_facts(out, "Run", &run);
	add_piece(&image, "blitbench ", report, "run.image.version", "");
	add_piece(&image, "image ", report, "run.image.digest", "");
	add_piece(&image, "Linux ", report, "run.kernel.release", "");
	print_facts(out, "Software", &image);
}

/* What each of several was found to be when it was set. */
static void add_governors(struct pieces *words, const json_t *cpufreq)
{
	const json_t *settings = field(cpufreq, "settings"), *setting;
	size_t index;

	if (json_array_size(settings) < 2)
		add_piece(words, "", cpufreq, "governor", " (read back)");
	else
		json_array_foreach(settings, index, setting)
			add_piece(words, "", setting, "governor", " (read back)");
}

static void print_governor(FILE *out, const json_t *cpufreq)
{
	_cleanup_pieces_ struct pieces words = pieces_begin();

	if (!field_text(cpufreq, "driver", NULL)) {
		columns_wrap(out, "Governor", LABEL_COLUMNS,
			     "no cpufreq driver: the clock speed was not under control");
		return;
	}
	add_governors(&words, cpufreq);
	add_piece(&words, "asked for ", cpufreq, "governor_requested", "");
	add_piece(&words, "driver ", cpufreq, "driver", "");
	add_piece(&words, "boost ", cpufreq, "boost", "");
	add_piece(&words, "energy preference ", cpufreq, "epp", "");
	print_facts(out, "Governor", &words);
}

static void print_machine(FILE *out, const json_t *report)
{
	const json_t *machine = field(report, "machine");
	const char *virtual = field_text(machine, "virtual", NULL);
	_cleanup_pieces_ struct pieces cpu = pieces_begin(), memory = pieces_begin();

	add_piece(&cpu, "", machine, "cpu.model", "");
	add_count(&cpu, machine, "cpu.cores", "core");
	add_count(&cpu, machine, "cpu.threads", "thread");
	add_piece(&cpu, "microcode ", machine, "cpu.microcode", "");
	add_size(&memory, "", machine, "memory_bytes", "");
	if (!*pieces_words(&cpu) && !*pieces_words(&memory) && !virtual) {
		columns_wrap(out, "Machine", LABEL_COLUMNS, "not recorded");
		return;
	}
	if (virtual)
		columns_wrap(out, "Machine", LABEL_COLUMNS, "virtual machine (%s)", virtual);
	else
		columns_wrap(out, "Machine", LABEL_COLUMNS, "bare metal");
	print_facts(out, "CPU", &cpu);
	print_facts(out, "Memory", &memory);
	print_governor(out, field(machine, "cpufreq"));
}

static void print_target(FILE *out, const json_t *report)
{
	const json_t *target = field(report, "target");
	_cleanup_pieces_ struct pieces partition = pieces_begin(), disk = pieces_begin();

	if (table_in_directory(report)) {
		columns_wrap(out, "Directory", LABEL_COLUMNS,
			     "%s, on a filesystem that was there already: nothing was formatted",
			     field_text(target, "directory", "not recorded"));
		return;
	}
	add_piece(&partition, "partition ", target, "partlabel", "");
	add_piece(&partition, "PARTUUID ", target, "partuuid", "");
	add_size(&partition, "", target, "size_bytes", "");
	if (!strcmp(table_outcome(report), "dry run"))
		add_words(&partition, "would have been formatted");
	print_facts(out, "Target", &partition);
	add_piece(&disk, "", target, "disk.model", "");
	add_piece(&disk, "serial ", target, "disk.serial", "");
	add_piece(&disk, "firmware ", target, "disk.firmware", "");
	add_size(&disk, "", target, "disk.size_bytes", "");
	add_piece(&disk, "", target, "disk.transport", "");
	add_piece(&disk, "link ", target, "disk.link_speed", "");
	add_piece(&disk, "scheduler ", target, "disk.scheduler", "");
	add_piece(&disk, "write cache ", target, "disk.write_cache", "");
	add_piece(&disk, "queue depth ", target, "disk.queue_depth", "");
	add_piece(&disk, "link power ", target, "disk.link_power_policy", "");
	if (json_is_false(field(target, "aligned")))
		add_words(&disk, "the partition does not begin on one of its sectors");
	print_facts(out, "Disk", &disk);
}

static void print_workload(FILE *out, const json_t *report)
{
	const json_t *workload = field(report, "workload");
	_cleanup_pieces_ struct pieces words = pieces_begin();

	add_piece(&words, "", workload, "name", "");
	add_piece(&words, "", workload, "entries", " entries");
	add_piece(&words, "", workload, "install_entries", " with the delta");
	add_count(&words, workload, "files", "file");
	add_count(&words, workload, "symlinks", "symlink");
	add_piece(&words, "", workload, "directories", " directories");
	add_piece(&words, "", workload, "assets", " distinct contents");
	add_size(&words, "", workload, "bytes", "");
	add_piece(&words, "content ", workload, "content", "");
	if (field_number(workload, "special") > 0)
		add_piece(&words, "", workload, "special", " devices, pipes and sockets left out");
	print_facts(out, "Workload", &words);
}

static void print_heading(FILE *out, const char *heading)
{
	fprintf(out, "\n%s\n", heading);
	for (size_t i = strlen(heading); i; i--)
		fputc('-', out);
	fputs("\n", out);
}

static void print_notes(FILE *out, const json_t *notes)
{
	const json_t *note;
	size_t index;

	if (json_array_size(notes))
		print_heading(out, "Notes");
	json_array_foreach(notes, index, note)
		columns_wrap(out, "-", 2, "%s", json_string_value(note));
}

static void print_results(FILE *out, const struct page *page)
{
	table_blit(out, page);
	ranking_print(out, page->report);
	ratios_print(out, page);
}

static void print_report(FILE *out, const struct page *page)
{
	const json_t *report = page->report;

	print_title(out, report);
	print_run(out, report);
	print_machine(out, report);
	print_target(out, report);
	print_workload(out, report);
	if (json_array_size(field(report, "trials"))) {
		print_heading(out, "Results");
		print_results(out, page);
		fputs("\n"
		      "remove and install: the two transactions that alternate, each making a\n"
		      "whole /usr anew. hot: file metadata in memory. cold: nothing of it.\n"
		      "cold:hot: how many times as long. k/s: thousand entries per second. reads:\n"
		      "requests that the disk had to answer for each file, symlink or directory made.\n\n",
		      out);
		table_transactions(out, page);
		fputc('\n', out);
		table_spread(out, page);
		if (latency_recorded(page->summary)) {
			fputc('\n', out);
			table_latency(out, page);
		}
	}
	if (json_array_size(field(report, "sessions"))) {
		print_heading(out, table_in_directory(report)
					   ? "Sessions: a store filled anew each"
					   : "Sessions: one fresh filesystem each");
		details_sessions(out, report);
	}
	if (json_array_size(field(report, "trials"))) {
		print_heading(out, "Flags");
		details_flags(out, page);
		print_heading(out, "Seconds of every single blit");
		details_values(out, page);
	}
	print_notes(out, field(report, "notes"));
}

static char *print(const json_t *report, void (*print_page)(FILE *out, const struct page *page))
{
	_cleanup_page_ struct page page = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out;

	if (page_build(&page, report))
		return NULL;
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	print_page(out, &page);
	fclose(out);
	return text;
}

char *report_text(const json_t *report)
{
	return print(report, print_report);
}

char *report_table(const json_t *report)
{
	return print(report, print_results);
}
