/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "prepare/preparation.h"

#include "disk/node.h"
#include "disk/words.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"
#include "prepare/choose.h"
#include "prepare/writing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

/* mkfs.xfs and hot runs want no less (docs/safety.md, too-small). */
#define LEAST_BYTES (1ULL << 30)

/* ---- opening, so that nobody else has it ---- */

static int open_disk(const struct preparation *plan, int flags)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/dev/%s", plan->root, plan->disk.name) >=
	    (int)sizeof(path))
		return error_set(-ENAMETOOLONG, "its name is too long");
	for (char *at = path + strlen(path) - strlen(plan->disk.name); *at; at++)
		if (*at == '!')
			*at = '/'; /* sysfs writes cciss!c0d0 for cciss/c0d0 */
	int fd = node_open(path, plan->disk.number, flags | O_EXCL);
	if (fd == -EBUSY)
		return error_set(-EBUSY,
				 "it is in use: another program or device has it, or a partition "
				 "of it, exclusively");
	return fd;
}

/* The name of the loop device that this image is, by what sysfs tells everybody; "" = none. */
static void loop_of(const struct stat *image, char name[NAME_MAX + 1])
{
	char path[PATH_MAX];
	struct stat status;
	_cleanup_closedir_ DIR *directory = opendir("/sys/class/block");

	name[0] = '\0';
	for (const struct dirent *entry; directory && (entry = readdir(directory));)
		if (!strncmp(entry->d_name, "loop", 4) &&
		    !sysfs_read(path, sizeof(path), "", "/sys/class/block/%s/loop/backing_file",
				entry->d_name) &&
		    !stat(path, &status) && status.st_dev == image->st_dev &&
		    status.st_ino == image->st_ino)
			strcpy(name, entry->d_name);
}

/* QEMU locks bytes of the images that it has open. A loop device, which may be mounted, does not.
 */
