/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that is read from its beginning, block by block; "-" is the standard input. */
#ifndef BLITBENCH_WORKLOAD_INPUT_H
#define BLITBENCH_WORKLOAD_INPUT_H

#include "lib/progress.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct input;

/*
 * progress may be NULL; it hears the phase with the bytes read, and may stop the reading (-EINTR).
 * The sentences of an input do not begin with the name of the file. Returns 0 or a negative errno,
 * and *input NULL, where it cannot be opened.
 */
int input_open(struct input **input, const char *file, const char *phase,
	       const struct progress *progress);
void input_close(struct input *input);

/* The next bytes, as many as there are at hand; *bytes is 0 at the end only. They last until the
 * next call. */
int input_block(struct input *input, const void **block, size_t *bytes);

/* Fills buffer; -EINVAL where the file ends before. */
int input_exactly(struct input *input, void *buffer, size_t bytes);

/* What the next bytes are, without taking them. Returns how many of at most 512 were put into
 * buffer, or a negative errno. */
int input_peek(struct input *input, void *buffer, size_t bytes);

/* Gives back the last bytes of the block that input_block returned. */
void input_give_back(struct input *input, size_t bytes);

/* How many bytes were taken so far. */
uint64_t input_offset(const struct input *input);

/* The size of the file, or 0 where it has none, as a pipe. */
uint64_t input_size(const struct input *input);

/* Whether input_seek can be used. */
bool input_can_seek(const struct input *input);
int input_seek(struct input *input, uint64_t offset);

/* The error that stopped this input, or 0. Its sentence is the last one of this thread's. */
int input_error(const struct input *input);

#endif
