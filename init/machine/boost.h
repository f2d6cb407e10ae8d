/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether CPUs may run faster than their nominal clock. Each driver has its own switches for it:
 * intel_pstate/no_turbo, cpufreq/boost for all, and boost in each policy. root as in lib/sysfs.h.
 */
#ifndef BLITBENCH_MACHINE_BOOST_H
#define BLITBENCH_MACHINE_BOOST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum boost { BOOST_KEEP, BOOST_ON, BOOST_OFF };

struct boost_switch {
	char path[80];
	bool inverted; /* 1 means that boost is off */
	bool before;   /* boost was on */
};

struct boost_switches {
	struct boost_switch *list; /* in the order in which they are written; NULL = not looked yet */
	size_t count;
};

/* -ENOMEM with a sentence. */
int boost_find(struct boost_switches *switches, const char *root);
void boost_free(struct boost_switches *switches);

/* -EINVAL where there is no switch, or an error of the kernel's, with a sentence. */
int boost_set(const struct boost_switches *switches, bool on, const char *root);

/* Does all that can be done; the first error is told. */
int boost_restore(const struct boost_switches *switches, const char *root);

/* Read anew: true, false, "mixed", or null where there is no switch. */
json_t *boost_json(const struct boost_switches *switches, const char *root);

#endif
