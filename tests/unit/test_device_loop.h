/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Real block devices for tests: files attached to loop devices, as root. Partitions are told to the
 * kernel one by one, since not every kernel reads GPT. Nothing else of the machine is written to.
 */
#ifndef BLITBENCH_TEST_DEVICE_LOOP_H
#define BLITBENCH_TEST_DEVICE_LOOP_H

#include "test_device_tree.h"

#include <ctype.h>

static char attached[8][32]; /* "loop3" */
static unsigned attached_count;
static int first_open = STDERR_FILENO + 1;

/* A partition label that no other process uses, since all tests see all of the machine's devices. */
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

static inline void need_loop_devices(void)
{
	first_open = dup(STDIN_FILENO);
	close(first_open);
	if (geteuid() || access("/dev/loop-control", R_OK | W_OK)) {
		print_message("needs root and loop devices\n");
		skip();
	}
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
	char *name = attached[attached_count++];

	snprintf(name, sizeof(attached[0]), "%s",
		 shell("losetup --find --show --partscan %s %s", options, file) + strlen("/dev/"));
	assert_int_equal(strncmp(name, "loop", 4), 0);
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

/*
 * Gives everything back, also what a failed test left mounted on "mnt" or open: descriptors that it
 * opened are numbers from first_open on.
 */
static inline int detach_all(void **state)
{
	if (attached_count)
		shell("! mountpoint -q mnt || umount mnt");
	close_range(first_open, ~0U, 0);
	while (attached_count) {
		const char *disk = attached[--attached_count];

		for (unsigned i = 1; i <= 2; i++) {
			char path[128];

			snprintf(path, sizeof(path), "/sys/class/block/%s",
				 partition_of(disk, i));
			if (!access(path, F_OK))
				shell("delpart /dev/%s %u", disk, i);
		}
		shell("losetup -d /dev/%s", disk);
	}
	return remove_top(state);
}

#endif
