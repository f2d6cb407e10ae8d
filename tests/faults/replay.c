/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads a log of a disk's writes and flushes, as QEMU's blklogwrites makes it (the format of the
 * kernel's dm-log-writes: Documentation/admin-guide/device-mapper/log-writes.rst): a superblock in
 * the first sector, then entries, each a sector of its own followed by the data it tells of.
 *
 * replay count LOG
 *	prints how many entries there are, and how many of them are flushes
 * replay cut LOG IMAGE COUNT SEED [FIRST SECTORS]
 *	IMAGE becomes what the disk may hold if the power goes after COUNT entries: all that was
 *	written before the last flush among them, and of the later writes each whole, torn between
 *	two sectors, or not at all, as SEED has it. SEED 0 keeps them all. With FIRST and SECTORS
 *	the image is that part of the disk; a write elsewhere is counted and left out. Prints kept,
 *	torn, lost and elsewhere.
 * replay acknowledged LOG JOURNAL START:SECTORS...
 *	JOURNAL lay in these extents of the disk. Prints for each of its lines the number of
 *	entries after which it was acknowledged: the first flush that ended after the line had been
 *	written whole; 0 if none did.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOG_FLUSH = 1, LOG_FUA = 2, LOG_DISCARD = 4, DISK_SECTOR = 512 };

static const uint64_t log_magic = 0x6a736677736872;

struct log_super {
	uint64_t magic, version, entries;
	uint32_t sector_bytes;
} __attribute__((packed));

struct log_entry {
	uint64_t sector, sectors, flags, data_bytes; /* sectors of the log's size */
} __attribute__((packed));

struct write_log {
	const uint8_t *bytes;
	uint64_t size, entries, sector_bytes;
};

struct step {
	uint64_t flags, start, length; /* bytes of the disk */
	const uint8_t *data;           /* NULL: none, or zeroes for a discard */
};

static _Noreturn void stop(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("replay: ", stderr);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	va_end(arguments);
	exit(2);
}

static const uint8_t *map(const char *path, uint64_t *size)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &status))
		stop("%s: %s", path, strerror(errno));
	*size = (uint64_t)status.st_size;
	if (!*size)
		stop("%s is empty", path);
	void *bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		stop("%s: %s", path, strerror(errno));
	close(fd);
	return bytes;
}

static struct write_log log_open(const char *path)
{
	struct write_log log;
	struct log_super super;

	log.bytes = map(path, &log.size);
	if (log.size < sizeof(super))
		stop("%s: too short to be a log", path);
	memcpy(&super, log.bytes, sizeof(super));
	log.entries = le64toh(super.entries);
	log.sector_bytes = le32toh(super.sector_bytes);
	if (le64toh(super.magic) != log_magic || le64toh(super.version) != 1 ||
	    log.sector_bytes < DISK_SECTOR)
		stop("%s: no log of writes", path);
	return log;
}

/* The entry at *at, which moves behind it. */
static struct step log_next(const struct write_log *log, uint64_t *at)
{
	struct log_entry entry;
	struct step step = { 0 };

	if (*at + log->sector_bytes > log->size)
		stop("the log ends in the middle");
	memcpy(&entry, log->bytes + *at, sizeof(entry));
	*at += log->sector_bytes;
	step.flags = le64toh(entry.flags);
	step.start = le64toh(entry.sector) * log->sector_bytes;
	step.length = le64toh(entry.sectors) * log->sector_bytes;
	if (step.flags & LOG_DISCARD || !step.length)
		return step;
	if (step.length > log->size - *at)
		stop("the log ends in the middle of a write");
	step.data = log->bytes + *at;
	*at += step.length;
	return step;
}

static struct step *log_steps(const struct write_log *log)
{
	struct step *steps = calloc(log->entries + 1, sizeof(*steps));
	uint64_t at = log->sector_bytes;

