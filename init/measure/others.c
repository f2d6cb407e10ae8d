/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/others.h"

#include "lib/cleanup.h"
#include "lib/sysfs.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* The folder of a partition lies in that of its disk; ".." follows the link. */
static bool is_partition(dev_t number, const char *root)
{
	uint64_t index;

	return !sysfs_read_u64(&index, root, "/sys/dev/block/%u:%u/partition", major(number),
			       minor(number));
}

static void stat_path(char path[192], dev_t number, bool of_its_disk, const char *root)
{
	int length = snprintf(path, 192, "%s/sys/dev/block/%u:%u/%sstat", root, major(number),
			      minor(number), of_its_disk ? "../" : "");

	if (length < 0 || length >= 192 || access(path, R_OK))
		path[0] = '\0';
}

/* "8:0" of the whole disk. */
static bool disk_number(char text[32], dev_t number, const char *root)
{
	return !sysfs_read(text, 32, root, "/sys/dev/block/%u:%u/%sdev", major(number),
			   minor(number), is_partition(number, root) ? "../" : "");
}

void others_find(struct others *others, dev_t target, dev_t results, const char *root)
{
	char target_disk[32] = "", results_disk[32] = "";

	memset(others, 0, sizeof(*others));
	if (target && is_partition(target, root)) {
		stat_path(others->partition, target, false, root);
		stat_path(others->disk, target, true, root);
	}
	if (!others->partition[0] || !others->disk[0])
		others->partition[0] = others->disk[0] = '\0';
	if (!results || !disk_number(results_disk, results, root))
		return;
	if (target && disk_number(target_disk, target, root) && !strcmp(target_disk, results_disk))
		return;
	stat_path(others->results, results, is_partition(results, root), root);
}

static bool read_if(struct disk_counters *counters, const char *path)
{
	return path[0] && !disk_counters_read(counters, path);
}

void others_begin(const struct others *others, struct others_reading *begun)
{
	memset(begun, 0, sizeof(*begun));
	if (!others)
		return;
	begun->disk_known = read_if(&begun->partition, others->partition) &&
			    read_if(&begun->disk, others->disk);
	begun->results_known = read_if(&begun->results, others->results);
}

static uint64_t beyond(uint64_t all, uint64_t own)
{
	return all > own ? all - own : 0;
}

void others_end(const struct others *others, const struct others_reading *begun,
		struct others_io *io)
{
	struct disk_counters disk, partition, results;

	memset(io, 0, sizeof(*io));
	if (begun->disk_known && read_if(&disk, others->disk) &&
	    read_if(&partition, others->partition)) {
		struct disk_counters all = disk_counters_since(&begun->disk, &disk);
		struct disk_counters own = disk_counters_since(&begun->partition, &partition);

		io->disk_known = true;
		io->disk.reads = beyond(all.reads, own.reads);
		io->disk.read_bytes = beyond(all.read_bytes, own.read_bytes);
		io->disk.writes = beyond(all.writes, own.writes);
		io->disk.write_bytes = beyond(all.write_bytes, own.write_bytes);
		io->disk.discards = beyond(all.discards, own.discards);
	}
	if (begun->results_known && read_if(&results, others->results)) {
		io->results_known = true;
		io->results = disk_counters_since(&begun->results, &results);
	}
}

const char *others_words(const struct disk_counters *io, char *buffer, size_t size)
{
	const struct {
		uint64_t count, bytes;
		const char *noun;
	} parts[] = {
		{ io->reads, io->read_bytes, "read" },
		{ io->writes, io->write_bytes, "write" },
		{ io->discards, 0, "discard" },
	};
	size_t used = 0;

	buffer[0] = '\0';
	for (size_t i = 0; i < ARRAY_LENGTH(parts) && used < size; i++) {
		if (!parts[i].count)
			continue;
		int length = snprintf(buffer + used, size - used, "%s%llu %s%s", used ? ", " : "",
				      (unsigned long long)parts[i].count, parts[i].noun,
				      parts[i].count == 1 ? "" : "s");
		used += length > 0 ? (size_t)length : 0;
		if (!parts[i].bytes || used >= size)
			continue;
		length = snprintf(buffer + used, size - used, " (%llu bytes)",
				  (unsigned long long)parts[i].bytes);
		used += length > 0 ? (size_t)length : 0;
	}
	return buffer;
}
