/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/results.h"

#include "disk/fat.h"
#include "disk/fat_check.h"
#include "disk/node.h"
#include "disk/words.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <time.h>

static const char volume_label[] = "BLITRESULTS";

/*
 * FAT keeps local time: UTC, as there is no time zone here. flush writes a file out when it is
 * closed rather than later, in the middle of a measurement.
 */
static const char mount_options[] = "tz=UTC,errors=remount-ro,flush,fmask=0133,dmask=0022";

enum { UNMOUNT_TRIES = 100, UNMOUNT_PAUSE_MILLISECONDS = 100 };

/* What surely is a partition of that label. */
static bool is_place(const struct device_list *list, const struct block_device *device)
{
	return device->is_partition && device->disk >= 0 && !device->table_differs &&
	       !device->overlaps && !strcmp(list->devices[device->disk].table_type, "gpt") &&
	       !strcmp(device->partlabel, volume_label);
}

static bool is_results(const struct device_list *list, const struct block_device *device)
{
	return is_place(list, device) && !strcmp(device->signature_type, "vfat") &&
	       !strcmp(device->signature_label, volume_label);
}

/* Half of the two labels, or in other case. */
static bool is_nearly_results(const struct block_device *device)
{
	return !strcasecmp(device->partlabel, volume_label) ||
	       !strcasecmp(device->signature_label, volume_label);
}

int results_find(const struct device_list *list)
{
	char text[1024], disk[400];
	struct words words = words_start(text, sizeof(text));
	int found = -1, count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!is_results(list, &list->devices[i]))
			continue;
		found = (int)i;
		words_add(&words, "%s%s on %s", count++ ? "; " : "", list->devices[i].name,
			  device_describe(list, i, disk, sizeof(disk)));
	}
	if (count > 1)
		return error_set(-EEXIST,
				 "%d results volumes (%s) were found: %s; leave only "
				 "one in",
				 count, volume_label, text);
	if (count == 1)
		return found;
	for (size_t i = 0; i < list->count; i++) {
		const struct block_device *device = &list->devices[i];

		if (is_nearly_results(device))
			words_add(&words,
				  "; but %s on %s has label '%s' and a filesystem '%s' "
				  "labelled '%s'",
				  device->name, device_describe(list, i, disk, sizeof(disk)),
				  device->partlabel, device->signature_type,
				  device->signature_label);
	}
	return error_set(-ENOENT,
			 "no results volume was found: a GPT partition labelled %s with a "
			 "FAT filesystem labelled %s%s; plug in the stick made from the image",
			 volume_label, volume_label, text);
}

int results_find_damaged(const struct device_list *list)
{
	int found = -1, count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!is_place(list, &list->devices[i]))
			continue;
		found = (int)i;
		count++;
	}
	return count == 1 && !*list->devices[found].signature_type ? found : -1;
}

int results_find_again(const struct device_list *list, const struct results *before)
{
	int found = -1, count = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (!is_results(list, &list->devices[i]) ||
		    strcmp(list->devices[i].partuuid, before->partuuid))
			continue;
		found = (int)i;
		count++;
	}
	if (count == 1 && *before->partuuid)
		return found;
	return count ? error_set(-EEXIST, "two copies of the results volume are plugged in")
		     : error_set(-ENODEV, "the results volume is gone");
}

int results_enable_flushes(const char *root, const char *disk, char *cache_type, size_t size)
{
	char path[PATH_MAX];
	struct dirent *entry;

	cache_type[0] = '\0';
	if (snprintf(path, sizeof(path), "%s/sys/class/block/%s/device/scsi_disk", root, disk) >=
	    (int)sizeof(path))
		return error_set(-ENAMETOOLONG, "the disk's name %s is too long", disk);
	_cleanup_closedir_ DIR *directory = opendir(path);
	while (directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.' ||
		    sysfs_read(cache_type, size, "", "%s/%s/cache_type", path, entry->d_name))
			continue;
		if (!strcmp(cache_type, "write back"))
			return 0;
		/* "temporary" tells only the kernel; the stick itself might refuse. */
		int result = sysfs_write("temporary write back", "", "%s/%s/cache_type", path,
					 entry->d_name);
		if (!result)
			sysfs_read(cache_type, size, "", "%s/%s/cache_type", path, entry->d_name);
		return result;
	}
	return 0;
}