	if (!steps)
		stop("out of memory");
	for (uint64_t i = 0; i < log->entries; i++)
		steps[i] = log_next(log, &at);
	return steps;
}

static uint64_t number(const char *text)
{
	char *end;
	errno = 0;
	uint64_t value = strtoull(text, &end, 10);

	if (errno || end == text || *end)
		stop("'%s' is no number", text);
	return value;
}

/* splitmix64: the same cuts from the same seed, wherever they are made. */
static uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* ---- count ---- */

static void count(const char *path)
{
	struct write_log log = log_open(path);
	struct step *steps = log_steps(&log);
	uint64_t flushes = 0;

	for (uint64_t i = 0; i < log.entries; i++)
		flushes += !!(steps[i].flags & LOG_FLUSH);
	printf("%" PRIu64 " %" PRIu64 "\n", log.entries, flushes);
	free(steps);
}

/* ---- cut ---- */

struct part {
	int fd;
	uint64_t first, length; /* bytes of the disk */
	uint64_t kept, torn, lost, elsewhere;
};

static void put(struct part *part, const struct step *step, uint64_t length)
{
	static const uint8_t zeroes[1 << 16];
	uint64_t done = 0;

	if (step->start < part->first || step->start + length > part->first + part->length) {
		part->elsewhere++;
		return;
	}
	while (done < length) {
		const uint8_t *from = step->data ? step->data + done : zeroes;
		uint64_t most = step->data || length - done < sizeof(zeroes) ? length - done
									     : sizeof(zeroes);
		ssize_t wrote =
			pwrite(part->fd, from, most, (off_t)(step->start - part->first + done));

		if (wrote <= 0)
			stop("writing the image: %s", strerror(errno));
		done += (uint64_t)wrote;
	}
}

/* Of a discard the disk keeps what was there, or zeroes; a torn one is no other case. */
static void put_maybe(struct part *part, const struct step *step, uint64_t *state)
{
	uint64_t sectors = step->length / DISK_SECTOR;

	switch (*state ? random_next(state) % 4 : 0) {
	case 0:
	case 1:
		part->kept++;
		put(part, step, step->length);
		break;
	case 2:
		part->lost++;
		break;
	default:
		if (sectors < 2) {
			part->lost++;
			break;
		}
		part->torn++;
		put(part, step, (1 + random_next(state) % (sectors - 1)) * DISK_SECTOR);
	}
}

static void cut(char **arguments, int given)
{
	struct write_log log = log_open(arguments[0]);
	uint64_t upto = number(arguments[2]), state = number(arguments[3]), flushed = 0;
	struct step *steps = log_steps(&log);
	struct part part = { .length = UINT64_MAX };
	struct stat status;

	if (upto > log.entries)
		stop("the log has %" PRIu64 " entries only", log.entries);
	part.fd = open(arguments[1], O_WRONLY | O_CLOEXEC);
	if (part.fd < 0 || fstat(part.fd, &status))
		stop("%s: %s", arguments[1], strerror(errno));
	if (given == 6) {
		part.first = number(arguments[4]) * DISK_SECTOR;
		part.length = number(arguments[5]) * DISK_SECTOR;
	}
	for (uint64_t i = 0; i < upto; i++)
		if (steps[i].flags & LOG_FLUSH)
			flushed = i;
	for (uint64_t i = 0; i < upto; i++) {
		if (!steps[i].length)
			continue;
		if (i < flushed || steps[i].flags & LOG_FUA) {
			part.kept++;
			put(&part, &steps[i], steps[i].length);
		} else {
			put_maybe(&part, &steps[i], &state);
		}
	}
	if (close(part.fd))
		stop("%s: %s", arguments[1], strerror(errno));
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", part.kept, part.torn, part.lost,
	       part.elsewhere);
	free(steps);
}

/* ---- acknowledged ---- */

/* Bytes of a file, where they lie on the disk, and the entry that last wrote each sector rightly.
 */
