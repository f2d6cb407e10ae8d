/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measure/kmsg.h"

#include "lib/cleanup.h"
#include "lib/error.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* RECORDS_MAX: a kernel that never stops talking does not hold the run up. */
enum { LEVEL_ERROR = 3, LEVEL_WARNING = 4, RECORD_BYTES = 8192, RECORDS_MAX = 65536 };

/*
 * Shell patterns (fnmatch(3)), the first that fits decides. The words are Linux 6.12's, the file of each
 * is told; what is no error there has a row in front of those that it would fit. level: the row is
 * for messages of this level and graver ones.
 */
static const struct {
	const char *pattern;
	enum kmsg_class class;
	unsigned level;
} rules[] = {
	/* block/blk-core.c, fs/buffer.c: requests that failed. A disk that cannot discard is none. */
	{ "operation not supported error, dev *", KMSG_NOTE, 7 },
	{ "* error, dev *, sector *", KMSG_ERROR, 7 },
	{ "Buffer I/O error on dev*", KMSG_ERROR, 7 },
	/* drivers/ata/libata-eh.c: "ata1.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen" */
	{ "ata[0-9]*: exception Emask *", KMSG_ERROR, 7 },
	{ "ata[0-9]*: failed command: *", KMSG_ERROR, 7 },
	{ "ata[0-9]*: hard resetting link", KMSG_ERROR, 7 },
	{ "ata[0-9]*: NCQ disabled due to *", KMSG_ERROR, 7 },
	{ "ata[0-9]*: limiting SATA link speed to *", KMSG_ERROR, 7 },
	/* drivers/scsi: "sd 0:0:0:0: [sda] tag#0 FAILED Result: hostbyte=DID_OK ..." */
	{ "sd * FAILED Result: *", KMSG_ERROR, 7 },
	{ "sd *Sense Key : Medium Error*", KMSG_ERROR, 7 },
	{ "sd *Sense Key : Hardware Error*", KMSG_ERROR, 7 },
	{ "sd *Sense Key : Aborted Command*", KMSG_ERROR, 7 },
	{ "*rejecting I/O to offline device*", KMSG_ERROR, 7 },
	{ "*Device offlined - not ready after error recovery*", KMSG_ERROR, 7 },
	/* drivers/nvme/host: "nvme nvme0: I/O tag 12 (100c) opcode 0x2 (I/O Cmd) QID 3 timeout, ..." */
	{ "nvme nvme*: I/O * timeout, *", KMSG_ERROR, 7 },
	{ "nvme nvme*: controller is down; will reset*", KMSG_ERROR, 7 },
	{ "nvme nvme*: Abort status: *", KMSG_ERROR, 7 },
	{ "nvme nvme*: Disabling device after reset failure*", KMSG_ERROR, 7 },
	{ "nvme[0-9]*: * @ LBA *, * blocks, *", KMSG_ERROR, 7 },
	{ "usb *: reset * USB device number *", KMSG_NOTE, 7 },
	/* fs/ext4, fs/jbd2 */
	{ "EXT4-fs error (device *", KMSG_ERROR, 7 },
	{ "EXT4-fs (*): *I/O error*", KMSG_ERROR, 7 },
	{ "EXT4-fs warning (device *): *I/O error *", KMSG_ERROR, 7 },
	{ "EXT4-fs (*): Remounting filesystem read-only*", KMSG_ERROR, 7 },
	{ "EXT4-fs (*): shut down requested*", KMSG_ERROR, 7 },
	{ "Aborting journal on device *", KMSG_ERROR, 7 },
	{ "JBD2: *[Ee]rror*", KMSG_ERROR, 7 },
	/* fs/xfs. An experimental feature is one that was asked for. */
	{ "XFS (*): EXPERIMENTAL *", KMSG_NOTE, 7 },
	{ "XFS (*): *I/O [Ee]rror*", KMSG_ERROR, 7 },
	{ "XFS (*): *[Cc]orruption*", KMSG_ERROR, 7 },
	{ "XFS (*): Metadata CRC error *", KMSG_ERROR, 7 },
	{ "XFS (*): Internal error *", KMSG_ERROR, 7 },
	{ "XFS (*): Filesystem has been shut down*", KMSG_ERROR, 7 },
	{ "XFS (*): Failing async write *", KMSG_ERROR, 7 },
	/* fs/f2fs, fs/btrfs: all that they call an error */
	{ "F2FS-fs (*): *", KMSG_ERROR, LEVEL_ERROR },
	{ "BTRFS error*", KMSG_ERROR, 7 },
	{ "BTRFS critical*", KMSG_ERROR, 7 },
	{ "BTRFS: error *", KMSG_ERROR, 7 },
	/* kernel/watchdog.c, hung_task.c, workqueue.c, rcu/ */
	{ "*BUG: soft lockup *", KMSG_ERROR, 7 },
	{ "*detected hard LOCKUP on *", KMSG_ERROR, 7 },
	{ "INFO: task *:* blocked for more than *", KMSG_ERROR, 7 },
	{ "*INFO: rcu* stall*", KMSG_ERROR, 7 },
	{ "rcu: *kthread starved for *", KMSG_ERROR, 7 },
	/* lib/bug.c, arch/x86: BUG(), oopses, what leads to a panic */
	{ "BUG: *", KMSG_ERROR, 7 },
	{ "kernel BUG at *", KMSG_ERROR, 7 },
	{ "Oops: *", KMSG_ERROR, 7 },
	{ "Internal error: Oops*", KMSG_ERROR, 7 },
	{ "general protection fault*", KMSG_ERROR, 7 },
	{ "Unable to handle kernel *", KMSG_ERROR, 7 },
	{ "Kernel panic - not syncing*", KMSG_ERROR, 7 },
};

