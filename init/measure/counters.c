/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/counters.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/sysfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { SECTOR_BYTES = 512, KIBIBYTE = 1024 };

/* Reads up to `wanted` unsigned numbers; returns how many there were. */
static size_t read_numbers(const char *text, uint64_t *numbers, size_t wanted)
{
	size_t found = 0;

	while (found < wanted) {
		char *end;

		text += strspn(text, " \t");
		if (*text < '0' || *text > '9')
			break;
		numbers[found++] = strtoull(text, &end, 10);
		text = end;
	}
	return found;
}

int disk_counters_read(struct disk_counters *counters, const char *stat_path)
{
	/* The first 11 fields are as old as the file; discards (12 to 15) came with 4.18, flushes
	 * (16, 17) with 5.5. */
	enum {
		READS = 0,
		READ_SECTORS = 2,
		WRITES = 4,
		WRITE_SECTORS = 6,
		IN_FLIGHT = 8,
		OLD_FIELDS = 11,
		DISCARDS = 11,
		DISCARD_SECTORS = 13,
		FIELDS = 17
	};
	uint64_t field[FIELDS] = { 0 };
	char text[512];
	int result = sysfs_read(text, sizeof(text), "", "%s", stat_path);

	if (result == -ENOENT || result == -ENODEV)
		return error_set(-ENODEV,
				 "the disk that is measured is gone: the kernel no longer has %s; "
				 "was it pulled, or has its controller given it up?",
				 stat_path);
	if (result)
		return error_set(result, "cannot read the disk's counters in %s: %s", stat_path,
				 strerror(-result));
	if (read_numbers(text, field, FIELDS) < OLD_FIELDS)
		return error_set(-EINVAL, "%s has fewer than %d numbers: '%s'", stat_path,
				 OLD_FIELDS, text);
	*counters = (struct disk_counters){
		.reads = field[READS],
		.read_bytes = field[READ_SECTORS] * SECTOR_BYTES,
		.writes = field[WRITES],
		.write_bytes = field[WRITE_SECTORS] * SECTOR_BYTES,
		.discards = field[DISCARDS],
		.discard_bytes = field[DISCARD_SECTORS] * SECTOR_BYTES,
		.in_flight = field[IN_FLIGHT],
	};
	return 0;
}

struct disk_counters disk_counters_since(const struct disk_counters *before,
					 const struct disk_counters *after)
{
	return (struct disk_counters){
		.reads = after->reads - before->reads,
		.read_bytes = after->read_bytes - before->read_bytes,
		.writes = after->writes - before->writes,
		.write_bytes = after->write_bytes - before->write_bytes,
		.discards = after->discards - before->discards,
		.discard_bytes = after->discard_bytes - before->discard_bytes,
		.in_flight = after->in_flight,
	};
}

static double timeval_seconds(struct timeval time)
{
	return (double)time.tv_sec + (double)time.tv_usec / 1e6;
}

int cpu_counters_read(struct cpu_counters *counters, const char *root)
{
	/* proc(5): guest time is already part of user time, so the fields after steal are left
	 * alone. */
	enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
	static const char first_word[] = "cpu ";
	uint64_t field[FIELDS] = { 0 };
	double ticks_per_second = (double)sysconf(_SC_CLK_TCK);
	struct rusage usage;

	_cleanup_free_ char *text = sysfs_slurp(root, "/proc/stat");
	if (!text)
		return error_set(-errno, "cannot read %s/proc/stat: %s", root, strerror(errno));
	if (strncmp(text, first_word, strlen(first_word)) ||
	    read_numbers(text + strlen(first_word), field, FIELDS) <= IDLE)
		return error_set(-EINVAL, "%s/proc/stat does not begin with the times of all CPUs",
				 root);
	if (getrusage(RUSAGE_SELF, &usage))
		return error_set(-errno, "cannot read this process's CPU times: %s",
				 strerror(errno));
	*counters = (struct cpu_counters){
		.user_seconds = timeval_seconds(usage.ru_utime),
		.system_seconds = timeval_seconds(usage.ru_stime),
		.machine_busy_seconds = (double)(field[USER] + field[NICE] + field[SYSTEM] +
						 field[IRQ] + field[SOFTIRQ]) /
					ticks_per_second,
		.stolen_seconds = (double)field[STEAL] / ticks_per_second,
	};
	return 0;
}

struct cpu_counters cpu_counters_since(const struct cpu_counters *before,
				       const struct cpu_counters *after)
{
	return (struct cpu_counters){
		.user_seconds = after->user_seconds - before->user_seconds,
		.system_seconds = after->system_seconds - before->system_seconds,
		.machine_busy_seconds = after->machine_busy_seconds - before->machine_busy_seconds,
		.stolen_seconds = after->stolen_seconds - before->stolen_seconds,
	};
}

/* The first number of the line that begins with exactly this word. */
static bool line_number(const char *text, const char *word, uint64_t *number)
{
	size_t length = strlen(word);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, word, length) && (line[length] == ' ' || line[length] == '\t'))
			return read_numbers(line + length, number, 1) == 1;
	}
	return false;
}

/* slabinfo(5): the number after a slab's name is its active objects. */
static int read_slabs(struct cache_counters *counters, const char *inode_slab, const char *root)
{
	static const char version[] = "slabinfo - version: 2.";

	_cleanup_free_ char *text = sysfs_slurp(root, "/proc/slabinfo");
	if (!text)
		return error_set(
			-errno,
			"cannot read %s/proc/slabinfo: %s (it is root's, and needs a kernel with SLUB_DEBUG)",
			root, strerror(errno));
	if (strncmp(text, version, strlen(version)))
		return error_set(-EINVAL, "%s/proc/slabinfo is not of the known version 2", root);
	if (!line_number(text, inode_slab, &counters->inodes))
		return error_set(-ENOENT,
				 "%s/proc/slabinfo has no '%s': is the filesystem in this kernel?",
				 root, inode_slab);
	if (!line_number(text, "dentry", &counters->dentries))
		return error_set(-ENOENT, "%s/proc/slabinfo has no 'dentry'", root);
	return 0;
}

int cache_counters_read(struct cache_counters *counters, const char *inode_slab, const char *root)
{
	uint64_t buffers, cached;
	int result = read_slabs(counters, inode_slab, root);

	if (result)
		return result;
	_cleanup_free_ char *text = sysfs_slurp(root, "/proc/meminfo");
	if (!text)
		return error_set(-errno, "cannot read %s/proc/meminfo: %s", root, strerror(errno));
	if (!line_number(text, "Buffers:", &buffers) || !line_number(text, "Cached:", &cached))
		return error_set(-EINVAL, "%s/proc/meminfo has no Buffers or no Cached", root);
	counters->buffer_bytes = buffers * KIBIBYTE;
	counters->cached_bytes = cached * KIBIBYTE;
	return 0;
}
