/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The power management of a SATA link: whether it sleeps between requests, which makes each first
 * one slower. Distributions set it differently. Kernel: Documentation/ABI/testing/sysfs-class-scsi_host.
 */
#ifndef BLITBENCH_DISK_LINK_POWER_H
#define BLITBENCH_DISK_LINK_POWER_H

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

enum { LINK_POWER_BYTES = 48 };

struct link_power {
	char file[256]; /* of the disk's host in sysfs; "" = the disk has no such link */
	char requested[LINK_POWER_BYTES]; /* "" = none */
	char before[LINK_POWER_BYTES];
	bool changed;
};

/*
 * Sets the policy of the host that the disk, or a partition of it, hangs on; wanted "" only looks. A disk
 * that is not on SATA has none, which is no error. Where the host does not take it: a negative errno
 * with a sentence, and all is as it was. root as in lib/sysfs.h.
 */
int link_power_hold(struct link_power *link, dev_t number, const char *wanted, const char *root);

/* Adds link_power_policy, read anew (null where there is none), and link_power_policy_requested. */
void link_power_tell(const struct link_power *link, json_t *disk);

/* True where what was asked for is in force, nothing was asked for, or there is no such link. */
bool link_power_held(const struct link_power *link);

/* Puts back what was there before. Also where nothing was ever held (all zeroes). */
int link_power_release(struct link_power *link);

#endif
