/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The summary: one cell for every combination that trials were made of, in order of first
 * appearance. The replicate is the session (within a cell: the round), so a cell's figure is the
 * median of its sessions' medians. Trials that are not valid take no part; a cell left with none of
 * them stays, with n 0 and nulls.
 */
#ifndef BLITBENCH_REPORT_SUMMARY_H
#define BLITBENCH_REPORT_SUMMARY_H

#include "report/record.h"

/* The report's summary array; NULL when memory is short. Caller owns. */
json_t *summary_build(const struct trial_record *trials, size_t count);

#endif
