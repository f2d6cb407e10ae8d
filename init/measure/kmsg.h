/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says while something is measured: /dev/kmsg, read between trials and judged line by
 * line (Documentation/ABI/testing/dev-kmsg).
 */
#ifndef BLITBENCH_MEASURE_KMSG_H
#define BLITBENCH_MEASURE_KMSG_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum kmsg_class {
	KMSG_NOTHING,
	KMSG_NOTE, /* worth to be seen beside a figure */
	KMSG_ERROR /* an I/O error, a lockup, a stall, a BUG: no figure is to be trusted */
};

/* The disk that is measured and its partition, as the kernel calls them: "sda", "sda1"; "" = none. */
struct kmsg_devices {
	char names[2][64];
};

/*
 * The pure rule. level: 0 (emergency) to 7 (debug); text as the kernel prints it, without its time. An
 * error of a disk or filesystem that the text names is a note where it is none of ours; ours NULL: all
 * are.
 */
enum kmsg_class kmsg_judge(unsigned level, const char *text, const struct kmsg_devices *ours);

/*
 * One record as a read of /dev/kmsg returns it ("4,339,5140900,-;text\n KEY=value\n"): its class, and
 * its text, cut to size. What is no record, and what programs have written there, is KMSG_NOTHING.
 */
enum kmsg_class kmsg_parse(const char *record, size_t length, const struct kmsg_devices *ours,
			   char *text, size_t size);

enum { KMSG_LINES_MAX = 16, KMSG_TEXT_BYTES = 240 };

struct kmsg_line {
	enum kmsg_class class;
	char text[KMSG_TEXT_BYTES];
};

/* Of more lines than there is room for the first stay, but an error pushes out the last note. */
struct kmsg_lines {
	struct kmsg_line lines[KMSG_LINES_MAX];
	unsigned count;
	unsigned notes, errors; /* of all that were read */
	bool overwritten;	/* the kernel said more than its memory for it holds */
};

struct kmsg {
	int fd; /* -1: cannot be read */
	struct kmsg_devices ours;
	ssize_t (*read)(int fd, void *buffer, size_t size); /* read(2), but in tests */
};

/* From now on: what was said before is passed over. Where it cannot be read fd is -1, and a negative
 * errno with a sentence is returned. No device is ours yet. */
int kmsg_open(struct kmsg *kmsg, const char *path);

/* Adds what was said since the last call. Never waits. */
void kmsg_read(const struct kmsg *kmsg, struct kmsg_lines *lines);

void kmsg_close(struct kmsg *kmsg);

#endif
