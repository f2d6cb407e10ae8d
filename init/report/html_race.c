/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/html_race.h"

#include <math.h>
#include <string.h>

#include "report/fields.h"
#include "report/html_write.h"
#include "report/setup.h"

/* More of them would make no sentence. */
enum { TOLD_MAX = 5 };

static const json_t *find_ranking(const struct page *page, const char *cache)
{
	const json_t *cell = page->cells[page->setups.by.first[page->main_setup]].cell, *ranking;
	size_t index;

	json_array_foreach(field(page->report, "ranking"), index, ranking)
		if (fields_equal(ranking, cell, setup_keys) &&
		    !strcmp(field_text(ranking, "cache", ""), cache) &&
		    !strcmp(field_text(ranking, "operation", ""), page->operation))
			return ranking;
	return NULL;
}

/* Only a test that was made and found nothing ties. */
static bool is_tied(const json_t *ranking, const json_t *cell)
{
	const json_t *place;
	size_t index;

	json_array_foreach(field(ranking, "places"), index, place)
		if (fields_equal(place, cell, subject_keys))
			return json_is_false(field(place, "star")) &&
			       json_integer_value(field(place, "place")) > 1;
	return false;
}

static void add_racer(struct race *race, const struct page *page, const struct page_cell *cell)
{
	struct racer racer = {
		.seconds = page_number(cell, "median_seconds"),
		.reads = page_number(cell, "median_reads_per_entry"),
		.sessions = page_number(cell, "sessions"),
	};
	size_t at = race->count;

	if (!(racer.seconds > 0) && !*race->without)
		page_subject_label(race->without, sizeof(race->without), page, cell->subject);
	if (!(racer.seconds > 0) || at == RACERS_MAX)
		return;
	page_subject_label(racer.name, sizeof(racer.name), page, cell->subject);
	racer.tied = is_tied(race->ranking, cell->cell);
	for (; at && race->racers[at - 1].seconds > racer.seconds; at--)
		race->racers[at] = race->racers[at - 1];
	race->racers[at] = racer;
	race->count++;
}

void race_run(struct race *race, const struct page *page, const char *cache)
{
	*race = (struct race){ .cache = cache };
	if (!page->setups.by.count)
		return;
	race->ranking = find_ranking(page, cache);
	for (size_t i = 0; i < page->subject_count; i++) {
		const struct page_cell *cell =
			page_find(page, i, page->main_setup, cache, page->operation);

		if (cell)
			add_racer(race, page, cell);
	}
}

bool race_sure(const struct race *race)
{
	return json_is_true(field(race->ranking, "sure"));
}

static void print_separator(FILE *out, size_t index, size_t count)
{
	if (index)
		fputs(index + 1 == count ? " and " : ", ", out);
}

static void print_ratio(FILE *out, const struct race *race, const struct racer *racer)
{
	double ratio = racer->seconds / race->racers[0].seconds;

	if (ratio < 1.005) {
		fputs("as fast as ", out);
	} else {
		html_ratio(out, ratio);
		fputs("&nbsp;times as fast as ", out);
	}
	html_text(out, racer->name);
}

static size_t count_tied(const struct race *race, size_t count)
{
	size_t tied = 0;

	for (size_t i = 1; i < count; i++)
		tied += race->racers[i].tied;
	return tied;
}

/* Those that are behind the first, or those that cannot be told from it, as a list. */
static void print_others(FILE *out, const struct race *race, size_t count, bool tied, size_t all)
{
	size_t told = 0;

	for (size_t i = 1; i < count; i++) {
		if (race->racers[i].tied != tied)
			continue;
		print_separator(out, told++, all);
		if (tied)
			html_text(out, race->racers[i].name);
		else
			print_ratio(out, race, &race->racers[i]);
	}
}

static void print_comparison(FILE *out, const struct race *race)
{
	size_t count = race->count < TOLD_MAX ? race->count : TOLD_MAX;
	size_t tied = count_tied(race, count);

	if (count == 1) {
		fputs(" took ", out);
		html_figure(out, race->racers[0].seconds, "s");
		return;
	}
	if (tied < count - 1) {
		fputs(race_sure(race) ? " is " : " was ", out);
		print_others(out, race, count, false, count - 1 - tied);
	}
	if (tied) {
		fputs(tied < count - 1 ? "; " : " cannot be told from ", out);
		print_others(out, race, count, true, tied);
		if (tied < count - 1)
			fputs(" cannot be told from it", out);
	}
}

void race_tell(FILE *out, const struct race *race)
{
	fprintf(out, "With %s caches, <b>", race->cache);
	html_text(out, race->racers[0].name);
	fputs("</b>", out);
	print_comparison(out, race);
	if (*race->without)
		html_printf(out, "; %s has no valid trial", race->without);
	fputs(".", out);
}
