/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that somebody names, opened for reading so that nothing waits for ever: a pipe or a device may
 * never end. */
#ifndef BLITBENCH_LIB_REGULAR_H
#define BLITBENCH_LIB_REGULAR_H

#include <stdint.h>

/*
 * A descriptor of the regular file, the caller's to close, and in *size_bytes its size (may be NULL);
 * else a negative errno and a sentence: what is what the file should be ("the journal"), instead what to
 * do where it is no file.
 */
int regular_open(const char *path, const char *what, const char *instead, uint64_t *size_bytes);

#endif
