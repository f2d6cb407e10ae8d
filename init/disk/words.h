/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sentences put together piece by piece in a buffer of fixed size. */
#ifndef BLITBENCH_DISK_WORDS_H
#define BLITBENCH_DISK_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct words {
	char *text;
	size_t size, used;
	bool full; /* something did not fit; the text ends in "..." */
};

struct words words_start(char *text, size_t size);

/*
 * Appends. Labels and serial numbers are bytes that anybody can write to a disk, so control
 * characters, marks that hide or turn around text, and what is no UTF-8 become '?', byte by byte: no
 * disk speaks to the console.
 */
void words_add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct size_words {
	char text[24];
};

struct size_words size_decimal(uint64_t bytes); /* "500.1 GB", as printed on the disk */
struct size_words size_binary(uint64_t bytes);  /* "16.0 GiB", as partitions are made */

#endif
