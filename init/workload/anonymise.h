/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replaces the names of entries by made-up ones of the same length. Equal names become equal names
 * everywhere, in link texts too, and different ones stay different. Names of up to three bytes, and
 * what follows the last dot of a name where that is short, are kept: lib, bin, .so, .png tell
 * nothing. A made-up name depends on how many there were before it and not on the name it stands
 * for, so it cannot be looked up. Sizes, modes and owners stay, and they may tell something.
 */
#ifndef BLITBENCH_WORKLOAD_ANONYMISE_H
#define BLITBENCH_WORKLOAD_ANONYMISE_H

#include "workload/mtree.h"

struct anonymiser;

/* NULL with a sentence where memory is short. */
struct anonymiser *anonymiser_new(void);

/* Changes the path and link text of an entry; they last until the next call. 0, or -ENOMEM,
 * or -EINVAL where there are too many names, with a sentence. */
int anonymise(struct anonymiser *anonymiser, struct listed_entry *entry);

void anonymiser_free(struct anonymiser *anonymiser);

#endif
