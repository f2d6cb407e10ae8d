/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prepare/gpt.h"

#include "lib/error.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* Where fields lie in a header, and in an entry (UEFI 2.10, tables 5-5 and 5-6). */
enum {
	HEADER_REVISION = 8,
	HEADER_SIZE = 12,
	HEADER_CRC = 16,
	HEADER_OWN_LBA = 24,
	HEADER_OTHER_LBA = 32,
	HEADER_FIRST_USABLE = 40,
	HEADER_LAST_USABLE = 48,
	HEADER_GUID = 56,
	HEADER_ENTRIES_LBA = 72,
	HEADER_ENTRY_COUNT = 80,
	HEADER_ENTRY_BYTES = 84,
	HEADER_ENTRIES_CRC = 88,
	HEADER_BYTES = 92,
	ENTRY_UUID = 16,
	ENTRY_FIRST = 32,
	ENTRY_LAST = 40,
	ENTRY_NAME = 56,
	MBR_BYTES = 512,
	MBR_ENTRIES = 446,
	MBR_ENTRY_BYTES = 16,
};

enum { REVISION_1 = 0x10000, ENTRY_COUNT_MAX = 1024, ENTRY_BYTES_MAX = 4096, PROTECTIVE = 0xee };

static const char *const copy_names[GPT_COPIES] = { "the first copy", "the copy at the end" };

static uint32_t get32(const unsigned char *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return le32toh(value);
}

static uint64_t get64(const unsigned char *at)
{
	uint64_t value;

	memcpy(&value, at, sizeof(value));
	return le64toh(value);
}

static int read_at(int fd, void *bytes, size_t length, uint64_t offset)
{
	char *at = bytes;

	while (length) {
		ssize_t got = pread(fd, at, length, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return error_set(got ? -errno : -EIO,
					 "its partition table cannot be read: %s",
					 got ? strerror(errno) : "the disk ends before it");
		at += got;
		offset += (uint64_t)got;
		length -= (size_t)got;
	}
	return 0;
}

/* A piece of the disk in memory of its own. */
static int read_piece(int fd, unsigned char **piece, size_t length, uint64_t offset)
{
	*piece = malloc(length);
	if (!*piece)
		return error_set(-ENOMEM, "out of memory for its partition table");
	return read_at(fd, *piece, length, offset);
}

size_t gpt_entries_bytes(const struct gpt *gpt)
{
	return (size_t)gpt->entry_count * gpt->entry_bytes;
}

static uint64_t entries_sectors(const struct gpt *gpt)
{
	return (gpt_entries_bytes(gpt) + gpt->sector_bytes - 1) / gpt->sector_bytes;
}

/* ---- the protective MBR ---- */

static int check_mbr(const struct gpt *gpt)
{
	unsigned protective = 0, others = 0;

	if (gpt->mbr[MBR_BYTES - 2] != 0x55 || gpt->mbr[MBR_BYTES - 1] != 0xaa)
		return error_set(-ENODATA,
				 "it has no partition table; give it a GPT first, which "
				 "loses all that is on it (sfdisk DISK <<< 'label: gpt')");
	for (unsigned i = 0; i < 4; i++) {
		unsigned type = gpt->mbr[MBR_ENTRIES + i * MBR_ENTRY_BYTES + 4];

		protective += type == PROTECTIVE;
		others += type && type != PROTECTIVE;
	}
	if (!protective)
		return error_set(-ENODATA, "it has an MBR and no GPT; a target needs a GPT disk");
	if (others || protective > 1)
		return error_set(-EINVAL, "its MBR lists partitions beside the GPT (a hybrid MBR); "
					  "such a disk is left alone");
	return 0;
}

/* ---- the headers ---- */

static int damaged(int which, const char *what)
{
	return error_set(-EINVAL,
			 "%s of its GPT is damaged: %s; nothing is added before it is repaired "
			 "(sgdisk --verify, gdisk)",
			 copy_names[which], what);
}

/* The CRC of a header counts its own field as zero. */
static uint32_t header_crc(const unsigned char *header, uint32_t size)
{
	static const unsigned char zero[4];
	uint32_t crc = (uint32_t)crc32(0, header, HEADER_CRC);

	crc = (uint32_t)crc32(crc, zero, sizeof(zero));
	return (uint32_t)crc32(crc, header + HEADER_CRC + 4, size - HEADER_CRC - 4);
}

static int check_header(const struct gpt *gpt, int which)
{
	const unsigned char *header = gpt->headers[which];
	uint64_t last = gpt->sectors - 1, own = which == GPT_FIRST ? 1 : last;
	uint32_t size = get32(header + HEADER_SIZE);

	if (memcmp(header, "EFI PART", 8))
		return damaged(which, "it does not begin with its signature");
	if (get32(header + HEADER_REVISION) != REVISION_1)
		return damaged(which, "its revision is not 1.0");
	if (size < HEADER_BYTES || size > gpt->sector_bytes)
		return damaged(which, "its header has an impossible size");
	if (header_crc(header, size) != get32(header + HEADER_CRC))
		return damaged(which, "its header has a wrong checksum");
	if (get64(header + HEADER_OWN_LBA) != own)
		return damaged(which, "it was made for another place");
	if (get64(header + HEADER_OTHER_LBA) != (which == GPT_FIRST ? last : 1))
		return damaged(which,
			       "the other copy is not at the other end of the disk, which may have "
			       "been copied from one of another size");
	return 0;
}

/* What both headers must say alike. */
static bool headers_agree(const struct gpt *gpt)
{
	static const struct {
		unsigned from, to;
	} alike[] = { { 0, HEADER_CRC },
		      { HEADER_FIRST_USABLE, HEADER_ENTRIES_LBA },
		      { HEADER_ENTRY_COUNT, HEADER_BYTES } };

	for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++)
		if (memcmp(gpt->headers[GPT_FIRST] + alike[i].from,
			   gpt->headers[GPT_LAST] + alike[i].from, alike[i].to - alike[i].from))
			return false;
	return true;
}