static int mount_number(const char *node, const char *mountpoint)
{
	unsigned long flags = MS_NOATIME | MS_NODEV | MS_NOSUID | MS_NOEXEC;

	if (mkdir(mountpoint, 0700) && errno != EEXIST)
		return error_set(-errno, "cannot make the folder %s: %s", mountpoint,
				 strerror(errno));
	if (mount(node, mountpoint, "vfat", flags, mount_options))
		return error_set(-errno, "cannot mount the results volume: %s%s", strerror(errno),
				 errno == EROFS || errno == EACCES
					 ? "; look for a write-protect switch"
					 : "");
	return 0;
}

/* The copy of its boot sector says whose it is. */
static int restore_boot_sector(struct results *results, const char *node, uint64_t size_bytes)
{
	struct fat copy;

	_cleanup_close_ int fd = node_open(node, results->number, O_RDWR);
	if (fd < 0)
		return fd;
	int result = fat_read_copy(fd, size_bytes, &copy);
	if (result)
		return result;
	if (strcmp(copy.label, volume_label))
		return error_set(-EUCLEAN,
				 "its boot sector is damaged, and the copy is of another volume");
	result = fat_restore(fd, size_bytes);
	if (!result)
		snprintf(results->repairs, sizeof(results->repairs),
			 "the boot sector was damaged, its copy was put in its place / ");
	return result;
}

/* Leaves a FAT that can be mounted and is the one that is expected. */
static int prepare_fat(struct results *results, const char *node,
		       const struct block_device *device, const struct results *before)
{
	struct fat fat;
	int result = fat_read(results->held_fd, device->size_bytes, &fat);

	if (result == -EUCLEAN && !before)
		result = restore_boot_sector(results, node, device->size_bytes) ?:
			 fat_read(results->held_fd, device->size_bytes, &fat);
	if (result)
		return result;
	if (before && fat.serial != before->serial)
		return error_set(-ENODEV, "it was formatted anew");
	results->serial = fat.serial;
	size_t used = strlen(results->repairs);
	return fat_check(node, results->repairs + used, sizeof(results->repairs) - used);
}

static int mount_node(struct results *results, const char *node, const struct block_device *device,
		      const struct results *before)
{
	results->held_fd = node_open(node, device->number, O_RDONLY);
	if (results->held_fd < 0)
		return results->held_fd;
	int result = prepare_fat(results, node, device, before);
	if (result)
		return error_prefix(result, "the results volume %s cannot be used", device->name);
	return mount_number(node, results->mountpoint);
}

int results_mount(struct results *results, const struct device_list *list, size_t index,
		  const char *mountpoint, const struct results *before)
{
	const struct block_device *device = &list->devices[index];
	char node[sizeof(results->mountpoint) + 8];

	*results = RESULTS_NONE;
	if (snprintf(results->mountpoint, sizeof(results->mountpoint), "%s", mountpoint) >=
	    (int)sizeof(results->mountpoint))
		return error_set(-ENAMETOOLONG, "the folder's name %s is too long", mountpoint);
	if (device->read_only)
		return error_set(-EROFS, "the results volume %s is read-only: look for a "
					 "write-protect switch", device->name);
	/* A stick that will not have it works all the same, only less surely; cache_type tells. */
	if (device->disk >= 0)
		results_enable_flushes("", list->devices[device->disk].name, results->cache_type,
				       sizeof(results->cache_type));

	snprintf(results->partuuid, sizeof(results->partuuid), "%s", device->partuuid);
	snprintf(node, sizeof(node), "%s.node", mountpoint);
	int result = node_make(node, device->number);
	if (result)
		return result;
	results->number = device->number;
	result = mount_node(results, node, device, before);
	unlink(node);
	if (!result)
		return 0;
	if (results->held_fd >= 0)
		close(take_fd(&results->held_fd));
	results->number = 0;
	return result;
}

/* The volume's top folder, and never the folder below it where it is not mounted. */
static int open_top(const struct results *results)
{
	struct stat status;

	_cleanup_close_ int fd = open(results->mountpoint, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status))
		return error_set(-errno, "cannot open %s: %s", results->mountpoint,
				 strerror(errno));
	if (!results->number || status.st_dev != results->number)
		return error_set(-ENODEV, "the results volume is not mounted on %s",
				 results->mountpoint);
	return take_fd(&fd);
}

