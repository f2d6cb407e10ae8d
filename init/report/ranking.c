/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/ranking.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/values.h"
#include "measure/rank_test.h"
#include "measure/statistics.h"
#include "report/cells.h"
#include "report/pieces.h"
#include "report/setup.h"

/* A cell with the medians of its sessions. */
struct entrant {
	struct cell_key key;
	const double *sessions;
	size_t count;
	double median;
	size_t group, table; /* the first entrant of each */
};

struct pair {
	const struct entrant *left, *right;
	double p; /* NaN where it cannot be tested */
};

struct contest {
	struct cells cells;
	struct entrant *entrants;
	struct pair *pairs;
	double *medians;
	size_t count, pair_count;
};

static void contest_free(struct contest *contest)
{
	cells_free(&contest->cells);
	free(contest->entrants);
	free(contest->pairs);
	free(contest->medians);
}

/* What a ranking has in common: all but the filesystem. */
static struct cell_key group_key(const struct cell_key *key)
{
	struct cell_key group = *key;

	memset(group.filesystem, 0, sizeof(group.filesystem));
	memset(group.variant, 0, sizeof(group.variant));
	return group;
}

/* What a table has in common: its heading. */
static struct cell_key table_key(const struct cell_key *key)
{
	struct cell_key table = group_key(key);

	memset(table.cache, 0, sizeof(table.cache));
	memset(table.operation, 0, sizeof(table.operation));
	return table;
}

static size_t first_like(const struct contest *contest, size_t index,
			 struct cell_key (*part)(const struct cell_key *))
{
	struct cell_key wanted = part(&contest->entrants[index].key);

	for (size_t i = 0; i < index; i++) {
		struct cell_key other = part(&contest->entrants[i].key);

		if (cell_key_equal(&wanted, &other))
			return i;
	}
	return index;
}

static bool can_test(const struct entrant *entrant)
{
	return entrant->count >= RANKING_SESSIONS_MIN && entrant->count <= RANK_TEST_MAX;
}

static double test(const struct entrant *left, const struct entrant *right)
{
	if (!can_test(left) || !can_test(right))
		return NAN;
	return rank_test(left->sessions, left->count, right->sessions, right->count);
}

static void enter(struct contest *contest)
{
	double *medians = contest->medians;

	for (size_t i = 0; i < contest->count; i++) {
		const struct cell *cell = &contest->cells.list[i];
		struct entrant *entrant = &contest->entrants[i];

		entrant->key = *cell->key;
		entrant->sessions = medians;
		entrant->count = cells_medians(&contest->cells, cell, trial_seconds, medians);
		entrant->median = statistics_median(medians, entrant->count);
		entrant->group = first_like(contest, i, group_key);
		entrant->table = first_like(contest, i, table_key);
		medians += cell->count;
	}
}

/* All pairs of each group; with no place for them they are counted only. */
static size_t pair_up(const struct contest *contest, struct pair *pairs)
{
	size_t count = 0;

	for (size_t i = 0; i < contest->count; i++)
		for (size_t j = i + 1; j < contest->count; j++) {
			const struct entrant *left = &contest->entrants[i];
			const struct entrant *right = &contest->entrants[j];

			if (left->group != right->group)
				continue;
			if (pairs)
				pairs[count] = (struct pair){ left, right, test(left, right) };
			count++;
		}
	return count;
}

static int correct_table(struct contest *contest, size_t table)
{
	_cleanup_free_ double *p = calloc(contest->pair_count + 1, sizeof(*p));
	size_t count = 0;
	int error;

	if (!p)
		return -1;
	for (size_t i = 0; i < contest->pair_count; i++)
		if (contest->pairs[i].left->table == table)
			p[count++] = contest->pairs[i].p;
	error = holm_correct(p, count);
	for (size_t i = contest->pair_count; i--;)
		if (contest->pairs[i].left->table == table)
			contest->pairs[i].p = p[--count];
	return error;
}

static int contest_make(struct contest *contest, const struct trial_record *trials, size_t count)
{
	int error = cells_make(&contest->cells, trials, count);

	if (error)
		return error;
	contest->count = contest->cells.count;
	contest->entrants = calloc(contest->count + 1, sizeof(*contest->entrants));
	contest->medians = calloc(count + 1, sizeof(*contest->medians));
	if (!contest->entrants || !contest->medians)
		return -1;
	enter(contest);
	contest->pair_count = pair_up(contest, NULL);
	contest->pairs = calloc(contest->pair_count + 1, sizeof(*contest->pairs));
	if (!contest->pairs)
		return -1;
	pair_up(contest, contest->pairs);
	for (size_t i = 0; !error && i < contest->count; i++)
		if (contest->entrants[i].table == i)
			error = correct_table(contest, i);
	return error;
}

/* How many pairs of the table could be tested. */
static size_t tests_of(const struct contest *contest, size_t table)
{
	size_t tests = 0;

	for (size_t i = 0; i < contest->pair_count; i++)
		tests += contest->pairs[i].left->table == table && !isnan(contest->pairs[i].p);
	return tests;
}

static double p_of(const struct contest *contest, const struct entrant *left,
		   const struct entrant *right)
{
	for (size_t i = 0; i < contest->pair_count; i++)
		if ((contest->pairs[i].left == left && contest->pairs[i].right == right) ||
		    (contest->pairs[i].left == right && contest->pairs[i].right == left))
			return contest->pairs[i].p;
	return NAN;
}

