/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/others.h"

#include "lib/cleanup.h"
#include "lib/sysfs.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* "" where it cannot be read. */
static void stat_path(char path[192], dev_t number, const char *root)
{
	int length = snprintf(path, 192, "%s/sys/dev/block/%u:%u/stat", root, major(number),
			      minor(number));

	if (length < 0 || length >= 192 || access(path, R_OK))
		path[0] = '\0';
}

void others_find(struct others *others, dev_t target, dev_t results, const char *root)
{
	dev_t target_disk = target ? sysfs_whole_disk(target, root) : 0;
	dev_t results_disk = results ? sysfs_whole_disk(results, root) : 0;

	memset(others, 0, sizeof(*others));
	if (target_disk && target_disk != target) {
		stat_path(others->partition, target, root);
		stat_path(others->disk, target_disk, root);
	}
	if (!others->partition[0] || !others->disk[0])
		others->partition[0] = others->disk[0] = '\0';
	if (results_disk && results_disk != target_disk)
		stat_path(others->results, results_disk, root);
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
