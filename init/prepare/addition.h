/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table with one partition more, made by libfdisk on a copy in memory that has the table's
 * sectors and nothing else. The disk is not touched. What libfdisk made is then compared with what
 * it was made of: all but the new entry and the checksums is as before.
 */
#ifndef BLITBENCH_PREPARE_ADDITION_H
#define BLITBENCH_PREPARE_ADDITION_H

#include "prepare/gpt.h"

struct addition {
	struct gpt_space place;
	const char *label; /* ASCII, 1 to GPT_NAME_UNITS characters */
};

/* Makes `after` of `before`, and tells the new partition's number. after is to be freed in any
 * case. -ENOSPC where the table has no entry left. */
int addition_make(struct gpt *after, unsigned *number, const struct gpt *before,
		  const struct addition *addition);

/* Whether `after` is `before` with that partition as that number, and nothing else: what
 * addition_make has proven. For its tests. */
bool addition_is_all(const struct gpt *before, const struct gpt *after, unsigned number,
		     const struct addition *addition);

#endif