/* Table, usable sectors, table: in this order, and nothing of it twice. */
static int check_places(const struct gpt *gpt)
{
	uint64_t length = entries_sectors(gpt), last = gpt->sectors - 1;
	uint64_t front = gpt->entries_lba[GPT_FIRST], back = gpt->entries_lba[GPT_LAST];

	if (gpt->first_usable > gpt->last_usable || gpt->last_usable >= last)
		return damaged(GPT_FIRST, "its usable sectors are not on the disk");
	if (front < 2 || front >= gpt->first_usable || length > gpt->first_usable - front)
		return damaged(GPT_FIRST, "its entries do not lie between header and partitions");
	if (back <= gpt->last_usable || back >= last || length > last - back)
		return damaged(GPT_LAST, "its entries do not lie between partitions and header");
	return 0;
}

static int read_headers(struct gpt *gpt, int fd)
{
	const unsigned char *first;
	int result = 0;

	for (int which = 0; which < GPT_COPIES && !result; which++) {
		uint64_t lba = which == GPT_FIRST ? 1 : gpt->sectors - 1;

		result = read_piece(fd, &gpt->headers[which], gpt->sector_bytes,
				    lba * gpt->sector_bytes);
		if (!result)
			result = check_header(gpt, which);
		if (!result)
			gpt->entries_lba[which] = get64(gpt->headers[which] + HEADER_ENTRIES_LBA);
	}
	if (result)
		return result;
	if (!headers_agree(gpt))
		return error_set(-EINVAL,
				 "the two copies of its GPT disagree; nothing is added before "
				 "that is repaired (sgdisk --verify, gdisk)");
	first = gpt->headers[GPT_FIRST];
	gpt->first_usable = get64(first + HEADER_FIRST_USABLE);
	gpt->last_usable = get64(first + HEADER_LAST_USABLE);
	gpt->entry_count = get32(first + HEADER_ENTRY_COUNT);
	gpt->entry_bytes = get32(first + HEADER_ENTRY_BYTES);
	if (!gpt->entry_count || gpt->entry_count > ENTRY_COUNT_MAX ||
	    gpt->entry_bytes < GPT_ENTRY_BYTES || gpt->entry_bytes > ENTRY_BYTES_MAX ||
	    (gpt->entry_bytes & (gpt->entry_bytes - 1)))
		return damaged(GPT_FIRST, "its entries have an impossible number or size");
	return check_places(gpt);
}

