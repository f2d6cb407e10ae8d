/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures in the columns of a table. */
#ifndef BLITBENCH_REPORT_NUMBERS_H
#define BLITBENCH_REPORT_NUMBERS_H

#include <stdio.h>

enum number_kind { SECONDS, THOUSANDS, RATIO, FINE_RATIO, PER_ENTRY, MEBIBYTES, COUNT, PROBABILITY };

/* A number in width columns, right-aligned; a dash for what is not measured. */
void number_print(FILE *out, int width, enum number_kind kind, double value);

#endif
