/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON values from what the world hands us: bytes that may not be UTF-8, numbers that were not
 * measured. */
#ifndef BLITBENCH_LIB_VALUES_H
#define BLITBENCH_LIB_VALUES_H

#include <jansson.h>
#include <stdbool.h>

/* A string; bytes that are no UTF-8 become U+FFFD. NULL becomes null. */
json_t *json_text(const char *bytes);

/* Nothing measured is larger, and the digits of the largest doubles are read back as infinity. */
#define JSON_REAL_MAX 1e300

/* A number; NaN and infinities, which JSON has not, become null, and so does what is beyond JSON_REAL_MAX. */
json_t *json_measured(double value);

/* False where values are nested deeper than this (1 = a number or a text alone), or a number is beyond
 * JSON_REAL_MAX: what is written of it might not be read again. */
bool json_is_tame(const json_t *value, unsigned depth);

#endif
