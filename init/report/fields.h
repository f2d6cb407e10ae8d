/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads values out of a report object. "a.b" is key b in object a. What is missing is like null. */
#ifndef BLITBENCH_REPORT_FIELDS_H
#define BLITBENCH_REPORT_FIELDS_H

#include <jansson.h>
#include <stdbool.h>

const json_t *field(const json_t *object, const char *path);

/* The string there, else the fallback; borrowed. */
const char *field_text(const json_t *object, const char *path, const char *fallback);

/* The number there, else NaN. */
double field_number(const json_t *object, const char *path);

/* What is there as a person reads it, lists with blanks between; caller frees. NULL for null. */
char *field_words(const json_t *object, const char *path);

/* True where both have the same values for all of the keys of a NULL-terminated list. */
bool fields_equal(const json_t *left, const json_t *right, const char *const *keys);

/* What objects have in common just where they have these values in common, to look them up by: no UTF-8;
 * caller frees. */
char *fields_key(const json_t *object, const char *const *keys);

#endif
