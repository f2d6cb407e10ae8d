/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/numbers.h"

#include <math.h>

void number_print(FILE *out, int width, enum number_kind kind, double value)
{
	char text[32];
	int digits = 0;

	switch (kind) {
	case SECONDS:
		digits = fabs(value) < 1 ? 3 : fabs(value) < 1000 ? 2 : 0;
		break;
	case FINE_RATIO:
	case PER_ENTRY:
		digits = fabs(value) < 100 ? 3 : 1;
		break;
	case THOUSANDS:
		value /= 1000;
		digits = fabs(value) < 1 ? 3 : 1;
		break;
	case MEBIBYTES:
		value /= 1024 * 1024;
		digits = 1;
		break;
	case RATIO:
		digits = fabs(value) < 10 ? 2 : fabs(value) < 1000 ? 1 : 0;
		break;
	case PROBABILITY:
		digits = 4;
		break;
	case COUNT:
		break;
	}
	if (!isfinite(value))
		snprintf(text, sizeof(text), "-");
	else if (fabs(value) >= 1e4 * (digits ? 1 : 10))
		snprintf(text, sizeof(text), "%.0e", value);
	else
		snprintf(text, sizeof(text), "%.*f", digits, value);
	fprintf(out, "%*s", width, text);
}
