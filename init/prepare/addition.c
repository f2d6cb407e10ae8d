/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prepare/addition.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <endian.h>
#include <errno.h>
#include <libfdisk/libfdisk.h>
#include <string.h>
#include <sys/mman.h>

/* A Linux filesystem's: no system mounts that by itself. */
#define PARTITION_TYPE "0FC63DAF-8483-4772-8E79-3D69D8477DE4"

static int put(int fd, const unsigned char *bytes, size_t length, uint64_t offset)
{
	return pwrite(fd, bytes, length, (off_t)offset) == (ssize_t)length ? 0 : -EIO;
}

/* As large as the disk and, but for the table, a hole. */
static int copy_in_memory(const struct gpt *gpt)
{
	uint64_t sector = gpt->sector_bytes;
	_cleanup_close_ int fd = memfd_create("gpt", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)(gpt->sectors * sector)) ||
	    put(fd, gpt->mbr, sector, 0) || put(fd, gpt->headers[GPT_FIRST], sector, sector) ||
	    put(fd, gpt->headers[GPT_LAST], sector, (gpt->sectors - 1) * sector) ||
	    put(fd, gpt->entries, gpt_entries_bytes(gpt), gpt->entries_lba[GPT_FIRST] * sector) ||
	    put(fd, gpt->entries, gpt_entries_bytes(gpt), gpt->entries_lba[GPT_LAST] * sector))
		return error_set(-errno,
				 "there can be no copy of its partition table in memory: %s",
				 strerror(errno));
	return take_fd(&fd);
}

static int refused(int code, const char *step)
{
	return error_set(code, "libfdisk does not %s: %s", step, strerror(-code));
}

static int fill_partition(struct fdisk_context *context, struct fdisk_partition *partition,
			  size_t index, const struct gpt *before, const struct addition *addition)
{
	struct fdisk_parttype *type =
		fdisk_label_parse_parttype(fdisk_get_label(context, NULL), PARTITION_TYPE);
	int result = type ? 0 : -EINVAL;

	if (!result)
		result = fdisk_partition_set_type(partition, type);
	if (!result)
		result = fdisk_partition_set_partno(partition, index);
	if (!result)
		result = fdisk_partition_set_start(partition, addition->place.start_bytes /
								      before->sector_bytes);
	if (!result)
		result = fdisk_partition_set_size(partition, addition->place.size_bytes /
								     before->sector_bytes);
	if (!result)
		result = fdisk_partition_size_explicit(partition, 1);
	if (!result)
		result = fdisk_partition_set_name(partition, addition->label);
	fdisk_unref_parttype(type);
	return result;
}

static int add(struct fdisk_context *context, int fd, size_t index, const struct gpt *before,
	       const struct addition *addition)
{
	struct fdisk_partition *partition = fdisk_new_partition();
	int result = partition ? 0 : -ENOMEM;

	/* Nobody is asked anything, and a file in memory has no sectors of its own. */
	if (!result)
		result = fdisk_disable_dialogs(context, 1);
	if (!result)
		result = fdisk_save_user_sector_size(context, before->sector_bytes,
						     before->sector_bytes);
	if (!result)
		result = fdisk_assign_device_by_fd(context, fd, "gpt", 0);
	if (!result && !fdisk_is_label(context, GPT))
		result = -EINVAL;
	if (!result)
		result = fill_partition(context, partition, index, before, addition);
	if (!result)
		result = fdisk_add_partition(context, partition, NULL);
	if (!result)
		result = fdisk_write_disklabel(context);
	fdisk_unref_partition(partition);
	return result;
}

