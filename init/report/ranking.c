/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/values.h"
#include "measure/rank_test.h"
#include "report/contest.h"
#include "report/pieces.h"

/* A group's entrants by their medians; what has none comes last. */
struct standing {
	const struct group *group;
	const struct entrant **order;
};

static int by_median(const void *left, const void *right)
{
	const struct entrant *a = *(const struct entrant *const *)left;
	const struct entrant *b = *(const struct entrant *const *)right;

	if (!a->count != !b->count)
		return a->count ? -1 : 1;
	if (!a->count || a->median == b->median)
		return (a > b) - (a < b);
	return a->median < b->median ? -1 : 1;
}

static double p_behind_first(const struct standing *standing, size_t index)
{
	return contest_p(standing->group, standing->order[0], standing->order[index]);
}

static json_t *place_to_json(const struct standing *standing, size_t index)
{
	const struct entrant *first = standing->order[0], *entrant = standing->order[index];
	double p = p_behind_first(standing, index);
	size_t place = index;

	while (place && standing->order[place - 1]->median == entrant->median)
		place--;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"filesystem", json_text(entrant->key->filesystem),
		"variant", json_text(*entrant->key->variant ? entrant->key->variant : NULL),
		"place", entrant->count ? json_integer((json_int_t)place + 1) : json_null(),
		"median_seconds", json_measured(entrant->median),
		"ratio", json_measured(entrant->median / first->median),
		"p", json_measured(p),
		"star", isnan(p) ? json_null() : json_boolean(p <= RANK_TEST_LEVEL));
}

static void add_name(struct pieces *names, const struct entrant *entrant)
{
	bool told = *entrant->key->variant && strcmp(entrant->key->variant, "default");

	add_words(names, "%s%s%s", entrant->key->filesystem, told ? "-" : "",
		  told ? entrant->key->variant : "");
}

/* The names of those of whom something is told. */
struct told {
	struct pieces first, few, many, level;
	double greatest_p, least_p; /* least: that any could come to, corrected */
};

static void told_free(struct told *told)
{
	pieces_end(&told->first);
	pieces_end(&told->few);
	pieces_end(&told->many);
	pieces_end(&told->level);
}

/* The pieces must stay where they are. */
static void look_at(struct told *told, const struct standing *standing)
{
	const struct group *group = standing->group;

	add_name(&told->first, standing->order[0]);
	told->least_p = 1;
	for (size_t i = 0; i < group->count; i++) {
		const struct entrant *entrant = standing->order[i];
		double p = p_behind_first(standing, i);

		if (entrant->count < RANKING_SESSIONS_MIN)
			add_name(&told->few, entrant);
		if (entrant->count > RANK_TEST_MAX)
			add_name(&told->many, entrant);
		if (isnan(p))
			continue;
		if (p > RANK_TEST_LEVEL)
			add_name(&told->level, entrant);
		told->greatest_p = fmax(told->greatest_p, p);
		told->least_p = fmin(told->least_p,
				     rank_test_least(standing->order[0]->count, entrant->count) *
					     (double)group->tests);
	}
}

/* A sentence, and whether the first is surely the first; null where that cannot be told. */
static json_t *judge(const struct standing *standing, json_t **sure)
{
	__attribute__((cleanup(told_free))) struct told told = { 0 };
	size_t tests = standing->group->tests;

	*sure = json_null();
	if (standing->group->count < 2)
		return json_string("one filesystem only");
	if (standing->group->count > CONTEST_ENTRANTS_MAX)
		return json_sprintf("more than %d filesystems", CONTEST_ENTRANTS_MAX);
	look_at(&told, standing);
	if (*pieces_words(&told.few))
		return json_sprintf(RANKING_TOO_FEW ": %s", pieces_words(&told.few));
	if (*pieces_words(&told.many))
		return json_sprintf("more than %d sessions, too many for the exact test: %s",
				    RANK_TEST_MAX, pieces_words(&told.many));
	*sure = json_boolean(!*pieces_words(&told.level));
	if (json_is_true(*sure))
		return json_sprintf("%s is ahead of all others, p at most %.2g",
				    pieces_words(&told.first), told.greatest_p);
	if (told.least_p > RANK_TEST_LEVEL)
		return json_sprintf(
			"%zu pairs are too many for so few sessions: no difference, "
			"however large, would be significant; %zu sessions each would do",
			tests, rank_test_sessions_for(tests));
	return json_sprintf("not significantly behind %s: %s", pieces_words(&told.first),
			    pieces_words(&told.level));
}

static json_t *group_to_json(const struct group *group, const struct entrant **order)
{
	struct standing standing = { .group = group, .order = order };
	json_t *json = cell_key_to_json(&group->key), *places = json_array(), *sure, *why;

	for (size_t i = 0; i < group->count; i++)
		order[i] = &group->entrants[i];
	qsort(order, group->count, sizeof(*order), by_median);
	why = judge(&standing, &sure);
	for (size_t i = 0; i < group->count; i++)
		json_array_append_new(places, place_to_json(&standing, i));
	json_object_del(json, "filesystem");
	json_object_del(json, "variant");
	json_object_set_new(json, "sure", sure);
	json_object_set_new(json, "why", why);
	json_object_set_new(json, "places", places);
	return json;
}

json_t *ranking_build(const struct cells *cells)
{
	_cleanup_free_ const struct entrant **order = calloc(cells->count + 1, sizeof(*order));
	struct contest contest;
	json_t *ranking = NULL;

	if (!contest_make(&contest, cells) && order)
		ranking = json_array();
	for (size_t i = 0; ranking && i < contest.group_count; i++)
		json_array_append_new(ranking, group_to_json(&contest.groups[i], order));
	contest_free(&contest);
	return ranking;
}
