/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The elements of a list numbered by what they have under some keys: those that are alike have the
 * same number, and the numbers go up from 0 in order of first appearance.
 */
#ifndef BLITBENCH_REPORT_NUMBERING_H
#define BLITBENCH_REPORT_NUMBERING_H

#include <jansson.h>
#include <stddef.h>

struct numbering {
	size_t count;  /* numbers */
	size_t *of;    /* of each element its number */
	size_t *first; /* of each number the index of its first element */
	const char *const *keys;
	json_t *numbers; /* {what is under the keys: number} */
};

/* The keys (report/fields.h) must outlive it. -ENOMEM; numbering_free is safe after it, and on zeroes. */
int numbering_make(struct numbering *numbering, const json_t *list, const char *const *keys);
void numbering_free(struct numbering *numbering);

/* The number of the elements that have the same as this object; the count where none has. */
size_t numbering_find(const struct numbering *numbering, const json_t *object);

#define _cleanup_numbering_ __attribute__((cleanup(numbering_free)))

#endif