struct file {
	const uint8_t *text;
	uint64_t size, sectors;
	uint64_t *place; /* of each sector, in bytes of the disk */
	bool *seen;      /* bytes written as they are in the end */
};

static void file_place(struct file *file, char **extents, int count)
{
	uint64_t used = 0;

	for (int i = 0; i < count; i++) {
		char *colon = strchr(extents[i], ':');

		if (!colon)
			stop("'%s' is no START:SECTORS", extents[i]);
		*colon = '\0';
		uint64_t start = number(extents[i]), sectors = number(colon + 1);
		for (uint64_t j = 0; j < sectors && used < file->sectors; j++)
			file->place[used++] = (start + j) * DISK_SECTOR;
	}
	if (used < file->sectors)
		stop("the extents are shorter than the file");
}

/* Marks the bytes that this write left as they are in the end, and unmarks what it spoiled. */
static void file_note(struct file *file, const struct step *step)
{
	for (uint64_t i = 0; i < file->sectors; i++) {
		if (file->place[i] < step->start ||
		    file->place[i] + DISK_SECTOR > step->start + step->length)
			continue;
		const uint8_t *data =
			step->data ? step->data + (file->place[i] - step->start) : NULL;
		for (uint64_t j = i * DISK_SECTOR; j < file->size && j < (i + 1) * DISK_SECTOR; j++)
			file->seen[j] = data && data[j % DISK_SECTOR] == file->text[j];
	}
}

struct line {
	uint64_t start, end, written, acknowledged; /* bytes of the file; entries, counted from 1 */
};

static void lines_note(struct line *lines, size_t count, const struct file *file, uint64_t entry,
		       bool flush)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t at = lines[i].start;

		if (lines[i].acknowledged)
			continue;
		if (flush && lines[i].written) {
			lines[i].acknowledged = entry;
			continue;
		}
		while (!lines[i].written && at < lines[i].end && file->seen[at])
			at++;
		if (at == lines[i].end)
			lines[i].written = entry;
	}
}

static void acknowledged(char **arguments, int given)
{
	struct write_log log = log_open(arguments[0]);
	struct step *steps = log_steps(&log);
	struct file file = { 0 };
	size_t count = 0;

	file.text = map(arguments[1], &file.size);
	file.sectors = (file.size + DISK_SECTOR - 1) / DISK_SECTOR;
	file.place = calloc(file.sectors, sizeof(*file.place));
	file.seen = calloc(file.size, sizeof(*file.seen));
	struct line *lines = calloc(file.size, sizeof(*lines));
	if (!file.place || !file.seen || !lines)
		stop("out of memory");
	file_place(&file, arguments + 2, given - 2);
	for (uint64_t at = 0; at < file.size; count++) {
		const uint8_t *end = memchr(file.text + at, '\n', file.size - at);

		lines[count].start = at;
		lines[count].end = at = end ? (uint64_t)(end - file.text) + 1 : file.size;
	}
	for (uint64_t i = 0; i < log.entries; i++) {
		if (steps[i].length)
			file_note(&file, &steps[i]);
		lines_note(lines, count, &file, i + 1, steps[i].flags & LOG_FLUSH);
	}
	for (size_t i = 0; i < count; i++)
		printf("%" PRIu64 "\n", lines[i].acknowledged);
	free(lines);
	free(file.seen);
	free(file.place);
	free(steps);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "count") && argc == 3)
		count(argv[2]);
	else if (!strcmp(what, "cut") && (argc == 6 || argc == 8))
		cut(argv + 2, argc - 2);
	else if (!strcmp(what, "acknowledged") && argc > 4)
		acknowledged(argv + 2, argc - 2);
	else
		stop("usage: replay count LOG | cut LOG IMAGE COUNT SEED [FIRST SECTORS] | "
		     "acknowledged LOG JOURNAL START:SECTORS...");
	return 0;
}
