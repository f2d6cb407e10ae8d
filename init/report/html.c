/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report.html: one file that needs nothing else, neither a script nor a network. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/fields.h"
#include "report/page.h"
#include "report/html_parts.h"
#include "report/html_write.h"
#include "report/tables.h"

static void print_line(FILE *out, const json_t *report)
{
	fputs("<p class=eyebrow><b>blitbench</b> <span>run ", out);
	html_text(out, field_text(report, "run.id", "without a name"));
	fputs("</span>", out);
	if (field_text(report, "run.started", NULL)) {
		fputs(" <span>", out);
		/* The day only: the hour stands further down. */
		html_printf(out, "%.10s", field_text(report, "run.started", ""));
		fputs("</span>", out);
	}
	fputs("</p>\n", out);
}

static void print_chip(FILE *out, const char *before, const char *words)
{
	if (!words)
		return;
	fputs("<li>", out);
	html_printf(out, "%s%s", before, words);
}

static void print_age(FILE *out, const json_t *report)
{
	const json_t *sessions = field(report, "sessions"), *session;
	double age = 0;
	size_t index;

	json_array_foreach(sessions, index, session)
		age = fmax(age, field_number(session, "age"));
	if (age > 0)
		fprintf(out, "<li>filesystems aged by %.0f updates", age);
	else if (json_array_size(sessions))
		fputs(table_in_directory(report) ? "<li>filesystem of unknown age"
						 : "<li>fresh filesystems",
		      out);
}

static void print_valid(FILE *out, const json_t *report)
{
	size_t trials = json_array_size(field(report, "trials")), index;
	const json_t *cell;
	double valid = 0;

	json_array_foreach(field(report, "summary"), index, cell)
		valid += fmax(field_number(cell, "n"), 0);
	if (!trials)
		return;
	fputs("<li>", out);
	if (valid < (double)trials) {
		fputs("<b>", out);
		html_count(out, (double)trials - valid);
		fputs(" of ", out);
		html_count(out, (double)trials);
		fputs(" trials do not count</b>", out);
	} else {
		html_count(out, valid);
		fputs(trials == 1 ? " trial, verified" : " trials, all verified", out);
	}
}

/* Where the figures hold, in words: what a reader must know before comparing them. */
static void print_conditions(FILE *out, const json_t *report)
{
	const char *content = field_text(report, "workload.content", "full");
	const json_t *machine = field(report, "machine.memory_bytes");
	const char *virtual = field_text(report, "machine.virtual", NULL);

	fputs("<ul class=chips>", out);
	if (virtual)
		print_chip(out, "virtual machine, ", virtual);
	else if (json_is_number(machine))
		fputs("<li>bare metal", out);
	print_chip(out, "", field_text(report, "machine.cpu.model", NULL));
	if (json_is_number(machine)) {
		fputs("<li>", out);
		html_size(out, json_number_value(machine));
		fputs(" of memory", out);
	}
	print_chip(out, "", field_text(report, "target.disk.model", NULL));
	print_chip(out, "Linux ", field_text(report, "run.kernel.release", NULL));
	print_chip(out, "workload ", field_text(report, "workload.name", NULL));
	if (strcmp(content, "full"))
		print_chip(out, "content ", content);
	print_age(out, report);
	print_valid(out, report);
	fputs("</ul>\n", out);
}

void html_not_measured(FILE *out, const struct page *page)
{
	if (!page->cell_count)
		return;
	fputs("<section><h2>Not measured here</h2>\n<ul>", out);
	if (page->setups.by.count < 2)
		fputs("<li>Other engines and layouts of the store: the profiles engines and "
		      "layouts compare them.",
		      out);
	if (!html_has_latency(page))
		fputs("<li>How long single calls took: latency=yes records it.", out);
	if (!html_has_timeline(page))
		fputs("<li>When each session and trial ran.", out);
	if (!html_has_machine_readings(page))
		fputs("<li>Clock speed and temperatures during the run: this machine does not "
		      "tell them (most virtual ones do not).",
		      out);
	fputs("<li>Anything but blitting: this says nothing of how fast a filesystem is "
	      "otherwise.</ul></section>\n",
	      out);
}

static void print_page(FILE *out, const struct page *page)
{
	static void (*const sections[])(FILE * out, const struct page *page) = {
		html_bars,     html_setups,    html_latency,
		html_timeline, html_published, html_not_measured,
	};
	static void (*const folds[])(FILE * out, const struct page *page) = {
		html_method,   html_facts,  html_cells,      html_flags,
		html_sessions, html_values, html_other_bars,
	};

	html_begin(out, "blitbench: ", field_text(page->report, "run.id", "a run without a name"));
	fputs("<header>\n", out);
	print_line(out, page->report);
	html_verdict(out, page);
	print_conditions(out, page->report);
	fputs("</header>\n<main>\n", out);
	for (size_t i = 0; i < ARRAY_LENGTH(sections); i++)
		sections[i](out, page);
	fputs("<section class=folds><h2>Everything else</h2>\n", out);
	for (size_t i = 0; i < ARRAY_LENGTH(folds); i++)
		folds[i](out, page);
	fputs("</section>\n</main>\n<footer><p>Rendered by blitbench ", out);
	html_text(out, BLITBENCH_VERSION);
	fputs(" from journal.jsonl; the same figures for programs are in report.json.</p></footer>"
	      "\n</body>\n</html>\n",
	      out);
}

char *report_html(const json_t *report)
{
	char *text = NULL;
	struct page page;
	size_t size;
	FILE *out;

	if (page_build(&page, report))
		return NULL;
	out = open_memstream(&text, &size);
	if (out) {
		print_page(out, &page);
		fclose(out);
	}
	page_free(&page);
	return text;
}
