/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the journal and the report write their JSON, beside lib/values.h. */
#ifndef BLITBENCH_REPORT_JSON_H
#define BLITBENCH_REPORT_JSON_H

#include <jansson.h>
#include <stdint.h>

/* A count that was not taken: null in JSON. */
#define COUNT_UNKNOWN UINT64_MAX

/* So many digits hold a nanosecond within eleven days, and write 6.06 as 6.06. */
#define JSON_DIGITS 15

/* For json_dumps. */
#define JSON_LINE_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS))

/* COUNT_UNKNOWN, and anything else above the 63 bits that JSON's readers hold, gives null. */
static inline json_t *json_count(uint64_t value)
{
	return value <= INT64_MAX ? json_integer((json_int_t)value) : json_null();
}

#endif
