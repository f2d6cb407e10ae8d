/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Holding the machine still: the CPU frequency governor, set, read back, put back. */
#ifndef BLITBENCH_MACHINE_HOLD_H
#define BLITBENCH_MACHINE_HOLD_H

#include <jansson.h>

struct hold;

/*
 * Remembers each policy's governor and sets the one asked for ("performance", ...). "" asks for no
 * change. No cpufreq driver is no error: the description says so. -EINVAL with a sentence that
 * lists the available ones where a policy does not offer it.
 */
int hold_governor(struct hold **hold, const char *governor, const char *root);

/*
 * The report's machine.cpufreq object, read anew: {driver, mode, governor_requested, governor
 * ("mixed" where policies differ), governor_held (is it the one asked for? null where none was),
 * epp, boost, policies [...]}; driver null and "detail": "no cpufreq driver" where there is none.
 * Caller owns.
 */
json_t *hold_describe(const struct hold *hold);

/* Puts the old governors back and frees, whatever happens. NULL is allowed. */
int hold_release(struct hold *hold);

#endif
