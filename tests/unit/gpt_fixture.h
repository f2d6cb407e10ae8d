/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Disks in memory with a GPT that is written here, by other code than the one under test. */
#ifndef BLITBENCH_TESTS_GPT_FIXTURE_H
#define BLITBENCH_TESTS_GPT_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

struct disk {
	int fd;
	char path[64]; /* by which the file is opened once more */
	uint64_t sectors;
	unsigned sector_bytes, entry_count, entry_bytes;
	unsigned char mbr[4096], first[4096], last[4096];
	unsigned char *entries, *last_entries;
	uint64_t entries_lba, last_entries_lba;
};

static inline void set32(unsigned char *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (unsigned char)(value >> 8 * i);
}

static inline void set64(unsigned char *at, uint64_t value)
{
	set32(at, (uint32_t)value);
	set32(at + 4, (uint32_t)(value >> 32));
}

static inline uint64_t table_sectors(const struct disk *disk)
{
	return ((uint64_t)disk->entry_count * disk->entry_bytes + disk->sector_bytes - 1) /
	       disk->sector_bytes;
}

static inline void fill_header(const struct disk *disk, unsigned char *header, uint64_t own,
			       uint64_t other, uint64_t entries)
{
	memcpy(header, "EFI PART\0\0\1\0\x5c\0\0\0", 16);
	set64(header + 24, own);
	set64(header + 32, other);
	set64(header + 40, 2 + table_sectors(disk));
	set64(header + 48, disk->sectors - 2 - table_sectors(disk));
	memcpy(header + 56, "a disk's own id.", 16);
	set64(header + 72, entries);
	set32(header + 80, disk->entry_count);
	set32(header + 84, disk->entry_bytes);
}

/* No partitions yet, and nothing on the file. */
static inline void disk_begin(struct disk *disk, uint64_t size_bytes, unsigned sector_bytes,
			      unsigned entry_count)
{
	*disk = (struct disk){ .fd = memfd_create("disk", MFD_CLOEXEC),
			       .sectors = size_bytes / sector_bytes,
			       .sector_bytes = sector_bytes,
			       .entry_count = entry_count,
			       .entry_bytes = 128,
			       .entries_lba = 2 };
	snprintf(disk->path, sizeof(disk->path), "/proc/%d/fd/%d", getpid(), disk->fd);
	disk->last_entries_lba = disk->sectors - 1 - table_sectors(disk);
	disk->entries = calloc(entry_count, disk->entry_bytes);
	disk->last_entries = calloc(entry_count, disk->entry_bytes);
	if (disk->fd < 0 || !disk->entries || !disk->last_entries ||
	    ftruncate(disk->fd, (off_t)size_bytes))
		abort();
	disk->mbr[446 + 4] = 0xee;
	set32(disk->mbr + 446 + 8, 1);
	set32(disk->mbr + 446 + 12, (uint32_t)disk->sectors - 1);
	disk->mbr[510] = 0x55;
	disk->mbr[511] = 0xaa;
	fill_header(disk, disk->first, 1, disk->sectors - 1, disk->entries_lba);
	fill_header(disk, disk->last, disk->sectors - 1, 1, disk->last_entries_lba);
}

static inline void disk_partition(struct disk *disk, unsigned number, uint64_t first, uint64_t last,
				  const char *name)
{
	unsigned char *entry = disk->entries + (number - 1) * disk->entry_bytes;

	memset(entry, 0, disk->entry_bytes);
	memcpy(entry, "any type of them", 16);
	memset(entry + 16, 0x10 + (int)number, 16);
	set64(entry + 32, first);
	set64(entry + 40, last);
	set64(entry + 48, 1); /* an attribute */
	for (size_t i = 0; name[i]; i++)
		entry[56 + 2 * i] = (unsigned char)name[i];
	memcpy(disk->last_entries, disk->entries, (size_t)disk->entry_count * disk->entry_bytes);
}