/* All of its bytes but the UUID, which is made up. */
static bool entry_as_wanted(const struct gpt *after, unsigned number,
			    const struct addition *addition)
{
	static const unsigned char type[] = { 0xaf, 0x3d, 0xc6, 0x0f, 0x83, 0x84, 0x72, 0x47,
					      0x8e, 0x79, 0x3d, 0x69, 0xd8, 0x47, 0x7d, 0xe4 };
	enum { UUID = 16, FIRST = 32, LAST = 40, NAME = 56 };
	const unsigned char *entry = after->entries + (size_t)(number - 1) * after->entry_bytes;
	uint64_t start = addition->place.start_bytes / after->sector_bytes;
	uint64_t first = htole64(start);
	uint64_t last = htole64(start + addition->place.size_bytes / after->sector_bytes - 1);
	unsigned char wanted[GPT_ENTRY_BYTES] = { 0 };

	memcpy(wanted, type, sizeof(type));
	memcpy(wanted + UUID, entry + UUID, FIRST - UUID);
	memcpy(wanted + FIRST, &first, sizeof(first));
	memcpy(wanted + LAST, &last, sizeof(last));
	for (size_t i = 0; i < GPT_NAME_UNITS && addition->label[i]; i++)
		wanted[NAME + 2 * i] = (unsigned char)addition->label[i];
	return !memcmp(entry, wanted, sizeof(wanted));
}

static bool uuid_is_new(const struct gpt *after, unsigned number)
{
	struct gpt_partition made, other;

	if (!gpt_partition(after, number - 1, &made))
		return false;
	for (unsigned i = 0; i < after->entry_count; i++)
		if (i != number - 1 && gpt_partition(after, i, &other) &&
		    !strcmp(made.uuid, other.uuid))
			return false;
	return true;
}

bool addition_is_all(const struct gpt *before, const struct gpt *after, unsigned number,
		     const struct addition *addition)
{
	enum { CRC_FROM = 16, CRC_TO = 20, ENTRIES_CRC_FROM = 88, ENTRIES_CRC_TO = 92 };
	size_t sector = before->sector_bytes, entry = before->entry_bytes;
	size_t at = (number - 1) * entry, end = gpt_entries_bytes(before);
	struct gpt_partition was;

	if (after->sectors != before->sectors || after->sector_bytes != sector ||
	    gpt_entries_bytes(after) != end || !number || number > before->entry_count ||
	    gpt_partition(before, number - 1, &was))
		return false;
	for (int which = 0; which < GPT_COPIES; which++) {
		const unsigned char *old = before->headers[which], *new = after->headers[which];

		if (memcmp(old, new, CRC_FROM) ||
		    memcmp(old + CRC_TO, new + CRC_TO, ENTRIES_CRC_FROM - CRC_TO) ||
		    memcmp(old + ENTRIES_CRC_TO, new + ENTRIES_CRC_TO, sector - ENTRIES_CRC_TO))
			return false;
	}
	return !memcmp(before->entries, after->entries, at) &&
	       !memcmp(before->entries + at + GPT_ENTRY_BYTES,
		       after->entries + at + GPT_ENTRY_BYTES, entry - GPT_ENTRY_BYTES) &&
	       !memcmp(before->entries + at + entry, after->entries + at + entry,
		       end - at - entry) &&
	       entry_as_wanted(after, number, addition) && uuid_is_new(after, number);
}

int addition_make(struct gpt *after, unsigned *number, const struct gpt *before,
		  const struct addition *addition)
{
	*after = (struct gpt){ 0 };
	*number = gpt_first_blank(before);
	if (!*number)
		return error_set(-ENOSPC, "its GPT has no entry left for one more partition");
	_cleanup_close_ int fd = copy_in_memory(before);
	if (fd < 0)
		return fd;
	struct fdisk_context *context = fdisk_new_context();
	if (!context)
		return error_set(-ENOMEM, "out of memory for a copy of the partition table");
	int result = add(context, fd, *number - 1, before, addition);
	fdisk_unref_context(context);
	if (result)
		return refused(result, "add a partition there");
	result = gpt_read(after, fd, before->sectors * before->sector_bytes, before->sector_bytes);
	if (result)
		return result;
	if (!addition_is_all(before, after, *number, addition))
		return refused(-EINVAL, "leave the rest of the table as it was");
	/* A protective MBR of another size is as good, and stays. */
	memcpy(after->mbr, before->mbr, before->sector_bytes);
	return 0;
}
