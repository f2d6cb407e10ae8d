/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/target.h"

#include "disk/node.h"
#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

enum { WIPE_BYTES = 1 << 20 };

/* Since Linux 5.15; older headers lack it. */
#ifndef BLKGETDISKSEQ
#define BLKGETDISKSEQ _IOR(0x12, 128, __u64)
#endif

static uint64_t disk_sequence(int fd)
{
	uint64_t sequence = 0;

	return ioctl(fd, BLKGETDISKSEQ, &sequence) ? 0 : sequence;
}

static int changed(const struct target *target, const char *what)
{
	const struct block_device *was = &target->identity;

	return error_set(-ESTALE,
			 "the target is not what it was: %s (%s, label '%s', PARTUUID %s "
			 "on %s, serial %s); nothing is written to it",
			 what, was->name, was->partlabel, was->partuuid,
			 was->model[0] ? was->model : "a disk without a model name",
			 was->serial[0] ? was->serial : "unknown");
}

static int in_use(const struct target *target, const char *by)
{
	return error_set(-EBUSY, "the target %s is in use: %s; nothing is written to it",
			 target->identity.name, by);
}

/* The descriptor and the disk behind it are still the ones that were opened. */
static int check_descriptor(const struct target *target, int fd)
{
	struct stat status;
	uint64_t size;

	if (fstat(fd, &status) || !S_ISBLK(status.st_mode) ||
	    status.st_rdev != target->identity.number)
		return changed(target, "its descriptor is of another device");
	if (ioctl(fd, BLKGETSIZE64, &size))
		return changed(target, "it does not tell its size");
	if (size != target->identity.size_bytes)
		return changed(target, "its size has changed");
	if (disk_sequence(fd) != target->disk_sequence)
		return changed(target, "another disk has taken its place");
	return 0;
}

/* What a fresh scan says of the device that has the number now. */
static int check_identity(const struct target *target, const struct block_device *now)
{
	const struct block_device *was = &target->identity;

	if (!now->is_partition)
		return changed(target, "it is a whole disk");
	if (now->disk < 0)
		return changed(target, "nothing is known of its disk");
	if (now->table_differs)
		return changed(target, "the table on its disk no longer agrees with the kernel's");
	if (now->overlaps)
		return changed(target, "another partition, or the GPT, has bytes of it");
	if (strcmp(now->partuuid, was->partuuid))
		return changed(target, "its PARTUUID has changed");
	if (strcmp(now->partlabel, was->partlabel))
		return changed(target, "its partition label has changed");
	if (now->size_bytes != was->size_bytes || now->start_bytes != was->start_bytes)
		return changed(target, "its place or size on the disk has changed");
	if (strcmp(now->model, was->model) || strcmp(now->serial, was->serial))
		return changed(target, "its disk has another model or serial number");
	if (now->read_only)
		return changed(target, "it has become read-only");
	return 0;
}

static int check_scan(const struct target *target)
{
	struct device_list list;
	int result = devices_scan(&list, "");

	if (result)
		return result;
	const struct block_device *now = NULL;
	for (size_t i = 0; i < list.count; i++)
		if (list.devices[i].number == target->identity.number)
			now = &list.devices[i];
	result = now ? check_identity(target, now) : changed(target, "it has vanished");
	if (!result) {
		const struct block_device *disk = &list.devices[now->disk];

		if (now->mounted || disk->mounted)
			result = in_use(target, "it is mounted");
		else if (now->swap || disk->swap)
			result = in_use(target, "it is swap space");
		else if (now->holders[0])
			result = in_use(target, now->holders);
	}
	devices_free(&list);
	return result;
}

/* All of the last look. Its exclusive descriptor lets nobody come between it and a write. */
static int look(const struct target *target, int flags)
{
	int result = check_descriptor(target, target->held_fd);

	if (!result)
		result = check_scan(target);
	if (result)
		return result;
	_cleanup_close_ int fd = node_open(target->node, target->identity.number, flags | O_EXCL);
	if (fd == -EBUSY)
		return in_use(target, "another program or device has opened it exclusively");
	if (fd < 0)
		return fd == -ENXIO || fd == -ENODEV ? changed(target, "it has vanished") : fd;
	result = check_descriptor(target, fd);
	return result ? result : take_fd(&fd);
}

int target_last_look(const struct target *target)
{
	_cleanup_close_ int fd = look(target, O_RDONLY);

	return fd < 0 ? fd : 0;
}

int target_open(struct target *target, const struct block_device *chosen,
		const char *node_directory)
{
	unsigned major_number = major(chosen->number), minor_number = minor(chosen->number);

	memset(target, 0, sizeof(*target));
	target->held_fd = -1;
	target->identity = *chosen;
	if (!chosen->is_partition)
		return error_set(-EINVAL, "%s is no partition, so it is no target", chosen->name);
	if (mkdir(node_directory, 0700) && errno != EEXIST)
		return error_set(-errno, "cannot make the folder %s: %s", node_directory,
				 strerror(errno));
	if (snprintf(target->node_directory, sizeof(target->node_directory), "%s",
		     node_directory) >= (int)sizeof(target->node_directory) ||
	    snprintf(target->node, sizeof(target->node), "%s/target-%u-%u", node_directory,
		     major_number, minor_number) >= (int)sizeof(target->node))
		return error_set(-ENAMETOOLONG, "the folder's name %s is too long", node_directory);
	snprintf(target->stat_path, sizeof(target->stat_path), "/sys/dev/block/%u:%u/stat",
		 major_number, minor_number);
	int result = node_make(target->node, chosen->number);
	if (result)
		return result;
	target->held_fd = node_open(target->node, chosen->number, O_RDONLY);
	if (target->held_fd >= 0) {
		target->disk_sequence = disk_sequence(target->held_fd);
		result = target_last_look(target);
	} else {
		result = target->held_fd;
	}
	if (result)
		target_close(target);
	return result;
}

static int wipe_ends(const struct target *target, int fd)
{
	uint64_t size = target->identity.size_bytes, length = size < WIPE_BYTES ? size : WIPE_BYTES;
	uint64_t first[2] = { 0, length }, last[2] = { size - length, length };

	if (ioctl(fd, BLKZEROOUT, first) || ioctl(fd, BLKZEROOUT, last) || fsync(fd))
		return error_set(-errno, "cannot clear the ends of the target %s: %s",
				 target->identity.name, strerror(errno));
	return 0;
}

int target_discard(const struct target *target, struct discard_result *result)
{
	uint64_t range[2] = { 0, target->identity.size_bytes };

	memset(result, 0, sizeof(*result));
	_cleanup_close_ int fd = look(target, O_RDWR);
	if (fd < 0)
		return fd;
	double started = clock_seconds();
	if (ioctl(fd, BLKDISCARD, range) == 0) {
		result->done = true;
		result->seconds = clock_seconds() - started;
		snprintf(result->detail, sizeof(result->detail), "the whole partition");
	} else if (errno == EOPNOTSUPP) {
		snprintf(result->detail, sizeof(result->detail), "the disk does not support it");
	} else {
		return error_set(-errno, "cannot discard the target %s: %s", target->identity.name,
				 strerror(errno));
	}
	return wipe_ends(target, fd);
}

void target_close(struct target *target)
{
	if (target->node[0])
		unlink(target->node);
	if (target->held_fd >= 0)
		close(target->held_fd);
	target->node[0] = '\0';
	target->held_fd = -1;
}