/* FAT knows neither all characters nor case. */
static bool is_plain_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isalnum((unsigned char)*at) && *at != '-')
			return false;
	return *name && strlen(name) <= 64;
}

static int open_run(struct results *results, const char *run_id, bool existing)
{
	char path[sizeof(results->run_path)];

	if (!is_plain_name(run_id))
		return error_set(-EINVAL, "'%s' is no name for a run: letters, digits and '-'",
				 run_id);
	snprintf(path, sizeof(path), "runs/%s", run_id);
	_cleanup_close_ int top = open_top(results);
	if (top < 0)
		return top;
	if (mkdirat(top, "runs", 0755) && errno != EEXIST)
		return error_set(-errno, "cannot make the folder runs on the results volume: %s",
				 strerror(errno));
	_cleanup_close_ int runs = openat(top, "runs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (runs < 0 || (mkdirat(runs, run_id, 0755) && !(existing && errno == EEXIST)))
		return error_set(-errno, "cannot make the folder %s on the results volume: %s",
				 path, strerror(errno));
	_cleanup_close_ int run = openat(runs, run_id, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_close_ int sync = openat(runs, run_id, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (run < 0 || sync < 0 || fsync(run) || fsync(runs) || fsync(top))
		return error_set(-errno, "cannot flush the folder %s to the results volume: %s",
				 path, strerror(errno));
	memcpy(results->run_path, path, sizeof(path));
	/* One left open would keep the volume mounted. Of two to sync by, the older tells of more. */
	if (results->run_fd >= 0)
		close(results->run_fd);
	results->run_fd = take_fd(&run);
	if (results->sync_fd < 0)
		results->sync_fd = take_fd(&sync);
	return 0;
}

int results_start_run(struct results *results, const char *run_id)
{
	return open_run(results, run_id, false);
}

int results_continue_run(struct results *results, const char *run_id)
{
	return open_run(results, run_id, true);
}

static int unmount(const char *mountpoint)
{
	struct timespec pause = { .tv_nsec = UNMOUNT_PAUSE_MILLISECONDS * 1000000L };

	for (int i = 0; umount2(mountpoint, 0); i++) {
		if (errno != EBUSY || i == UNMOUNT_TRIES)
			return error_set(-errno, "cannot unmount the results volume: %s",
					 strerror(errno));
		nanosleep(&pause, NULL);
	}
	return 0;
}

static int flush_volume(const struct results *results)
{
	_cleanup_close_ int top = open_top(results);

	if (top < 0)
		return top;
	if (results->run_fd >= 0 && fsync(results->run_fd))
		return error_set(-errno, "cannot flush the run's folder: %s", strerror(errno));
	if (syncfs(results->sync_fd >= 0 ? results->sync_fd : top))
		return error_set(-errno, "cannot flush the results volume: %s", strerror(errno));
	return 0;
}

static void close_run(struct results *results)
{
	if (results->run_fd >= 0)
		close(take_fd(&results->run_fd));
	if (results->sync_fd >= 0)
		close(take_fd(&results->sync_fd));
}

/*
 * Unmounting writes too; and a flush of the device reaches into the disk's own cache. What was read of
 * it is forgotten then, so that whoever looks again sees what is on the medium.
 */
static int let_go(struct results *results)
{
	int result = unmount(results->mountpoint);

	if (result)
		return result;
	results->number = 0;
	if (fsync(results->held_fd))
		result = error_set(-errno, "cannot flush the disk of the results volume: %s",
				   strerror(errno));
	ioctl(results->held_fd, BLKFLSBUF, 0);
	close(take_fd(&results->held_fd));
	return result;
}

int results_finish(struct results *results)
{
	int flushed = flush_volume(results), left = 0;
	char reason[512];

	snprintf(reason, sizeof(reason), "%s", error_text());
	close_run(results);
	/* One that could not be flushed is unmounted all the same: so it gets what it still takes. */
	if (flushed != -ENODEV)
		left = let_go(results);
	return flushed ? error_set(flushed, "%s", reason) : left;
}