enum kmsg_class kmsg_judge(unsigned level, const char *text)
{
	for (size_t i = 0; i < ARRAY_LENGTH(rules); i++)
		if (level <= rules[i].level && !fnmatch(rules[i].pattern, text, FNM_NOESCAPE))
			return rules[i].class;
	return level <= LEVEL_WARNING ? KMSG_NOTE : KMSG_NOTHING;
}

enum kmsg_class kmsg_parse(const char *record, size_t length, char *text, size_t size)
{
	const char *begin = memchr(record, ';', length), *end;
	char number[16] = "", *after;

	text[0] = '\0';
	memcpy(number, record, length < sizeof(number) - 1 ? length : sizeof(number) - 1);
	if (!begin || !isdigit((unsigned char)number[0]))
		return KMSG_NOTHING;
	/* Facility and level in one; the kernel's own facility is 0. */
	unsigned long priority = strtoul(number, &after, 10);
	if (*after != ',' || priority > 7)
		return KMSG_NOTHING;
	begin++;
	end = memchr(begin, '\n', length - (size_t)(begin - record));
	length = end ? (size_t)(end - begin) : length - (size_t)(begin - record);
	snprintf(text, size, "%.*s", (int)(length < size ? length : size), begin);
	return kmsg_judge((unsigned)priority, text);
}

static void drop_last_note(struct kmsg_lines *lines)
{
	unsigned last = lines->count;

	while (last && lines->lines[last - 1].class != KMSG_NOTE)
		last--;
	if (!last)
		return;
	memmove(&lines->lines[last - 1], &lines->lines[last],
		(lines->count - last) * sizeof(lines->lines[0]));
	lines->count--;
}

static void keep(struct kmsg_lines *lines, enum kmsg_class class, const char *text)
{
	lines->notes += class == KMSG_NOTE;
	lines->errors += class == KMSG_ERROR;
	if (lines->count == KMSG_LINES_MAX && class == KMSG_ERROR)
		drop_last_note(lines);
	if (lines->count == KMSG_LINES_MAX)
		return;
	struct kmsg_line *line = &lines->lines[lines->count++];
	line->class = class;
	snprintf(line->text, sizeof(line->text), "%s", text);
}

int kmsg_open(struct kmsg *kmsg, const char *path)
{
	kmsg->read = read;
	kmsg->fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (kmsg->fd >= 0 && lseek(kmsg->fd, 0, SEEK_END) >= 0)
		return 0;
	int error = errno;
	kmsg_close(kmsg);
	return error_set(-error, "cannot read the kernel's messages from %s: %s", path,
			 strerror(error));
}

void kmsg_read(const struct kmsg *kmsg, struct kmsg_lines *lines)
{
	char record[RECORD_BYTES], text[KMSG_TEXT_BYTES];

	for (unsigned i = 0; kmsg->fd >= 0 && i < RECORDS_MAX; i++) {
		ssize_t length = kmsg->read(kmsg->fd, record, sizeof(record));

		/* EPIPE: the next one was overwritten; what is read then is the oldest there is. */
		if (length < 0 && errno == EPIPE)
			lines->overwritten = true;
		if (length < 0 && (errno == EPIPE || errno == EINTR || errno == EINVAL))
			continue;
		if (length <= 0)
			return;
		enum kmsg_class class = kmsg_parse(record, (size_t)length, text, sizeof(text));
		if (class != KMSG_NOTHING)
			keep(lines, class, text);
	}
}

void kmsg_close(struct kmsg *kmsg)
{
	int fd = take_fd(&kmsg->fd);

	if (fd >= 0)
		close(fd);
}