/* ---- the entries ---- */

static const unsigned char *entry_at(const struct gpt *gpt, unsigned index)
{
	return gpt->entries + (size_t)index * gpt->entry_bytes;
}

static bool is_used(const struct gpt *gpt, unsigned index)
{
	static const unsigned char unused[16];

	return memcmp(entry_at(gpt, index), unused, sizeof(unused));
}

static uint64_t first_of(const struct gpt *gpt, unsigned index)
{
	return get64(entry_at(gpt, index) + ENTRY_FIRST);
}

static uint64_t last_of(const struct gpt *gpt, unsigned index)
{
	return get64(entry_at(gpt, index) + ENTRY_LAST);
}

static int check_entries(const struct gpt *gpt)
{
	for (unsigned i = 0; i < gpt->entry_count; i++) {
		if (!is_used(gpt, i))
			continue;
		if (first_of(gpt, i) < gpt->first_usable || last_of(gpt, i) > gpt->last_usable ||
		    first_of(gpt, i) > last_of(gpt, i))
			return error_set(-EINVAL,
					 "its partition %u lies outside of what its GPT lets "
					 "partitions have; nothing is added",
					 i + 1);
		for (unsigned j = 0; j < i; j++)
			if (is_used(gpt, j) && first_of(gpt, i) <= last_of(gpt, j) &&
			    first_of(gpt, j) <= last_of(gpt, i))
				return error_set(-EINVAL,
						 "its partitions %u and %u share sectors; "
						 "nothing is added",
						 j + 1, i + 1);
	}
	return 0;
}

static int read_entries(struct gpt *gpt, int fd)
{
	size_t length = gpt_entries_bytes(gpt);
	unsigned char *copies[GPT_COPIES] = { NULL };
	int result = 0;

	for (int which = 0; which < GPT_COPIES && !result; which++) {
		result = read_piece(fd, &copies[which], length,
				    gpt->entries_lba[which] * gpt->sector_bytes);
		if (!result && (uint32_t)crc32(0, copies[which], (uInt)length) !=
				       get32(gpt->headers[which] + HEADER_ENTRIES_CRC))
			result = damaged(which, "its entries have a wrong checksum");
	}
	/* Of the same checksum, and yet: who adds to one must not lose what the other says. */
	if (!result && memcmp(copies[GPT_FIRST], copies[GPT_LAST], length))
		result = error_set(-EINVAL,
				   "the two copies of its GPT list other partitions; nothing "
				   "is added before that is repaired");
	gpt->entries = copies[GPT_FIRST];
	free(copies[GPT_LAST]);
	return result ? result : check_entries(gpt);
}

int gpt_read(struct gpt *gpt, int fd, uint64_t size_bytes, unsigned sector_bytes)
{
	*gpt = (struct gpt){ .sector_bytes = sector_bytes };
	if (sector_bytes < MBR_BYTES || (sector_bytes & (sector_bytes - 1)) ||
	    sector_bytes > 1 << 16)
		return error_set(-EINVAL, "its sectors of %u bytes are not known here",
				 sector_bytes);
	gpt->sectors = size_bytes / sector_bytes;
	if (gpt->sectors < 8)
		return error_set(-ENODATA, "it is too small for a GPT");
	int result = read_piece(fd, &gpt->mbr, sector_bytes, 0);
	if (!result)
		result = check_mbr(gpt);
	if (!result)
		result = read_headers(gpt, fd);
	return result ? result : read_entries(gpt, fd);
}

void gpt_free(struct gpt *gpt)
{
	free(gpt->mbr);
	free(gpt->headers[GPT_FIRST]);
	free(gpt->headers[GPT_LAST]);
	free(gpt->entries);
	*gpt = (struct gpt){ 0 };
}

