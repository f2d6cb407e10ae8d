/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <string.h>

#include "lib/cleanup.h"
#include "report/fields.h"
#include "report/html_parts.h"
#include "report/html_race.h"
#include "report/html_write.h"
#include "report/ranking.h"
#include "report/tables.h"

/* Below this the disk was not asked. */
#define FEW_READS 0.01

static const struct {
	const char *status, *word, *nothing, *todo;
} statuses[] = {
	{ "partial", "Partial run", "The run ended before anything was measured.",
	  "The figures below are of what was measured until then. Started again, the machine "
	  "begins a new run." },
	{ "complete", "Complete", "Every trial was flagged as not valid.", NULL },
	{ "dry run", "Dry run", "A dry run: nothing was formatted, and nothing was measured.",
	  "With dry_run = no the same configuration formats that partition." },
	{ "failed", "The run failed", "The run failed before anything was measured.",
	  "The last lines of journal.jsonl tell how far it came. Put right what the sentence "
	  "names, and start again." },
	{ "refused", "Refused", "The run was refused: nothing was measured.",
	  "A target that is refused is not written to. Put right what the sentence names, and "
	  "start again; docs/safety.md explains every rule." },
	{ "aborted", "Stopped", "The run was stopped before anything was measured.",
	  "Somebody stopped it. Started again, the machine begins a new run." },
};

/* Why the run is not what was planned, and what to do. */
static void print_status(FILE *out, const struct page *page)
{
	const char *rule = field_text(page->report, "run.rule", NULL);

	for (size_t i = 0; i < ARRAY_LENGTH(statuses); i++) {
		if (strcmp(table_outcome(page->report), statuses[i].status) || !statuses[i].todo)
			continue;
		fprintf(out, "<div class=status><p><strong>%s.</strong> ", statuses[i].word);
		html_text(out, field_text(page->report, "run.reason", "No reason was recorded."));
		if (rule)
			html_printf(out, " (rule: %s)", rule);
		fprintf(out, "</p><p>%s</p></div>\n", statuses[i].todo);
	}
}

static void print_no_answer(FILE *out, const struct page *page)
{
	const char *outcome = table_outcome(page->report), *words = statuses[0].nothing;

	for (size_t i = 0; i < ARRAY_LENGTH(statuses); i++)
		if (!strcmp(outcome, statuses[i].status))
			words = statuses[i].nothing;
	if (!json_array_size(field(page->report, "trials")) && !strcmp(outcome, "complete"))
		words = "The run made no trial.";
	fprintf(out, "<h1>%s</h1>\n", words);
	print_status(out, page);
}

static void begin_answer(FILE *out, const char *question)
{
	fprintf(out, "<div><dt>%s</dt><dd>", question);
}

static void end_answer(FILE *out)
{
	fputs("</dd></div>\n", out);
}

static void print_what(FILE *out, const struct page *page)
{
	const char *setup = page->setups.labels[page->main_setup];

	begin_answer(out, "What");
	fputs("The seconds to make a whole /usr anew", out);
	if (isfinite(field_number(page->report, "workload.entries"))) {
		fputs(", ", out);
		html_count(out, field_number(page->report, "workload.entries"));
		fputs(" directories, symlinks and files", out);
	}
	fputs(", out of a package store, as moss does for each transaction", out);
	if (*setup)
		html_printf(out, " (%s)", setup);
	fputs(". Cold: nothing of the disk in memory; hot: all of it.", out);
	end_answer(out);
}

static double fewest_sessions(const struct race *race)
{
	double fewest = INFINITY;

	for (size_t i = 0; i < race->count; i++)
		fewest = fmin(fewest, race->racers[i].sessions);
	return fewest;
}

/* "one fresh filesystem of each kind was measured" */
static void print_count_of_sessions(FILE *out, const struct page *page, double sessions, bool kinds)
{
	bool one = sessions == 1;

	if (one)
		fputs("one", out);
	else
		html_count(out, sessions);
	fputs(table_in_directory(page->report) ? " filling" : " fresh filesystem", out);
	fputs(one ? "" : "s", out);
	fputs(table_in_directory(page->report) ? " of the store"
	      : kinds                          ? " of each kind"
					       : "",
	      out);
	fputs(one ? " was measured" : " were measured", out);
}

