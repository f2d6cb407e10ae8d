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
 * for messages of this level and graver ones. DEVICE: an error of the block device that the text names.
 */
enum kind { NOTE, ERROR, DEVICE };

static const struct rule {
	const char *pattern;
	enum kind kind;
	unsigned level;
} rules[] = {
	/* block/blk-core.c, fs/buffer.c: requests that failed. A disk that cannot discard is none. */
	{ "operation not supported error, dev *", NOTE, 7 },
	{ "* error, dev *, sector *", DEVICE, 7 },
	{ "Buffer I/O error on dev*", DEVICE, 7 },
	/* drivers/ata/libata-eh.c: "ata1.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen" */
	{ "ata[0-9]*: exception Emask *", ERROR, 7 },
	{ "ata[0-9]*: failed command: *", ERROR, 7 },
	{ "ata[0-9]*: hard resetting link", ERROR, 7 },
	{ "ata[0-9]*: NCQ disabled due to *", ERROR, 7 },
	{ "ata[0-9]*: limiting SATA link speed to *", ERROR, 7 },
	/* drivers/scsi: "sd 0:0:0:0: [sda] tag#0 FAILED Result: hostbyte=DID_OK ..." */
	{ "sd * FAILED Result: *", DEVICE, 7 },
	{ "sd *Sense Key : Medium Error*", DEVICE, 7 },
	{ "sd *Sense Key : Hardware Error*", DEVICE, 7 },
	{ "sd *Sense Key : Aborted Command*", DEVICE, 7 },
	{ "*rejecting I/O to offline device*", ERROR, 7 },
	{ "*Device offlined - not ready after error recovery*", ERROR, 7 },
	/* drivers/nvme/host: "nvme nvme0: I/O tag 12 (100c) opcode 0x2 (I/O Cmd) QID 3 timeout, ..." */
	{ "nvme nvme*: I/O * timeout, *", ERROR, 7 },
	{ "nvme nvme*: controller is down; will reset*", ERROR, 7 },
	{ "nvme nvme*: Abort status: *", ERROR, 7 },
	{ "nvme nvme*: Disabling device after reset failure*", ERROR, 7 },
	{ "nvme[0-9]*: * @ LBA *, * blocks, *", ERROR, 7 },
	{ "usb *: reset * USB device number *", NOTE, 7 },
	/* fs/ext4, fs/jbd2 */
	{ "EXT4-fs error (device *", DEVICE, 7 },
	{ "EXT4-fs (*): *I/O error*", DEVICE, 7 },
	{ "EXT4-fs warning (device *): *I/O error *", DEVICE, 7 },
	{ "EXT4-fs (*): Remounting filesystem read-only*", DEVICE, 7 },
	{ "EXT4-fs (*): shut down requested*", DEVICE, 7 },
	{ "Aborting journal on device *", DEVICE, 7 },
	{ "JBD2: *[Ee]rror*", DEVICE, 7 },
	/* fs/xfs. An experimental feature is one that was asked for. */
	{ "XFS (*): EXPERIMENTAL *", NOTE, 7 },
	{ "XFS (*): *I/O [Ee]rror*", DEVICE, 7 },
	{ "XFS (*): *[Cc]orruption*", DEVICE, 7 },
	{ "XFS (*): Metadata CRC error *", DEVICE, 7 },
	{ "XFS (*): Internal error *", DEVICE, 7 },
	{ "XFS (*): Filesystem has been shut down*", DEVICE, 7 },
	{ "XFS (*): Failing async write *", DEVICE, 7 },
	/* fs/f2fs, fs/btrfs: all that they call an error */
	{ "F2FS-fs (*): *", DEVICE, LEVEL_ERROR },
	{ "BTRFS error*", DEVICE, 7 },
	{ "BTRFS critical*", DEVICE, 7 },
	{ "BTRFS: error *", DEVICE, 7 },
	/* kernel/watchdog.c, hung_task.c, workqueue.c, rcu/ */
	{ "*BUG: soft lockup *", ERROR, 7 },
	{ "*detected hard LOCKUP on *", ERROR, 7 },
	{ "INFO: task *:* blocked for more than *", ERROR, 7 },
	{ "*INFO: rcu* stall*", ERROR, 7 },
	{ "rcu: *kthread starved for *", ERROR, 7 },
	/* lib/bug.c, arch/x86: BUG(), oopses, what leads to a panic */
	{ "BUG: *", ERROR, 7 },
	{ "kernel BUG at *", ERROR, 7 },
	{ "Oops: *", ERROR, 7 },
	{ "Internal error: Oops*", ERROR, 7 },
	{ "general protection fault*", ERROR, 7 },
	{ "Unable to handle kernel *", ERROR, 7 },
	{ "Kernel panic - not syncing*", ERROR, 7 },
};

/* With neither letter nor digit beside it: "sda1" is in "(sda1)" and in "sda1-8", "sda" is not. */
static bool mentions(const char *text, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = text; length && (at = strstr(at, name)); at++)
		if ((at == text || !isalnum((unsigned char)at[-1])) &&
		    !isalnum((unsigned char)at[length]))
			return true;
	return false;
}

enum kmsg_class kmsg_judge(unsigned level, const char *text, const struct kmsg_devices *ours)
{
	const struct rule *rule = NULL;

	for (size_t i = 0; i < ARRAY_LENGTH(rules) && !rule; i++)
		if (level <= rules[i].level && !fnmatch(rules[i].pattern, text, FNM_NOESCAPE))
			rule = &rules[i];
	if (!rule)
		return level <= LEVEL_WARNING ? KMSG_NOTE : KMSG_NOTHING;
	bool others = rule->kind == DEVICE && ours && !mentions(text, ours->names[0]) &&
		      !mentions(text, ours->names[1]);
	return rule->kind == NOTE || others ? KMSG_NOTE : KMSG_ERROR;
}

enum kmsg_class kmsg_parse(const char *record, size_t length, const struct kmsg_devices *ours,
			   char *text, size_t size)
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
	return kmsg_judge((unsigned)priority, text, ours);
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
	memset(kmsg, 0, sizeof(*kmsg));
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
		enum kmsg_class class =
			kmsg_parse(record, (size_t)length, &kmsg->ours, text, sizeof(text));
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
