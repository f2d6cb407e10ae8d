/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/ranges.h"

#include <stdio.h>

/* What the last words take: " and 18446744073709551615 more". */
enum { ROOM_FOR_MORE = 32 };

static void put_range(struct ranges *ranges)
{
	size_t room = sizeof(ranges->words) - ROOM_FOR_MORE - ranges->used;
	char *end = ranges->words + ranges->used;
	const char *comma = ranges->used ? ", " : "";
	int length;

	if (!ranges->first)
		return;
	if (ranges->last > ranges->first)
		length = snprintf(end, room, "%s%zu-%zu", comma, ranges->first, ranges->last);
	else
		length = snprintf(end, room, "%s%zu", comma, ranges->first);
	if (!ranges->left_out && (size_t)length < room) {
		ranges->used += (size_t)length;
	} else {
		*end = '\0';
		ranges->left_out += ranges->last - ranges->first + 1;
	}
	ranges->first = 0;
}

void ranges_add(struct ranges *ranges, size_t number)
{
	if (ranges->first && number == ranges->last + 1) {
		ranges->last = number;
		return;
	}
	put_range(ranges);
	ranges->first = ranges->last = number;
}

const char *ranges_words(struct ranges *ranges)
{
	put_range(ranges);
	if (ranges->left_out)
		snprintf(ranges->words + ranges->used, sizeof(ranges->words) - ranges->used,
			 " and %zu more", ranges->left_out);
	ranges->left_out = 0;
	return ranges->words;
}
