/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any object of the report as a list of names and values. */
#ifndef BLITBENCH_REPORT_HTML_OBJECT_H
#define BLITBENCH_REPORT_HTML_OBJECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * Everything that is not null, what is deeper named with its path: "cpu model". Sizes, seconds and
 * kilohertz, told by the ends of their names, get units. Keys of the NULL-terminated list are left
 * out; it may be NULL.
 */
void html_object(FILE *out, const json_t *object, const char *const *without);

/* Whether there is anything to tell of it: a string, a number, true or false, however deep. */
bool html_object_tells(const json_t *object);

#endif