static void print_sure(FILE *out, const struct page *page, const struct race *race)
{
	const json_t *sure = field(race->ranking, "sure");
	const char *why = field_text(race->ranking, "why", NULL);
	double sessions = fewest_sessions(race);
	bool several = race->count > 1;

	begin_answer(out, "How sure");
	fprintf(out, "<strong>%s:</strong> ",
		!several              ? "Nothing to rank"
		: json_is_true(sure)  ? "Sure"
		: json_is_false(sure) ? "Not all of it"
				      : "No ranking");
	if (several && why && sessions >= RANKING_SESSIONS_MIN) {
		html_text(out, why);
	} else {
		print_count_of_sessions(out, page, sessions, several);
		if (several && sessions < RANKING_SESSIONS_MIN)
			fputs(", and it takes six to tell a difference from chance", out);
	}
	fputs(".", out);
	if (field_text(page->report, "machine.virtual", NULL))
		fputs(" In a virtual machine: the seconds are not those of real hardware.", out);
	end_answer(out);
}

static void print_reads(FILE *out, const struct race *race)
{
	for (size_t i = 0; i < race->count; i++) {
		if (i)
			fputs(i + 1 == race->count ? " and " : ", ", out);
		html_figure(out, race->racers[i].reads, i ? "" : "reads");
		fputs(" on ", out);
		html_text(out, race->racers[i].name);
	}
}

static void print_why(FILE *out, const struct race *cold, const struct race *hot)
{
	double hot_reads = 0;

	for (size_t i = 0; i < cold->count; i++)
		if (!isfinite(cold->racers[i].reads))
			return;
	if (!cold->count)
		return;
	for (size_t i = 0; i < hot->count; i++)
		hot_reads = fmax(hot_reads, hot->racers[i].reads);
	begin_answer(out, "Why");
	fputs("For each entry the cold disk had to answer ", out);
	print_reads(out, cold);
	fputs(hot->count && hot_reads < FEW_READS ? "; hot, none." : ".", out);
	end_answer(out);
}

/* The fastest cell of that cache that is not of the main setup, and faster than the best of it. */
static const struct page_cell *find_better(const struct page *page, const struct race *race)
{
	const struct page_cell *best = NULL;
	double seconds = race->count ? race->racers[0].seconds : NAN;

	for (size_t i = 0; i < page->cell_count; i++) {
		const struct page_cell *cell = &page->cells[i];
		double own = page_number(cell, "median_primed_seconds");

		/* Priming is part of what it takes. */
		if (!isfinite(own))
			own = page_number(cell, "median_seconds");
		if (cell->setup != page->main_setup && own < seconds &&
		    !strcmp(field_text(cell->cell, "cache", ""), race->cache) &&
		    !strcmp(field_text(cell->cell, "operation", ""), page->operation)) {
			seconds = own;
			best = cell;
		}
	}
	return best;
}

static void print_better(FILE *out, const struct page *page, const struct race *race)
{
	const struct page_cell *best = find_better(page, race), *base;
	double seconds = page_number(best, "median_primed_seconds"), ratio;
	char subject[64];

	if (page->setups.by.count < 2 || !race->count)
		return;
	begin_answer(out, "What helps");
	if (!best) {
		fprintf(out, "None of the %zu other ways to blit was faster with %s caches.",
			page->setups.by.count - 1, race->cache);
		end_answer(out);
		return;
	}
	if (!isfinite(seconds))
		seconds = page_number(best, "median_seconds");
	page_subject_label(subject, sizeof(subject), page, best->subject);
	base = page_find(page, best->subject, page->main_setup, race->cache, page->operation);
	ratio = page_number(base, "median_seconds") / seconds;
	fputs("<strong>", out);
	html_text(out, page->setups.labels[best->setup]);
	fputs("</strong> on ", out);
	html_text(out, subject);
	fputs(": ", out);
	html_figure(out, seconds, "s");
	html_printf(out, " with %s caches", race->cache);
	if (isfinite(ratio)) {
		fputs(", ", out);
		html_ratio(out, ratio);
		fputs(" times as fast as moss's own way there", out);
	}
	fputs(".", out);
	end_answer(out);
}

static void print_answers(FILE *out, const struct page *page)
{
	struct race cold, hot;
	const struct race *first = &cold;

	race_run(&cold, page, "cold");
	race_run(&hot, page, "hot");
	if (!cold.count)
		first = &hot;
	if (!first->count) {
		print_no_answer(out, page);
		return;
	}
	fputs("<h1>", out);
	race_tell(out, first);
	fputs("</h1>\n", out);
	if (first == &cold && hot.count) {
		fputs("<p class=second>", out);
		race_tell(out, &hot);
		fputs("</p>\n", out);
	}
	print_status(out, page);
	fputs("<dl class=answers>\n", out);
	print_sure(out, page, first);
	print_why(out, &cold, &hot);
	print_better(out, page, first);
	print_what(out, page);
	fputs("</dl>\n", out);
}

void html_verdict(FILE *out, const struct page *page)
{
	print_answers(out, page);
}
