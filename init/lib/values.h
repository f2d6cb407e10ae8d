/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON values from what the world hands us: bytes that may not be UTF-8, numbers that were not
 * measured. */
#ifndef BLITBENCH_LIB_VALUES_H
#define BLITBENCH_LIB_VALUES_H

#include <jansson.h>

/* A string; bytes that are no UTF-8 become U+FFFD. NULL becomes null. */
json_t *json_text(const char *bytes);

/* A number; NaN and infinities, which JSON has not, become null. */
json_t *json_measured(double value);

#endif
