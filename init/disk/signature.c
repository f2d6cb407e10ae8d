/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/signature.h"

#include "lib/cleanup.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <string.h>

enum { TABLE_UNIT_BYTES = 512 }; /* libblkid counts in these whatever the disk's sector size is */
/* So far from either end it looks in steps of its own: two labels of ZFS, of 256 KiB each, the last
 * one at a multiple of that. */
enum { LOOKED_AT_BYTES = 3 * 256 << 10 };

static void free_probe(blkid_probe *probe)
{
	if (*probe)
		blkid_free_probe(*probe);
}

#define _cleanup_probe_ __attribute__((cleanup(free_probe)))

static void copy(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "");
}

/* Four entries of 16 bytes from 446 on, whose fifth is the type; EEh stands for a GPT. */
static bool has_protective_mbr(int fd)
{
	unsigned char sector[512];

	if (pread(fd, sector, sizeof(sector), 0) != (ssize_t)sizeof(sector) ||
	    sector[510] != 0x55 || sector[511] != 0xaa)
		return false;
	for (size_t at = 446; at < 510; at += 16)
		if (sector[at + 4] == 0xee)
			return true;
	return false;
}

int table_read(struct partition_table *table, int fd)
{
	memset(table, 0, sizeof(*table));
	_cleanup_probe_ blkid_probe probe = blkid_new_probe();
	if (!probe || blkid_probe_set_device(probe, fd, 0, 0))
		return probe ? 0 : -ENOMEM;
	blkid_probe_enable_superblocks(probe, 0);
	blkid_probe_enable_partitions(probe, 1);

	blkid_partlist list = blkid_probe_get_partitions(probe);
	if ((!list || !blkid_partlist_get_table(list)) && has_protective_mbr(fd))
		copy(table->type, sizeof(table->type), "PMBR");
	if (!list)
		return 0;
	int count = blkid_partlist_numof_partitions(list);
	blkid_parttable root = blkid_partlist_get_table(list);
	if (!root || count < 0)
		return 0;
	table->entries = calloc((size_t)count + 1, sizeof(*table->entries));
	if (!table->entries)
		return -ENOMEM;
	copy(table->type, sizeof(table->type), blkid_parttable_get_type(root));
	for (int i = 0; i < count; i++) {
		blkid_partition partition = blkid_partlist_get_partition(list, i);
		struct table_entry *entry = &table->entries[table->count];

		if (!partition)
			continue;
		entry->number = (unsigned)blkid_partition_get_partno(partition);
		entry->start_bytes =
			(uint64_t)blkid_partition_get_start(partition) * TABLE_UNIT_BYTES;
		entry->size_bytes =
			(uint64_t)blkid_partition_get_size(partition) * TABLE_UNIT_BYTES;
		copy(entry->label, sizeof(entry->label), blkid_partition_get_name(partition));
		copy(entry->uuid, sizeof(entry->uuid), blkid_partition_get_uuid(partition));
		table->count++;
	}
	return 0;
}

void table_free(struct partition_table *table)
{
	free(table->entries);
	memset(table, 0, sizeof(*table));
}

const struct table_entry *table_find(const struct partition_table *table, unsigned number)
{
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].number == number)
			return &table->entries[i];
	return NULL;
}

/* libblkid takes some read errors for "nothing there", so both ends are read. */
static bool ends_readable(int fd, off_t size, off_t bytes)
{
	char block[4096];

	for (off_t at = 0; at < bytes && at < size; at += (off_t)sizeof(block)) {
		off_t left = size - at;
		size_t length = left < (off_t)sizeof(block) ? (size_t)left : sizeof(block);

		if (pread(fd, block, length, at) != (ssize_t)length ||
		    pread(fd, block, length, left - (off_t)length) != (ssize_t)length)
			return false;
	}
	return size > 0;
}

/*
 * Safe probing fails where it cannot read and where what it finds disagrees, and by the number of
 * the failure libblkid 2.41 tells the two no longer apart. Probing one after the other only fails
 * where it cannot read.
 */
static bool can_be_probed(blkid_probe probe)
{
	int found;

	blkid_reset_probe(probe);
	do
		found = blkid_do_probe(probe);
	while (found == 0);
	return found == 1;
}

void signature_read(struct signature *signature, int fd, int inside_partition)
{
	const char *type = NULL, *table = NULL, *label = NULL;

	memset(signature, 0, sizeof(*signature));
	copy(signature->type, sizeof(signature->type), "unreadable");
	_cleanup_probe_ blkid_probe probe = blkid_new_probe();
	if (!probe || blkid_probe_set_device(probe, fd, 0, 0) ||
	    !ends_readable(fd, blkid_probe_get_size(probe), 4096))
		return;
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(
		probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL | BLKID_SUBLKS_BADCSUM);
	blkid_probe_enable_partitions(probe, inside_partition);

	int found = blkid_do_safeprobe(probe);
	if (found < 0) {
		if (can_be_probed(probe))
			copy(signature->type, sizeof(signature->type), "ambivalent");
		return;
	}
	if (found == 1 && !ends_readable(fd, blkid_probe_get_size(probe), LOOKED_AT_BYTES))
		return;
	if (found == 0) {
		blkid_probe_lookup_value(probe, "TYPE", &type, NULL);
		blkid_probe_lookup_value(probe, "LABEL", &label, NULL);
		blkid_probe_lookup_value(probe, "PTTYPE", &table, NULL);
	}
	if (found == 0 && !type == !table)
		type = "ambivalent";
	copy(signature->type, sizeof(signature->type), type ? type : table);
	copy(signature->label, sizeof(signature->label), label);
}
