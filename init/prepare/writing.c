/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prepare/writing.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/blkpg.h>
#include <string.h>
#include <sys/ioctl.h>

struct range {
	uint64_t start, length; /* bytes of the disk */
};

enum { ALLOWED = 6 };

/* Where bytes may change; everything else stays as it is. The protective MBR is not among it. */
static void allowed_ranges(struct range allowed[ALLOWED], const struct preparation *plan)
{
	const struct gpt *gpt = &plan->before;
	const struct gpt_space *place = &plan->addition.place;
	uint64_t sector = gpt->sector_bytes, entries = gpt_entries_bytes(gpt);

	allowed[0] = (struct range){ place->start_bytes, PREPARE_GRAIN_BYTES };
	allowed[1] = (struct range){ place->start_bytes + place->size_bytes - PREPARE_GRAIN_BYTES,
				     PREPARE_GRAIN_BYTES };
	allowed[2] = (struct range){ gpt->entries_lba[GPT_LAST] * sector, entries };
	allowed[3] = (struct range){ (gpt->sectors - 1) * sector, sector };
	allowed[4] = (struct range){ gpt->entries_lba[GPT_FIRST] * sector, entries };
	allowed[5] = (struct range){ sector, sector };
}

/* The one place that writes: a whole range that may be written, to the medium. */
static int write_range(int fd, const struct preparation *plan, int which,
		       const unsigned char *bytes)
{
	struct range allowed[ALLOWED];

	allowed_ranges(allowed, plan);
	uint64_t offset = allowed[which].start, left = allowed[which].length;
	while (left) {
		ssize_t written = pwrite(fd, bytes, left, (off_t)offset);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return -(written ? errno : EIO);
		bytes += written;
		offset += (uint64_t)written;
		left -= (uint64_t)written;
	}
	return fsync(fd) ? -errno : 0;
}

static int clear_ends(int fd, const struct preparation *plan)
{
	_cleanup_free_ unsigned char *zeroes = calloc(1, PREPARE_GRAIN_BYTES);

	if (!zeroes)
		return error_set(-ENOMEM, "out of memory; nothing was written to it");
	int result = write_range(fd, plan, 0, zeroes);
	if (!result)
		result = write_range(fd, plan, 1, zeroes);
	if (result)
		return error_set(result,
				 "its free space cannot be cleared: %s; its table is as it was",
				 strerror(-result));
	return 0;
}

/* Some signatures lie further in, such as the second header of an encrypted volume. */
static int check_blank(int fd, const struct preparation *plan)
{
	const struct gpt_space *place = &plan->addition.place;
	const char *type = NULL;
	blkid_probe probe = blkid_new_probe();
	int found = -1;

	if (probe && !blkid_probe_set_device(probe, fd, (blkid_loff_t)place->start_bytes,
					     (blkid_loff_t)place->size_bytes)) {
		blkid_probe_enable_superblocks(probe, 1);
		blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_BADCSUM);
		blkid_probe_enable_partitions(probe, 1);
		found = blkid_do_safeprobe(probe);
	}
	if (found == 0)
		blkid_probe_lookup_value(probe, "TYPE", &type, NULL);
	int result = found == 1 ? 0
				: error_set(-EEXIST,
					    "its free space still looks like %s where the "
					    "partition would be; its table is as it was",
					    type ? type : "something");
	blkid_free_probe(probe);
	return result;
}

static int write_table(int fd, const struct preparation *plan)
{
	int result = write_range(fd, plan, 2, plan->after.entries);

	if (!result)
		result = write_range(fd, plan, 3, plan->after.headers[GPT_LAST]);
	if (result)
		return error_set(result,
				 "the copy of its GPT at its end cannot be written: %s; the first "
				 "copy is as it was, and no partition was added",
				 strerror(-result));
	result = write_range(fd, plan, 4, plan->after.entries);
	if (!result)
		result = write_range(fd, plan, 5, plan->after.headers[GPT_FIRST]);
	if (result)
		return error_set(result,
				 "the first copy of its GPT cannot be written: %s; the copy at its "
				 "end is whole (sgdisk --verify, gdisk)",
				 strerror(-result));
	return 0;
}

static int check_written(int fd, const struct preparation *plan)
{
	struct gpt now;

	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); /* from the disk, not from memory */
	int result = gpt_read(&now, fd, plan->size_bytes, plan->before.sector_bytes);
	if (!result && !gpt_same(&now, &plan->after))
		result = error_set(-EIO, "its table reads back otherwise than it was written");
	gpt_free(&now);
	return result;
}

int writing_do(int fd, const struct preparation *plan)
{
	int result = clear_ends(fd, plan);

	if (!result)
		result = check_blank(fd, plan);
	if (!result)
		result = write_table(fd, plan);
	return result ? result : check_written(fd, plan);
}

int writing_tell_kernel(int fd, const struct preparation *plan)
{
	struct blkpg_partition partition = {
		.start = (long long)plan->addition.place.start_bytes,
		.length = (long long)plan->addition.place.size_bytes,
		.pno = (int)plan->number,
	};
	struct blkpg_ioctl_arg argument = { .op = BLKPG_ADD_PARTITION,
					    .datalen = sizeof(partition),
					    .data = &partition };

	return ioctl(fd, BLKPG, &argument) ? -errno : 0;
}