/* By median; what has none comes last. */
static int by_median(const void *left, const void *right)
{
	const struct entrant *a = *(const struct entrant *const *)left;
	const struct entrant *b = *(const struct entrant *const *)right;

	if (!a->count || !b->count || a->median == b->median) {
		if (!a->count != !b->count)
			return a->count ? -1 : 1;
		return (a > b) - (a < b);
	}
	return a->median < b->median ? -1 : 1;
}

static json_t *place_to_json(const struct contest *contest, const struct entrant *const *order,
			     size_t index)
{
	const struct entrant *first = order[0], *entrant = order[index];
	double p = index ? p_of(contest, first, entrant) : NAN;
	size_t place = index;

	while (place && order[place - 1]->median == entrant->median)
		place--;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"filesystem", json_text(entrant->key.filesystem),
		"variant", json_text(*entrant->key.variant ? entrant->key.variant : NULL),
		"place", entrant->count ? json_integer((json_int_t)place + 1) : json_null(),
		"median_seconds", json_measured(entrant->median),
		"ratio", json_measured(entrant->median / first->median),
		"p", json_measured(p),
		"star", isnan(p) ? json_null() : json_boolean(p <= RANK_TEST_LEVEL));
}

static void add_name(struct pieces *names, const struct entrant *entrant)
{
	bool told = *entrant->key.variant && strcmp(entrant->key.variant, "default");

	add_words(names, "%s%s%s", entrant->key.filesystem, told ? "-" : "",
		  told ? entrant->key.variant : "");
}

/* The group's entrants of which something is told. */
struct told {
	struct pieces few, many, level;
	double greatest_p;
};

static void told_free(struct told *told)
{
	pieces_end(&told->few);
	pieces_end(&told->many);
	pieces_end(&told->level);
}

/* The pieces must stay where they are. */
static void look_at(struct told *told, const struct contest *contest,
		    const struct entrant *const *order, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		double p = i ? p_of(contest, order[0], order[i]) : NAN;

		if (order[i]->count < RANKING_SESSIONS_MIN)
			add_name(&told->few, order[i]);
		if (order[i]->count > RANK_TEST_MAX)
			add_name(&told->many, order[i]);
		if (p > RANK_TEST_LEVEL)
			add_name(&told->level, order[i]);
		if (!isnan(p))
			told->greatest_p = fmax(told->greatest_p, p);
	}
}

/* The least p that any pair of the group could come to, corrected. */
static double least_p(const struct contest *contest, const struct entrant *const *order, size_t count)
{
	double least = 1;

	for (size_t i = 1; i < count; i++)
		least = fmin(least, rank_test_least(order[0]->count, order[i]->count));
	return least * (double)tests_of(contest, order[0]->table);
}

/* A sentence, and whether the first is surely the first; null where that cannot be told. */
static json_t *judge(const struct contest *contest, const struct entrant *const *order, size_t count,
		     json_t **sure)
{
	__attribute__((cleanup(told_free))) struct told told = { 0 };
	_cleanup_pieces_ struct pieces first = pieces_begin();
	size_t tests = tests_of(contest, order[0]->table);

	look_at(&told, contest, order, count);
	add_name(&first, order[0]);
	*sure = json_null();
	if (count < 2)
		return json_string("one filesystem only");
	if (*pieces_words(&told.few))
		return json_sprintf(RANKING_TOO_FEW ": %s", pieces_words(&told.few));
	if (*pieces_words(&told.many))
		return json_sprintf("more than %d sessions, too many for the exact test: %s",
				    RANK_TEST_MAX, pieces_words(&told.many));
	*sure = json_boolean(!*pieces_words(&told.level));
	if (json_is_true(*sure))
		return json_sprintf("%s is ahead of all others, p at most %.2g",
				    pieces_words(&first), told.greatest_p);
	if (least_p(contest, order, count) > RANK_TEST_LEVEL)
		return json_sprintf("%zu pairs are too many for so few sessions: no difference, "
				    "however large, would be significant; %zu sessions each would do",
				    tests, rank_test_sessions_for(tests));
	return json_sprintf("not significantly behind %s: %s", pieces_words(&first),
			    pieces_words(&told.level));
}

static json_t *group_to_json(const struct contest *contest, const struct entrant **order, size_t count)
{
	json_t *group, *places = json_array(), *sure, *why;

	qsort(order, count, sizeof(*order), by_median);
	group = cell_key_to_json(&order[0]->key);
	json_object_del(group, "filesystem");
	json_object_del(group, "variant");
	why = judge(contest, order, count, &sure);
	for (size_t i = 0; i < count; i++)
		json_array_append_new(places, place_to_json(contest, order, i));
	json_object_set_new(group, "sure", sure);
	json_object_set_new(group, "why", why);
	json_object_set_new(group, "places", places);
	return group;
}

json_t *ranking_build(const struct trial_record *trials, size_t count)
{
	__attribute__((cleanup(contest_free))) struct contest contest = { 0 };
	_cleanup_free_ const struct entrant **order = calloc(count + 1, sizeof(*order));
	json_t *ranking;

	if (!order || contest_make(&contest, trials, count))
		return NULL;
	ranking = json_array();
	for (size_t i = 0; i < contest.count; i++) {
		size_t members = 0;

		if (contest.entrants[i].group != i)
			continue;
		for (size_t j = i; j < contest.count; j++)
			if (contest.entrants[j].group == i)
				order[members++] = &contest.entrants[j];
		json_array_append_new(ranking, group_to_json(&contest, order, members));
	}
	return ranking;
}
