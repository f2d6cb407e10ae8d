/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files as lines of text over a serial console, where they share it with whatever else prints there.
 *
 *   blit:TAG:begin:NAME:zstd:BYTES:SENT:DIGEST:CHECK
 *   blit:TAG:NNNNN:LETTERS:CHECK                        many of these, NNNNN from 00001
 *   blit:TAG:end:COPY/COPIES:CHECK
 *
 * LETTERS are base 64 of 39 bytes, in the last line of fewer, of the file compressed by zstd; BYTES is how
 * many the file has, SENT how many the compressed one; DIGEST is the file's XXH3-64, TAG its last six
 * digits; CHECK is the line's XXH32 from TAG to the colon before it. Numbers are decimal, digests
 * hexadecimal. No line is longer than 79 characters, so that nothing that wraps at 80 breaks one. All is
 * sent more than once: what is damaged in one copy may be whole in another.
 */
#ifndef BLITBENCH_REPORT_WIRE_H
#define BLITBENCH_REPORT_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#define WIRE_PREFIX "blit:"

enum {
	WIRE_LETTERS = 52, /* in a line */
	WIRE_BYTES = 39,   /* in a line */
	WIRE_LINE_BYTES = 80, /* a line and its NUL */
	WIRE_LINES_MAX = 99999,
	WIRE_NAME_BYTES = 16,
	WIRE_COPIES = 2,
};

/* Above what a run leaves, far above. */
enum { WIRE_FILE_BYTES_MAX = 256 << 20 };

struct wire_file {
	const char *name; /* letters, digits, '.' and '-', under WIRE_NAME_BYTES */
	const char *bytes;
	size_t size;
};

/* Takes each line, without its end. */
typedef void wire_line(void *context, const char *line);

/* Hands out all lines of the files, then those of the next copy. -EFBIG, -ENOMEM with a sentence. */
int wire_send(const struct wire_file *files, size_t count, wire_line *line, void *context);

/* Of a log that speaks of more, the last ones are kept. */
enum { WIRE_FOUND_MAX = 16 };

/* A file that a log speaks of. */
struct wire_found {
	char name[WIRE_NAME_BYTES]; /* "" where no header is left */
	char *bytes;                /* with a NUL behind; NULL where it is not whole */
	size_t size;
	char problem[512]; /* a sentence, where it is not whole */
};

struct wire_log {
	struct wire_found files[WIRE_FOUND_MAX]; /* in the order of their first lines */
	size_t count;
	unsigned damaged_lines; /* that were meant to be ours */
	char damaged[256];      /* their numbers in the log, as words: "17, 20-22" */
};

/*
 * Finds all files in a log of a console: with other lines between, carriage returns, escape sequences,
 * something in front of a line or behind it. -ENOMEM is the only error.
 */
int wire_receive(struct wire_log *found, const char *log, size_t size);

void wire_log_free(struct wire_log *found);

#endif
