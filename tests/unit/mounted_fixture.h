/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small real filesystems for tests: a sparse file in the test's folder, mounted by way of a loop
 * device that goes with the mount. Needs root; a test is skipped where something is missing. */
#ifndef BLITBENCH_TESTS_MOUNTED_FIXTURE_H
#define BLITBENCH_TESTS_MOUNTED_FIXTURE_H

#include "workload_fixture.h"

#include <linux/types.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/statvfs.h>

/* Runs a command line in the test's folder; its status. */
__attribute__((unused, format(printf, 1, 2))) static int run_shell(const char *format, ...)
{
	char command[1024], whole[1200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	snprintf(whole, sizeof(whole),
		 "cd %s && export PATH=$PATH:/usr/sbin:/sbin && { %s; } >>shell.log 2>&1", top,
		 command);
	return system(whole);
}

/*
 * A fresh filesystem of so many MiB, mounted on "mounted"; skips the test where this machine cannot
 * have one. options are those of its mkfs.
 */
__attribute__((unused)) static void mount_fresh(const char *fs, unsigned mebibytes,
						const char *options)
{
	if (geteuid() || run_shell("command -v mkfs.%s && grep -qw %s /proc/filesystems && "
				   "losetup --find",
				   fs, fs)) {
		print_message("skipped: %s: needs root, its mkfs, the kernel's support and a loop "
			      "device\n",
			      fs);
		skip();
	}
	assert_int_equal(run_shell("rm -f image && truncate -s %uM image && mkfs.%s %s image && "
				   "mkdir -p mounted && mount -t %s -o loop image mounted",
				   mebibytes, fs, options, fs),
			 0);
}

/* Also where nothing is mounted. */
__attribute__((unused)) static void unmount_fresh(void)
{
	umount2(in_top("mounted"), 0);
}

/* Leaves so many MiB of the mounted filesystem to others. */
__attribute__((unused)) static void take_room(unsigned left_mebibytes)
{
	struct statvfs now;
	int fd = open(in_top("mounted/taken"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fstatvfs(fd, &now), 0);
	off_t bytes = (off_t)(now.f_bfree * now.f_frsize) - ((off_t)left_mebibytes << 20);
	assert_true(bytes > 0);
	assert_int_equal(posix_fallocate(fd, 0, bytes), 0);
	close(fd);
}

/* From now on every access is EIO: the request of ext4 and xfs that their own tests pull the plug
 * with (EXT4_IOC_SHUTDOWN, XFS_IOC_GOINGDOWN), with the log left as it is. */
__attribute__((unused)) static void pull_the_plug(void)
{
	uint32_t without_log = 2;
	int fd = open(in_top("mounted"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ioctl(fd, _IOR('X', 125, uint32_t), &without_log), 0);
	close(fd);
}

#endif
