/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/ranking.h"

#include <string.h>

#include "report/columns.h"
#include "report/fields.h"
#include "report/numbers.h"
#include "report/setup.h"

static bool has_rivals(const json_t *group)
{
	return json_array_size(field(group, "places")) > 1;
}

static bool decided(const json_t *group)
{
	return json_is_boolean(field(group, "sure"));
}

enum { NAME_COLUMNS = 13 };

static void group_name(char *text, size_t size, const json_t *group)
{
	snprintf(text, size, "%-7s %s", field_text(group, "operation", ""),
		 field_text(group, "cache", ""));
}

static void print_place(FILE *out, const json_t *place)
{
	char name[64];

	filesystem_label(name, sizeof(name), place);
	number_print(out, 3, COUNT, field_number(place, "place"));
	fputs("  ", out);
	columns_print(out, name, 11);
	number_print(out, 9, SECONDS, field_number(place, "median_seconds"));
	number_print(out, 8, RATIO, field_number(place, "ratio"));
	number_print(out, 9, PROBABILITY, field_number(place, "p"));
	fputs(json_is_true(field(place, "star")) ? " *\n" : "\n", out);
}

static void print_group(FILE *out, const json_t *group)
{
	const json_t *place;
	char name[64];
	size_t index;

	group_name(name, sizeof(name), group);
	if (!decided(group)) {
		columns_wrap(out, name, NAME_COLUMNS, "no ranking: %s",
			     field_text(group, "why", ""));
		return;
	}
	json_array_foreach(field(group, "places"), index, place) {
		columns_print(out, index ? "" : name, NAME_COLUMNS);
		print_place(out, place);
	}
	if (json_is_false(field(group, "sure")))
		columns_wrap(out, "", NAME_COLUMNS + 5, "%s", field_text(group, "why", ""));
}

static void print_table(FILE *out, const struct setups *setups, size_t setup)
{
	const json_t *group;
	size_t index;

	setups_heading(out, setups, setup);
	json_array_foreach(setups->cells, index, group)
		if (setups->by.of[index] == setup && has_rivals(group))
			print_group(out, group);
}

/* Why there is none at all, without the names of all who are in the way. */
static void print_none(FILE *out, const json_t *group)
{
	const char *why = field_text(group, "why", "");
	bool few = !strncmp(why, RANKING_TOO_FEW, strlen(RANKING_TOO_FEW));

	columns_wrap(out, "", 0, "no ranking: %s", few ? RANKING_TOO_FEW : why);
}

void ranking_print(FILE *out, const json_t *report)
{
	const json_t *ranking = field(report, "ranking"), *group, *first = NULL;
	_cleanup_setups_ struct setups setups = { 0 };
	size_t known = 0, index;

	json_array_foreach(ranking, index, group) {
		if (!has_rivals(group))
			continue;
		first = first ? first : group;
		known += decided(group);
	}
	if (first && !known)
		print_none(out, first);
	if (!known || setups_make(&setups, ranking))
		return;
	fputs("\nRanking by the seconds of the blit\n"
	      "                             seconds   times        p\n", out);
	for (size_t i = 0; i < setups.by.count; i++)
		print_table(out, &setups, i);
	fputc('\n', out);
	columns_wrap(
		out, "", 0,
		"times: as long as the first. *: longer, and not by chance: Mann and Whitney's "
		"test on the sessions' medians, exact, with a p of at most 0.05 after Holm's "
		"correction for all pairs of the table.");
}
