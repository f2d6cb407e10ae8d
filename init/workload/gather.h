/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Gathers the entries of packages, one package at a time, and numbers their contents.
 *
 * Content numbers are package * 2^20 + rank: packages count from 1; the rank orders the distinct
 * contents of a package by size, largest first, then bytewise by path. A content that an earlier
 * package has (equal in size and XXH3-128) keeps that number. Empty files have none. A package with
 * more than 2^20 distinct contents counts as several.
 */
#ifndef BLITBENCH_WORKLOAD_GATHER_H
#define BLITBENCH_WORKLOAD_GATHER_H

#include "workload/archive.h"
#include "workload/hash_index.h"

/* One distinct content of all packages so far. */
struct gathered_content {
	XXH128_hash_t hash;
	uint64_t size, number;
	uint64_t ranked_in; /* the last package that gave it a rank; 0: none, and no number */
};

/* One entry of the package that is being read; texts are offsets into its arena. */
struct gathered_item {
	struct listed_entry entry; /* its texts and its number are filled in by gather_number */
	size_t path, link_text;
	uint32_t inode; /* of a file: place in inodes */
};

struct gather {
	struct gathered_item *items; /* of the present package, no path twice */
	size_t item_count, item_capacity;
	struct hash_index by_path;
	char *texts;
	size_t texts_bytes, texts_capacity;
	uint32_t *inodes; /* of the present package's files: the content of each; hard links share
			     one */
	size_t inode_count, inode_capacity;

	uint64_t packages; /* that were begun, and the number of the present one */
	struct gathered_content *contents;
	size_t content_count, content_capacity;
	struct hash_index by_hash;
};

/* A gather begins as { 0 }. Forgets the entries of the last package and begins the next. */
void gather_begin(struct gather *gather);

/* Takes an item of the present package; context is a struct gather. Where a package lists a path
 * twice, as usr/bin/x and bin/x, its later entry wins, unless it says that its items are unique. */
take_item gather_item;

/* When the present package is whole: numbers its contents. From now until gather_begin the entries
 * of its items are complete. 0 or -ENOMEM with a sentence. */
int gather_number(struct gather *gather);

void gather_free(struct gather *gather);

#endif
