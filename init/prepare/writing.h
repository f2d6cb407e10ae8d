/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that `blitbench prepare` ever writes: one function, with a list of where it may. For
 * preparation.c only, which has looked before. */
#ifndef BLITBENCH_PREPARE_WRITING_H
#define BLITBENCH_PREPARE_WRITING_H

#include "prepare/preparation.h"

/*
 * Zeroes over both ends of the new partition's place, in which nothing that libblkid knows is left
 * then; the copy of the table at the disk's end; the first copy. Each is on the medium before the
 * next begins, so that at every moment one copy is whole. At last it is read back.
 */
int writing_do(int fd, const struct preparation *plan);

/* BLKPG for the new partition alone: nothing else that the kernel knows changes. */
int writing_tell_kernel(int fd, const struct preparation *plan);

#endif
