/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/contest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "measure/rank_test.h"
#include "measure/statistics.h"
#include "report/ranking.h"

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

static struct group *find_group(struct contest *contest, const struct cell_key *key)
{
	struct cell_key wanted = group_key(key);
	size_t i = 0;

	while (i < contest->group_count && !cell_key_equal(&contest->groups[i].key, &wanted))
		i++;
	if (i == contest->group_count)
		contest->groups[contest->group_count++] = (struct group){
			.key = wanted, .table_key = table_key(key)
		};
	return &contest->groups[i];
}

static size_t find_table(const struct contest *contest, const struct group *group)
{
	size_t i = 0;

	while (!cell_key_equal(&contest->groups[i].table_key, &group->table_key))
		i++;
	return i;
}

static void enter(struct contest *contest, struct group *group, const struct cell *cell,
		  double *medians)
{
	struct entrant *entrant = &group->entrants[group->count];

	entrant->key = cell->key;
	entrant->sessions = medians;
	entrant->count = cells_medians(contest->cells, cell, trial_seconds, medians);
	entrant->median = statistics_median(medians, entrant->count);
	entrant->index = group->count++;
}

/* Counts the entrants of each group, gives it room for them, and lets them enter. */
static void enter_all(struct contest *contest)
{
	struct entrant *entrants = contest->entrants;
	double *medians = contest->medians;

	for (size_t i = 0; i < contest->cells->count; i++)
		find_group(contest, contest->cells->list[i].key)->count++;
	for (size_t i = 0; i < contest->group_count; i++) {
		struct group *group = &contest->groups[i];

		group->table = find_table(contest, group);
		group->entrants = entrants;
		entrants += group->count;
		group->count = 0;
	}
	for (size_t i = 0; i < contest->cells->count; i++) {
		const struct cell *cell = &contest->cells->list[i];

		enter(contest, find_group(contest, cell->key), cell, medians);
		medians += cell->count;
	}
}

static bool can_test(size_t sessions)
{
	return sessions >= RANKING_SESSIONS_MIN && sessions <= RANK_TEST_MAX;
}

double contest_test(const double *left, size_t left_count, const double *right, size_t right_count)
{
	if (!can_test(left_count) || !can_test(right_count))
		return NAN;
	return rank_test(left, left_count, right, right_count);
}

static double test(const struct entrant *left, const struct entrant *right)
{
	return contest_test(left->sessions, left->count, right->sessions, right->count);
}

static int test_group(struct group *group)
{
	if (group->count > CONTEST_ENTRANTS_MAX)
		return 0;
	group->p = calloc(group->count * group->count, sizeof(*group->p));
	if (!group->p)
		return -ENOMEM;
	for (size_t i = 0; i < group->count; i++)
		for (size_t j = 0; j < i; j++)
			group->p[i * group->count + j] = test(&group->entrants[i],
							      &group->entrants[j]);
	return 0;
}

static size_t pairs_of(const struct group *group)
{
	return group->p ? group->count * (group->count - 1) / 2 : 0;
}

/* Takes the p of the group's pairs out into a list, or puts them back; returns how many. */
static size_t move_p(struct group *group, double *list, bool out)
{
	size_t moved = 0;

	for (size_t i = 0; i < group->count && group->p; i++)
		for (size_t j = 0; j < i; j++, moved++)
			if (out)
				list[moved] = group->p[i * group->count + j];
			else
				group->p[i * group->count + j] = list[moved];
	return moved;
}

/* All pairs of the table are one family. */
static int correct_table(struct contest *contest, size_t table)
{
	_cleanup_free_ double *p = NULL;
	size_t count = 0, tests = 0;

	for (size_t i = table; i < contest->group_count; i++)
		if (contest->groups[i].table == table)
			count += pairs_of(&contest->groups[i]);
	p = calloc(count + 1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	count = 0;
	for (size_t i = table; i < contest->group_count; i++)
		if (contest->groups[i].table == table)
			count += move_p(&contest->groups[i], p + count, true);
	for (size_t i = 0; i < count; i++)
		tests += !isnan(p[i]);
	if (holm_correct(p, count))
		return -ENOMEM;
	count = 0;
	for (size_t i = table; i < contest->group_count; i++) {
		if (contest->groups[i].table != table)
			continue;
		count += move_p(&contest->groups[i], p + count, false);
		contest->groups[i].tests = tests;
	}
	return 0;
}

int contest_make(struct contest *contest, const struct cells *cells)
{
	int error = 0;

	*contest = (struct contest){ .cells = cells };
	contest->groups = calloc(cells->count + 1, sizeof(*contest->groups));
	contest->entrants = calloc(cells->count + 1, sizeof(*contest->entrants));
	contest->medians = calloc(cells->trial_count + 1, sizeof(*contest->medians));
	if (!contest->groups || !contest->entrants || !contest->medians)
		return -ENOMEM;
	enter_all(contest);
	for (size_t i = 0; i < contest->group_count && !error; i++)
		error = test_group(&contest->groups[i]);
	for (size_t i = 0; i < contest->group_count && !error; i++)
		if (contest->groups[i].table == i)
			error = correct_table(contest, i);
	return error;
}

void contest_free(struct contest *contest)
{
	for (size_t i = 0; i < contest->group_count; i++)
		free(contest->groups[i].p);
	free(contest->groups);
	free(contest->entrants);
	free(contest->medians);
	*contest = (struct contest){ 0 };
}

double contest_p(const struct group *group, const struct entrant *left, const struct entrant *right)
{
	size_t low = left->index < right->index ? left->index : right->index;
	size_t high = left->index < right->index ? right->index : left->index;

	if (!group->p || low == high)
		return NAN;
	return group->p[high * group->count + low];
}
