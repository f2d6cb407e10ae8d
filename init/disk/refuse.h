/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The choice of the target, as a pure function: from a description of all block devices and what
 * was asked for, either one partition or one refusal. It opens nothing and reads nothing.
 */
#ifndef BLITBENCH_DISK_REFUSE_H
#define BLITBENCH_DISK_REFUSE_H

#include "disk/device.h"

struct target_wish {
	const char *partlabel; /* NULL or "" = not asked for; this or partuuid is given */
	const char *partuuid;
	const char *model, *serial; /* narrow it further; "" = any */
	bool overwrite, same_disk;
	/* what an unfinished run's journal says it was formatting, or NULL */
	const char *unfinished_partuuid;
	dev_t results;         /* the partition that holds the results; 0 = none */
	uint64_t bytes_needed; /* of the largest filesystem */
};

/* Why a target was refused. Each of the three is a phrase or sentence for a person. */
struct refusal {
	/* whole-disk no-match two-matches results-disk in-use read-only too-small
	 * foreign-signature */
	const char *rule;
	char reason[1024]; /* what, and where */
	char remedy[256];  /* what to do about it */
};

/* The index of the target in the list, or -1 with the refusal filled in. */
int target_choose(const struct device_list *list, const struct target_wish *wish,
		  struct refusal *refusal);

#endif
