/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of lines as words: "3, 17-20, 22". */
#ifndef BLITBENCH_REPORT_RANGES_H
#define BLITBENCH_REPORT_RANGES_H

#include <stddef.h>

struct ranges {
	char words[200];
	size_t used;
	size_t first, last; /* of the range at the end; 0 = none yet */
	size_t left_out;    /* numbers for which there was no room */
};

static inline struct ranges ranges_start(void)
{
	return (struct ranges){ 0 };
}

/* Numbers from 1 on, upwards. */
void ranges_add(struct ranges *ranges, size_t number);

/* The words, with how many more there are where they are too many; "" for none. Nothing is added after. */
const char *ranges_words(struct ranges *ranges);

#endif
