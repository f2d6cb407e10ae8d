/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A GUID partition table as it lies on a disk (UEFI 2.10, 5.3), read by one who is about to change
 * it: both copies are whole, agree and lie where they should, or it is not taken. Elsewhere
 * libblkid reads tables, which is content with one copy. Nothing is written here.
 */
#ifndef BLITBENCH_PREPARE_GPT_H
#define BLITBENCH_PREPARE_GPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	GPT_FIRST,
	GPT_LAST,
	GPT_COPIES
}; /* the copy at the disk's beginning, and that at its end */
enum { GPT_NAME_UNITS = 36, GPT_ENTRY_BYTES = 128 /* at least */ };

struct gpt {
	uint64_t sectors; /* of the disk */
	unsigned sector_bytes;
	unsigned char *mbr;                 /* the protective one, a sector */
	unsigned char *headers[GPT_COPIES]; /* a sector each */
	uint64_t entries_lba[GPT_COPIES];
	unsigned char *entries; /* the same in both copies */
	unsigned entry_count, entry_bytes;
	uint64_t first_usable, last_usable; /* sectors that partitions may have */
};

/*
 * Reads the table of a disk of that size by a descriptor. -ENODATA where there is none (an MBR, or
 * nothing), -EINVAL where it is damaged, its copies disagree, it gives bytes away twice, or an MBR
 * beside it has partitions too: each with a sentence that goes on after the disk's name and a
 * colon. gpt is to be freed in any case.
 */
int gpt_read(struct gpt *gpt, int fd, uint64_t size_bytes, unsigned sector_bytes);

void gpt_free(struct gpt *gpt);

/* Whether they are the same byte for byte. */
bool gpt_same(const struct gpt *one, const struct gpt *other);

/* The bytes of all entries of one copy. */
size_t gpt_entries_bytes(const struct gpt *gpt);

struct gpt_partition {
	unsigned number;      /* from 1 */
	uint64_t first, last; /* sectors */
	char name[GPT_NAME_UNITS * 3 +
		  1];  /* UTF-8; a unit that is no character of its own is U+FFFD */
	char uuid[37]; /* lower case */
};

/* The entry of that index (from 0); false where it is not used. */
bool gpt_partition(const struct gpt *gpt, unsigned index, struct gpt_partition *partition);

unsigned gpt_partitions(const struct gpt *gpt);

/* The number of the first entry that is zero throughout, so that a new partition inherits nothing
 * of a deleted one; 0 where there is none. */
unsigned gpt_first_blank(const struct gpt *gpt);

struct gpt_space {
	uint64_t start_bytes, size_bytes; /* multiples of grain_bytes; 0 bytes = there is none */
};

/* The largest stretch that no partition has a sector of, between whole grains (multiples of a
 * sector). */
struct gpt_space gpt_largest_space(const struct gpt *gpt, uint64_t grain_bytes);

#endif