bool gpt_same(const struct gpt *one, const struct gpt *other)
{
	size_t sector = one->sector_bytes;

	/* All else is in the headers. */
	return one->sectors == other->sectors && sector == other->sector_bytes &&
	       !memcmp(one->mbr, other->mbr, sector) &&
	       !memcmp(one->headers[GPT_FIRST], other->headers[GPT_FIRST], sector) &&
	       !memcmp(one->headers[GPT_LAST], other->headers[GPT_LAST], sector) &&
	       !memcmp(one->entries, other->entries, gpt_entries_bytes(one));
}

/* ---- what it says ---- */

/* Surrogates are not put together: a name is for people, and never decides. */
static void put_character(char **end, unsigned unit)
{
	if (unit >= 0xd800 && unit < 0xe000)
		unit = 0xfffd;
	if (unit < 0x80) {
		*(*end)++ = (char)unit;
		return;
	}
	if (unit < 0x800) {
		*(*end)++ = (char)(0xc0 | unit >> 6);
	} else {
		*(*end)++ = (char)(0xe0 | unit >> 12);
		*(*end)++ = (char)(0x80 | (unit >> 6 & 0x3f));
	}
	*(*end)++ = (char)(0x80 | (unit & 0x3f));
}

bool gpt_partition(const struct gpt *gpt, unsigned index, struct gpt_partition *partition)
{
	const unsigned char *entry = entry_at(gpt, index), *id = entry + ENTRY_UUID;
	char *end = partition->name;

	if (!is_used(gpt, index))
		return false;
	partition->number = index + 1;
	partition->first = first_of(gpt, index);
	partition->last = last_of(gpt, index);
	for (unsigned i = 0; i < GPT_NAME_UNITS; i++) {
		const unsigned char *unit = entry + ENTRY_NAME + 2 * i;

		if (!unit[0] && !unit[1])
			break;
		put_character(&end, unit[0] | (unsigned)unit[1] << 8);
	}
	*end = '\0';
	/* The first three numbers of a GUID are little-endian. */
	snprintf(partition->uuid, sizeof(partition->uuid),
		 "%08x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", get32(id), id[5],
		 id[4], id[7], id[6], id[8], id[9], id[10], id[11], id[12], id[13], id[14], id[15]);
	return true;
}

unsigned gpt_partitions(const struct gpt *gpt)
{
	unsigned count = 0;

	for (unsigned i = 0; i < gpt->entry_count; i++)
		count += is_used(gpt, i);
	return count;
}

unsigned gpt_first_blank(const struct gpt *gpt)
{
	for (unsigned i = 0; i < gpt->entry_count; i++) {
		const unsigned char *entry = entry_at(gpt, i);
		unsigned at = 0;

		while (at < gpt->entry_bytes && !entry[at])
			at++;
		if (at == gpt->entry_bytes)
			return i + 1;
	}
	return 0;
}

/* From this sector to the next partition, or to the last usable sector; whole grains of it. */
static struct gpt_space space_from(const struct gpt *gpt, uint64_t first, uint64_t grain)
{
	uint64_t end = gpt->last_usable + 1;
	struct gpt_space space = { 0 };

	for (unsigned i = 0; i < gpt->entry_count; i++) {
		if (!is_used(gpt, i) || last_of(gpt, i) < first)
			continue;
		if (first_of(gpt, i) < end)
			end = first_of(gpt, i);
	}
	if (end <= first)
		return space;
	first = (first + grain - 1) / grain * grain;
	end = end / grain * grain;
	if (first < end)
		space = (struct gpt_space){ .start_bytes = first * gpt->sector_bytes,
					    .size_bytes = (end - first) * gpt->sector_bytes };
	return space;
}

struct gpt_space gpt_largest_space(const struct gpt *gpt, uint64_t grain_bytes)
{
	uint64_t grain = grain_bytes / gpt->sector_bytes;
	struct gpt_space largest = space_from(gpt, gpt->first_usable, grain);

	for (unsigned i = 0; i < gpt->entry_count; i++) {
		if (!is_used(gpt, i))
			continue;
		struct gpt_space space = space_from(gpt, last_of(gpt, i) + 1, grain);
		if (space.size_bytes > largest.size_bytes)
			largest = space;
	}
	return largest;
}
