/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names from outside, written so that they can neither disturb a console nor break a line of a
 * manifest. */
#ifndef BLITBENCH_WORKLOAD_ESCAPE_H
#define BLITBENCH_WORKLOAD_ESCAPE_H

#include <stddef.h>

enum { SENTENCE_NAME_BYTES = 300, TOLD_PATH_BYTES = 160 };

/* Room that escape_name needs for a name of so many bytes, with the NUL. */
#define ESCAPED_BYTES(name_bytes) (4 * (size_t)(name_bytes) + 1)

/*
 * Writes a name as mtree(5) does: bytes that are not printable ASCII, white space, '#', '=' and '\'
 * become \ooo. Returns the length. buffer must have ESCAPED_BYTES of the name.
 */
size_t escape_name(char *buffer, const char *name);

/* The same for a sentence: spaces, '#' and '=' stay, and what does not fit is cut off and ends in
 * "...". Returns buffer. */
const char *escape_for_sentence(char buffer[SENTENCE_NAME_BYTES], const char *name);

/* A path of a tree, under PATH_MAX bytes, so that room is left for what happened to it: what does not
 * fit is left out of its middle. Returns buffer. */
const char *escape_path(char buffer[TOLD_PATH_BYTES], const char *path);

#endif
