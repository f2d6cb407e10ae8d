/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The summary: what each cell comes to (report/cells.h); one without valid trials has n 0 and nulls. */
#ifndef BLITBENCH_REPORT_SUMMARY_H
#define BLITBENCH_REPORT_SUMMARY_H

#include "report/cells.h"

/* The report's summary array; NULL when memory is short. Caller owns. */
json_t *summary_build(const struct cells *cells);

#endif
