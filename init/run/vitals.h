/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine did while a trial ran: clock speed, temperatures, throttling, time that a
 * hypervisor took away; and what of it a reader must know. */
#ifndef BLITBENCH_RUN_VITALS_H
#define BLITBENCH_RUN_VITALS_H

#include "machine/boost.h"
#include "machine/sensors.h"
#include "report/record.h"
#include "run/transaction.h"

enum clock_wish {
	CLOCK_FREE,  /* it may go up and down */
	CLOCK_HIGH,  /* the governor performance, with boost as it was found or on */
	CLOCK_FIXED, /* performance with boost off, or userspace: it must not move */
};

/* Percent that the clock may move by: when fixed, before a trial is invalid; when high, before that
 * is noted. */
enum { VITALS_FIXED_PERCENT = 3, VITALS_HIGH_PERCENT = 10 };

/* A package this near to its own limit is hot; one that has none is from that temperature on. */
enum { VITALS_HOT_MARGIN_CELSIUS = 10, VITALS_HOT_CELSIUS = 90 };

/* Of the time of a trial, on all processors together; and more than the one tick that the counter may be
 * off by. */
enum { VITALS_STOLEN_PERCENT = 2, VITALS_TICK_MILLISECONDS = 10 };

struct vitals {
	enum clock_wish wish;
	double reference_kilohertz; /* what all trials are held against; NAN = nothing read yet */
	struct sensor_readings before, after;
};

/* governor "" = none was set. */
struct vitals vitals_new(const char *governor, enum boost boost);

/* Before the caches are prepared, and after the transaction. stat_path as in machine/sensors.h. */
void vitals_before(struct vitals *vitals, const char *stat_path, const char *root);
void vitals_after(struct vitals *vitals, const char *stat_path, const char *root);

/* Puts both readings into the record's details and adds the flags frequency-moved, throttled, hot-cpu
 * and stolen-time where they are due. */
void vitals_tell(const struct vitals *vitals, const struct transaction *transaction,
		struct trial_record *record);

#endif