static int open_image(const struct preparation *plan, int flags)
{
	struct flock whole = { .l_type = flags == O_RDWR ? F_WRLCK : F_RDLCK,
			       .l_whence = SEEK_SET };
	struct stat status;
	char loop[NAME_MAX + 1];
	_cleanup_close_ int fd = open(plan->image, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return error_set(-errno, "cannot open it: %s", strerror(errno));
	if (fstat(fd, &status) || !S_ISREG(status.st_mode))
		return error_set(-EINVAL, "it is no file; a disk is named by --model and --serial");
	if (fcntl(fd, F_OFD_SETLK, &whole) && (errno == EAGAIN || errno == EACCES))
		return error_set(-EBUSY, "it is in use: another program has locked it");
	loop_of(&status, loop);
	if (*loop)
		return error_set(-EBUSY, "it is in use: it is the disk %s (losetup -d)", loop);
	return take_fd(&fd);
}

static int open_exclusively(const struct preparation *plan, int flags)
{
	return plan->image ? open_image(plan, flags) : open_disk(plan, flags);
}

static uint64_t disk_sequence(int fd)
{
	uint64_t sequence = 0;

	return ioctl(fd, BLKGETDISKSEQ, &sequence) ? 0 : sequence;
}

static uint64_t size_of(const struct preparation *plan, int fd)
{
	struct stat status;
	uint64_t size = 0;

	if (plan->image)
		return fstat(fd, &status) ? 0 : (uint64_t)status.st_size;
	return ioctl(fd, BLKGETSIZE64, &size) ? 0 : size;
}

/* ---- the plan ---- */

static int no_room(uint64_t free_bytes, uint64_t wanted)
{
	return error_set(-ENOSPC,
			 "there is no room: its largest free space has %s, and %s are %s; nothing "
			 "is shrunk, moved or deleted to make room",
			 size_binary(free_bytes).text, size_binary(wanted).text,
			 wanted == LEAST_BYTES ? "the least for a target" : "asked for");
}

static int find_place(struct preparation *plan, uint64_t size_bytes)
{
	struct gpt_space *place = &plan->addition.place;

	*place = gpt_largest_space(&plan->before, PREPARE_GRAIN_BYTES);
	if (place->size_bytes < LEAST_BYTES)
		return no_room(place->size_bytes, LEAST_BYTES);
	if (!size_bytes)
		return 0;
	if (size_bytes < LEAST_BYTES)
		return error_set(-EINVAL, "%s are too few: a target has %s at least",
				 size_binary(size_bytes).text, size_binary(LEAST_BYTES).text);
	if (size_bytes > place->size_bytes)
		return no_room(place->size_bytes, size_bytes);
	size_bytes += PREPARE_GRAIN_BYTES - 1;
	place->size_bytes = size_bytes - size_bytes % PREPARE_GRAIN_BYTES;
	return 0;
}

static int check_label(const struct preparation *plan)
{
	struct gpt_partition partition;

	for (unsigned i = 0; i < plan->before.entry_count; i++)
		if (gpt_partition(&plan->before, i, &partition) &&
		    !strcmp(partition.name, plan->addition.label))
			return error_set(-EEXIST, "its partition %u is labelled '%s' already",
					 partition.number, partition.name);
	return 0;
}

static int make_plan(struct preparation *plan, int fd, unsigned sector_bytes, uint64_t size_bytes)
{
	int result = gpt_read(&plan->before, fd, plan->size_bytes, sector_bytes);

	if (!result)
		result = check_label(plan);
	if (!result)
		result = find_place(plan, size_bytes);
	if (!result)
		result = addition_make(&plan->after, &plan->number, &plan->before, &plan->addition);
	return result;
}

/* A partition that the kernel does not know may be in use where nobody sees it. */
static int check_count(const struct preparation *plan, unsigned known)
{
	unsigned listed = gpt_partitions(&plan->before);

	if (known == listed)
		return 0;
	return error_set(-EPERM,
			 "its GPT lists %u partitions and the kernel knows %u; restart the machine",
			 listed, known);
}

static int plan_disk(struct preparation *plan, const struct device_list *list, size_t disk,
		     uint64_t size_bytes)
{
	int result = choose_check(list, disk, plan->addition.label, false);

	if (result)
		return result;
	_cleanup_close_ int fd = open_disk(plan, O_RDONLY);
	if (fd < 0)
		return fd;
	if (size_of(plan, fd) != plan->size_bytes)
		return error_set(-ESTALE, "its size has changed");
	plan->disk_sequence = disk_sequence(fd);
	result = make_plan(plan, fd, plan->disk.logical_sector_bytes, size_bytes);
	return result ? result : check_count(plan, choose_partitions(list, disk));
}

int preparation_of_disk(struct preparation *plan, const struct device_list *list, size_t disk,
			const char *root, const char *label, uint64_t size_bytes)
{
	char text[400];

	*plan = (struct preparation){ .disk = list->devices[disk],
				      .root = root,
				      .size_bytes = list->devices[disk].size_bytes,
				      .addition.label = label };
	int result = plan_disk(plan, list, disk, size_bytes);
	return result ? error_prefix(result, "%s", device_describe(list, disk, text, sizeof(text)))
		      : 0;
}

/* An image does not tell its sectors' size: its table lies in the second of them. */
static unsigned sector_of_image(int fd)
{
	char signature[8];

	return pread(fd, signature, sizeof(signature), 4096) == (ssize_t)sizeof(signature) &&
			       !memcmp(signature, "EFI PART", sizeof(signature))
		       ? 4096
		       : 512;
}

static int plan_image(struct preparation *plan, uint64_t size_bytes)
{
	struct stat status;
	_cleanup_close_ int fd = open_image(plan, O_RDONLY);

	if (fd < 0)
		return fd;
	if (fstat(fd, &status))
		return error_set(-errno, "cannot look at it: %s", strerror(errno));
	plan->image_device = status.st_dev;
	plan->image_inode = status.st_ino;
	plan->size_bytes = (uint64_t)status.st_size;
	return make_plan(plan, fd, sector_of_image(fd), size_bytes);
}

int preparation_of_image(struct preparation *plan, const char *path, const char *label,
			 uint64_t size_bytes)
{
	*plan = (struct preparation){ .image = path, .addition.label = label };
	int result = plan_image(plan, size_bytes);
	return result ? error_prefix(result, "%s", path) : 0;
}

void preparation_free(struct preparation *plan)
{
	gpt_free(&plan->before);
	gpt_free(&plan->after);
}

/* ---- right before the writing ---- */

static int changed(const char *what)
{
	return error_set(-ESTALE, "it is not what it was: %s; nothing was written to it", what);
}

static int check_image(const struct preparation *plan, int fd)
{
	struct stat status;

	if (fstat(fd, &status) || status.st_dev != plan->image_device ||
	    status.st_ino != plan->image_inode)
		return changed("another file has its name");
	return 0;
}

/* What a fresh scan says of the device that has the number now. */
static int check_identity(const struct preparation *plan, const struct device_list *list)
{
	const struct block_device *was = &plan->disk, *now = NULL;

	for (size_t i = 0; i < list->count; i++)
		if (list->devices[i].number == was->number)
			now = &list->devices[i];
	if (!now || now->is_partition)
		return changed("it has vanished");
	if (strcmp(now->model, was->model) || strcmp(now->serial, was->serial))
		return changed("it has another model or serial number");
	if (now->size_bytes != was->size_bytes ||
	    now->logical_sector_bytes != was->logical_sector_bytes)
		return changed("its size has changed");
	size_t index = (size_t)(now - list->devices);
	int result = choose_check(list, index, plan->addition.label, true);
	return result ? result : check_count(plan, choose_partitions(list, index));
}

static int check_disk(const struct preparation *plan, int fd)
{
	struct device_list list;

	if (disk_sequence(fd) != plan->disk_sequence)
		return changed("another disk has taken its place");
	int result = devices_scan(&list, plan->root);
	if (result)
		return result;
	result = check_identity(plan, &list);
	devices_free(&list);
	return result;
}

/* By the very descriptor that is written through, held exclusively from here to the end. */
static int last_look(const struct preparation *plan, int fd)
{
	struct gpt now;
	int result = plan->image ? check_image(plan, fd) : check_disk(plan, fd);

	if (result)
		return result;
	if (size_of(plan, fd) != plan->size_bytes)
		return changed("its size has changed");
	result = gpt_read(&now, fd, plan->size_bytes, plan->before.sector_bytes);
	if (!result && !gpt_same(&now, &plan->before))
		result = changed("its partition table has changed");
	gpt_free(&now);
	return result;
}

int preparation_write(const struct preparation *plan, bool *told)
{
	const char *name = plan->image ? plan->image : plan->disk.name;
	_cleanup_close_ int fd = open_exclusively(plan, O_RDWR);
	int result = fd < 0 ? fd : last_look(plan, fd);

	if (!result)
		result = writing_do(fd, plan);
	if (result)
		return error_prefix(result, "%s", name);
	*told = plan->image || !writing_tell_kernel(fd, plan);
	return 0;
}
