/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading a whole file, or what comes by a pipe. */
#ifndef BLITBENCH_CLI_INPUT_H
#define BLITBENCH_CLI_INPUT_H

#include <stddef.h>

/*
 * All of the file, or of the standard input where path is "-", with a NUL behind; the caller frees. what is what
 * sentences call it, such as "a journal". -errno, -EFBIG above the limit, or -ENOMEM, with a sentence.
 */
int input_read(const char *path, const char *what, size_t limit_bytes, char **text, size_t *size);

#endif
