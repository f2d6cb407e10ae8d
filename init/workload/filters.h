/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all users of libarchive here share. */
#ifndef BLITBENCH_WORKLOAD_FILTERS_H
#define BLITBENCH_WORKLOAD_FILTERS_H

#include "workload/escape.h"

struct archive;

/* Compressions that libarchive undoes by itself; its other filters start programs, and files do not
 * get to choose those. */
void filters_support(struct archive *archive);

/* Opens a file for reading. -EINVAL where it holds nothing that the archive supports, else why it
 * cannot be opened; a sentence for both. */
int filters_open(struct archive *archive, const char *file);

/* Why the last call failed, in words that are safe to print. */
const char *filters_reason(char shown[SENTENCE_NAME_BYTES], struct archive *archive);

#endif
