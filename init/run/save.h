/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a run as far as its results go: the volume is left, and what is not surely on it is written
 * again, also to a stick that was pulled and is back. */
#ifndef BLITBENCH_RUN_SAVE_H
#define BLITBENCH_RUN_SAVE_H

#include "run/run.h"

/*
 * Leaves the volume. Where anything failed since the run began, all of it is written once more, after the
 * FAT was checked and mounted anew, so that what counts is what is read back from the medium; a volume that
 * is gone is awaited for some seconds. run->saved tells whether everything is there in the end.
 */
int save_finish(struct run *run);

/* The part of it that writes, to the volume that is mounted: into the run's own folder, behind what is there of
 * the journal; or, where a file that is not ours or only half of it stands in the way, into one beside it. */
int save_write(struct run *run);

/* To be asked again and again while the machine stays on with results that are not saved: tries once more
 * whenever a disk has come. True once they are. */
bool save_retry(struct run *run);

#endif
