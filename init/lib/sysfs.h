/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes the one-line files of sysfs and procfs. root is "" on a real machine and the top
 * of a hand-written tree in tests; path begins with a slash. Every function that formats takes
 * printf arguments.
 */
#ifndef BLITBENCH_LIB_SYSFS_H
#define BLITBENCH_LIB_SYSFS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The file's text without trailing white space. 0, or a negative errno (no sentence: absence is
 * often normal). */
int sysfs_read(char *buffer, size_t size, const char *root, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A decimal or 0x number. -EINVAL where the file holds something else. */
int sysfs_read_u64(uint64_t *value, const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes text; 0 or a negative errno with a sentence that names the file. */
int sysfs_write(const char *text, const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The numbers N of a directory's entries PREFIXN, upwards: cpu0 and cpu12 with "cpu". Returns how many;
 * freed by the caller. None where the directory cannot be read. */
size_t sysfs_numbers(unsigned **numbers, const char *prefix, const char *root, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The number of the disk that the block device is a partition of, or its own where it is a disk; 0 where it is not
 * in sysfs. */
dev_t sysfs_whole_disk(dev_t number, const char *root);

/* A whole file in memory, NUL-terminated, freed by the caller; NULL and errno set where it cannot
 * be read. */
char *sysfs_slurp(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
