/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of facts, "A, B, C", in which a fact that is not known leaves no trace. */
#ifndef BLITBENCH_REPORT_PIECES_H
#define BLITBENCH_REPORT_PIECES_H

#include <jansson.h>
#include <stdio.h>

struct pieces {
	char *words;
	size_t size;
	FILE *out;
};

struct pieces pieces_begin(void);
void pieces_end(struct pieces *pieces);
#define _cleanup_pieces_ __attribute__((cleanup(pieces_end)))

void add_words(struct pieces *pieces, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* The value at a path of the object (report/fields.h), with words before and behind it. */
void add_piece(struct pieces *pieces, const char *before, const json_t *object, const char *path,
	       const char *behind);

/* A count with its noun, which gets an "s" unless it is 1. */
void add_count(struct pieces *pieces, const json_t *object, const char *path, const char *noun);

/* The same as add_piece for bytes, as "1.5 GiB". */
void add_size(struct pieces *pieces, const char *before, const json_t *object, const char *path,
	      const char *behind);

/* The list so far, valid until the next piece. */
const char *pieces_words(struct pieces *pieces);

#endif
