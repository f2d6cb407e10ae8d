/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the live tree is what its engine promised: outside every timer, after every trial. */
#ifndef BLITBENCH_RUN_VERIFY_H
#define BLITBENCH_RUN_VERIFY_H

#include "run/site.h"

/*
 * Compares usr below the site with the layout: every entry there and nothing else, types, modes,
 * link texts, each file with content the same inode as its asset where the method links, empty
 * files empty and of their own inode, the counts by type. Of a mode that depended on the threads
 * the site learns which it is. 0; -EUCLEAN with a sentence that names the first mismatch's path and
 * the number of all; another errno where it cannot look.
 */
int verify_tree(struct site *site, const struct blit_method *method, const struct layout *layout);

#endif