static inline void seal_header(const struct disk *disk, unsigned char *header,
			       const unsigned char *entries)
{
	set32(header + 88,
	      (uint32_t)crc32(0, entries, (uInt)(disk->entry_count * disk->entry_bytes)));
	set32(header + 16, 0);
	set32(header + 16, (uint32_t)crc32(0, header, 92));
}

static inline void disk_put(const struct disk *disk, const void *bytes, size_t length,
			    uint64_t offset)
{
	if (pwrite(disk->fd, bytes, length, (off_t)offset) != (ssize_t)length)
		abort();
}

/* Puts the table onto the file as it is. */
static inline void disk_put_table(const struct disk *disk)
{
	size_t length = (size_t)disk->entry_count * disk->entry_bytes, sector = disk->sector_bytes;

	disk_put(disk, disk->mbr, sector, 0);
	disk_put(disk, disk->first, sector, sector);
	disk_put(disk, disk->entries, length, disk->entries_lba * sector);
	disk_put(disk, disk->last_entries, length, disk->last_entries_lba * sector);
	disk_put(disk, disk->last, sector, (disk->sectors - 1) * sector);
}

/* The same with checksums that are right. */
static inline void disk_seal(struct disk *disk)
{
	seal_header(disk, disk->first, disk->entries);
	seal_header(disk, disk->last, disk->last_entries);
	disk_put_table(disk);
}

static inline void disk_end(struct disk *disk)
{
	free(disk->entries);
	free(disk->last_entries);
	if (disk->fd >= 0)
		close(disk->fd);
	*disk = (struct disk){ .fd = -1 };
}

/* ---- what changed ---- */

struct bytes {
	uint64_t start, length;
};

static inline void read_block(int fd, unsigned char block[4096], uint64_t offset)
{
	ssize_t got = pread(fd, block, 4096, (off_t)offset);

	if (got < 0)
		abort();
	memset(block + got, 0, 4096 - (size_t)got);
}

/* A file of the same bytes, and of the same holes. */
static inline int copy_of(int fd)
{
	int copy = memfd_create("copy", MFD_CLOEXEC);
	off_t end = lseek(fd, 0, SEEK_END);
	unsigned char block[4096];

	if (copy < 0 || ftruncate(copy, end))
		abort();
	for (off_t at = lseek(fd, 0, SEEK_DATA); at >= 0 && at < end;
	     at = lseek(fd, at + 4096, SEEK_DATA)) {
		read_block(fd, block, (uint64_t)at);
		size_t length = end - at < 4096 ? (size_t)(end - at) : 4096;
		if (pwrite(copy, block, length, at) != (ssize_t)length)
			abort();
	}
	return copy;
}

/* The first byte in which the files differ outside of the ranges, -1 where there is none. */
static inline int64_t first_difference(int before, int after, const struct bytes *ranges,
				       size_t count)
{
	off_t end = lseek(after, 0, SEEK_END);
	unsigned char old[4096], new[4096];
	int files[] = { before, after };

	if (lseek(before, 0, SEEK_END) != end)
		return end;
	for (int i = 0; i < 2; i++)
		for (off_t at = lseek(files[i], 0, SEEK_DATA); at >= 0 && at < end;
		     at = lseek(files[i], at + 4096, SEEK_DATA)) {
			at -= at % 4096;
			read_block(before, old, (uint64_t)at);
			read_block(after, new, (uint64_t)at);
			if (!memcmp(old, new, sizeof(old)))
				continue;
			for (unsigned j = 0; j < 4096; j++) {
				uint64_t byte = (uint64_t)at + j;
				bool may = old[j] == new[j];

				for (size_t k = 0; k < count && !may; k++)
					may = byte >= ranges[k].start &&
					      byte - ranges[k].start < ranges[k].length;
				if (!may)
					return (int64_t)byte;
			}
		}
	return -1;
}

#endif
