/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holding the clock speed still: governors, energy preference and boost, set, read back, put back. */
#ifndef BLITBENCH_MACHINE_HOLD_H
#define BLITBENCH_MACHINE_HOLD_H

#include "machine/boost.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct hold;

struct hold_request {
	const char *const *governors; /* one after the other; "" = as found */
	size_t governor_count;
	const char *epp; /* under each of them; "" = as found */
	enum boost boost;
	bool guarded; /* put back also where this process is killed (machine/guard.h) */
};

/*
 * Remembers what there is, looks whether all that is asked for is offered, sets boost, and sets each
 * governor once, so that what cannot be had is known before it is needed; the first one then is
 * set. No cpufreq driver is no error: the description says so. -EINVAL with a sentence that lists
 * what is offered; after any error everything is as it was found.
 */
int hold_open(struct hold **hold, const struct hold_request *request, const char *root);

/* Whether there is a cpufreq driver: without one all governors come to the same. */
bool hold_has_driver(const struct hold *hold);

/* Sets one of the request's governors, with the EPP where it takes that. */
int hold_governor(struct hold *hold, const char *governor);

/*
 * The report's machine.cpufreq object: {driver, mode, governor_requested (all of them, with blanks
 * between), governor, governor_held, epp_requested, epp, epp_held, boost_requested, boost,
 * boost_held, policies [...], settings [...]}. What is in force is read anew, and "mixed" where
 * policies differ; _held is whether that is what was asked for, null where nothing was. settings has
 * the first, third to sixth and policies for each governor of the request, as read when it was tried.
 * driver null and "detail": "no cpufreq driver" where there is none. Caller owns.
 */
json_t *hold_describe(const struct hold *hold);

/* Puts everything back and frees, whatever happens; the first error is told. NULL is allowed. */
int hold_release(struct hold *hold);

#endif
