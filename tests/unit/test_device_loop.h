/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real block devices for tests: files attached to loop devices, as root. Partitions are told to the
 * kernel one by one, since not every kernel reads GPT. Nothing else of the machine is written to.
 */
#ifndef BLITBENCH_TEST_DEVICE_LOOP_H
#define BLITBENCH_TEST_DEVICE_LOOP_H

#include "test_device_tree.h"

#include <sys/file.h>

static char attached[8][32]; /* "loop3" */
static unsigned attached_count;
static int loop_lock = -1;

/* A partition label that nobody else uses, since all tests see all of the machine's devices. */
static inline const char *own_label(void)
{
	static char label[36];

	snprintf(label, sizeof(label), "blitbench-%d", getpid());
	return label;
}

/* Runs a command in the folder, sbin included; gives the first line that it prints. */
static inline __attribute__((format(printf, 1, 2))) const char *shell(const char *format, ...)
{
	static char line[256];
	char command[1024], whole[1200];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	snprintf(whole, sizeof(whole),
		 "cd %s && export PATH=$PATH:/usr/sbin:/sbin && { %s; } 2>>log", top, command);
	FILE *pipe = popen(whole, "r");
	assert_non_null(pipe);
	if (!fgets(line, sizeof(line), pipe))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	int status = pclose(pipe);
	if (status)
		print_error("%s: status %d\n", command, status);
	assert_int_equal(status, 0);
	return line;
}

/*
 * One test at a time: a scan opens every partition exclusively for a moment, and so would be in the
 * way of another. The lock is held until detach_all.
 */
static inline void need_loop_devices(void)
{
	if (geteuid() || access("/dev/loop-control", R_OK | W_OK)) {
		print_message("needs root and loop devices\n");
		skip();
	}
	loop_lock = open("/tmp/blitbench-loop-devices.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(loop_lock >= 0);
	assert_int_equal(flock(loop_lock, LOCK_EX), 0);
}

/* The name of a partition of the disk, "loop3p1". */
static inline const char *partition_of(const char *disk, unsigned number)
{
	static char name[64];

	snprintf(name, sizeof(name), "%sp%u", disk, number);
	return name;
}

static inline void add_partition(const char *disk, unsigned number, unsigned long long start_sector,
				 unsigned long long sectors)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/block/%s", partition_of(disk, number));
	if (access(path, F_OK))
		shell("addpart /dev/%s %u %llu %llu", disk, number, start_sector, sectors);
}

static inline const char *attach(const char *file, const char *options)
{
	char *name = attached[attached_count];

	snprintf(name, sizeof(attached[0]), "%s",
		 shell("losetup --find --show --partscan %s %s", options, file) + strlen("/dev/"));
	assert_int_equal(strncmp(name, "loop", 4), 0);
	attached_count++;
	return name;
}

/*
 * A GPT disk of 64 MiB: partition 1 of 32 MiB from 1 MiB on with the given label, and 2, from 40
 * MiB, with "other".
 */
static inline const char *attach_gpt(const char *file, const char *label)
{
	shell("truncate -s 64M %s", file);
	shell("printf 'label: gpt\\n1: start=1MiB, size=32MiB, name=\"%s\"\\n"
	      "2: start=40MiB, size=16MiB, name=\"other\"\\n' | sfdisk -q --no-tell-kernel %s",
	      label, file);
	const char *disk = attach(file, "");
	add_partition(disk, 1, 2048, 65536);
	add_partition(disk, 2, 81920, 32768);
	return disk;
}

/* Gives everything back, also what a failed test left mounted on "mnt" or open. */
static inline int detach_all(void **state)
{
	if (attached_count)
		shell("! mountpoint -q mnt || umount mnt");
	if (loop_lock >= 0)
		close_range((unsigned)loop_lock + 1, ~0U, 0); /* all that came after it */
	while (attached_count) {
		const char *disk = attached[--attached_count];

		for (unsigned i = 1; i <= 2; i++) {
			char path[128];

			snprintf(path, sizeof(path), "/sys/class/block/%s",
				 partition_of(disk, i));
			if (!access(path, F_OK)) /* udev may have it open for a moment */
				shell("for i in 1 2 3 4 5 6 7 8 9; do delpart /dev/%s %u && break; "
				      "sleep 0.1; done", disk, i);
		}
		shell("losetup -d /dev/%s", disk);
	}
	if (loop_lock >= 0)
		close(loop_lock);
	loop_lock = -1;
	return remove_top(state);
}

#endif
