/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/wire.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

#include "lib/base64.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/ranges.h"

enum { TAG_DIGITS = 6, CHECK_DIGITS = 8, DIGEST_DIGITS = 16, NUMBER_DIGITS = 5 };

/* More fields than the header, which has most. */
enum { FIELDS_MAX = 8 };

struct piece {
	uint8_t size; /* 0 = missing */
	uint8_t bytes[WIRE_BYTES];
};

/* All lines with one tag. */
struct frame {
	uint32_t tag;
	bool has_header, has_end;
	char name[WIRE_NAME_BYTES];
	size_t size, sent;
	uint64_t digest;
	struct piece *pieces; /* of the lines so far */
	size_t piece_count;
};

struct receiver {
	struct frame frames[WIRE_FOUND_MAX];
	size_t frame_count;
	struct ranges damaged;
	unsigned damaged_lines;
};

/* --- one line ------------------------------------------------------------------------------- */

/* The end of what ESC begins: a sequence with parameters, a title, or a single letter. */
static const char *after_escape(const char *at, const char *end)
{
	if (at < end && *at == '[') {
		do
			at++;
		while (at < end && *at >= ' ' && *at < '@');
		return at < end && *at >= '@' && *at < 0x7f ? at + 1 : at;
	}
	if (at < end && *at == ']') {
		while (at < end && *at != '\a' && *at != '\033')
			at++;
		return at < end && *at == '\a' ? at + 1 : at;
	}
	while (at < end && *at >= ' ' && *at < '0')
		at++;
	return at < end ? at + 1 : at;
}

/* Copies a line without escape sequences and controls, and ends it with NUL. */
static void clean(char *to, const char *from, size_t size)
{
	const char *end = from + size;

	while (from < end) {
		if (*from == '\033')
			from = after_escape(from + 1, end);
		else if ((unsigned char)*from < ' ')
			from++;
		else
			*to++ = *from++;
	}
	*to = '\0';
}

static bool read_number(uint64_t *number, const char *digits, int base, size_t width)
{
	size_t length = strspn(digits, base == 16 ? "0123456789abcdef" : "0123456789");

	if (!length || digits[length] || length > 16 || (width && length != width))
		return false;
	*number = strtoull(digits, NULL, base);
	return true;
}

/* Splits what has been found whole; returns how many fields it has. */
static size_t split(char *text, char *fields[FIELDS_MAX])
{
	size_t count = 0;

	while (text && count < FIELDS_MAX)
		fields[count++] = strsep(&text, ":");
	return text ? 0 : count;
}

/* How many fields a line of its kind has, by the letters behind the tag. */
static size_t wanted_fields(const char *kind)
{
	return !strncmp(kind, "begin:", 6) ? 8 : 4;
}

/*
 * The line at text, which stands behind the prefix, without its check: false where that is wrong, or
 * where it is none. What comes behind the check belongs to somebody else.
 */
static bool checked(char body[WIRE_LINE_BYTES], const char *text)
{
	size_t colons = wanted_fields(text + TAG_DIGITS + 1) - 1, length = 0;
	char digits[CHECK_DIGITS + 1];
	uint64_t check;

	for (; text[length] && colons && length < WIRE_LINE_BYTES; length++)
		colons -= text[length] == ':';
	if (colons)
		return false;
	snprintf(digits, sizeof(digits), "%.*s", CHECK_DIGITS, text + length);
	length--; /* the colon before the check */
	if (!read_number(&check, digits, 16, CHECK_DIGITS) || check != XXH32(text, length, 0))
		return false;
	memcpy(body, text, length);
	body[length] = '\0';
	return true;
}

static bool is_name(const char *name)
{
	size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-");

	return length && !name[length] && length < WIRE_NAME_BYTES && *name != '.';
}

/* tag:begin:NAME:zstd:BYTES:SENT:DIGEST */
static bool take_header(struct frame *frame, char *const *fields)
{
	uint64_t size, sent, digest;

	if (!is_name(fields[2]) || strcmp(fields[3], "zstd") || !read_number(&size, fields[4], 10, 0) ||
	    !read_number(&sent, fields[5], 10, 0) ||
	    !read_number(&digest, fields[6], 16, DIGEST_DIGITS) || size > WIRE_FILE_BYTES_MAX || !sent ||
	    sent > (uint64_t)WIRE_LINES_MAX * WIRE_BYTES)
		return false;
	strcpy(frame->name, fields[2]);
	frame->size = size;
	frame->sent = sent;
	frame->digest = digest;
	frame->has_header = true;
	return true;
}

static int make_room(struct frame *frame, size_t count)
{
	size_t grown = count + count / 2 + 64;
	struct piece *pieces;

	if (count <= frame->piece_count)
		return 0;
	pieces = realloc(frame->pieces, grown * sizeof(*pieces));
	if (!pieces)
		return error_set(-ENOMEM, "out of memory for the lines of a console");
	memset(pieces + frame->piece_count, 0, (grown - frame->piece_count) * sizeof(*pieces));
	frame->pieces = pieces;
	frame->piece_count = grown;
	return 0;
}

/* tag:NNNNN:LETTERS; 1 where it is none, else 0 or -ENOMEM. */
static int take_piece(struct frame *frame, char *const *fields)
{
	size_t length = strlen(fields[2]);
	struct piece piece;
	uint64_t number;
	int size, error;

	if (!read_number(&number, fields[1], 10, NUMBER_DIGITS) || !number || length > WIRE_LETTERS)
		return 1;
	size = base64_decode(piece.bytes, fields[2], length);
	if (size <= 0)
		return 1;
	error = make_room(frame, number);
	if (error)
		return error;
	piece.size = (uint8_t)size;
	frame->pieces[number - 1] = piece;
	return 0;
}

/* A log of many runs: the last ones are wanted. */
static struct frame *frame_of(struct receiver *receiver, uint32_t tag)
{
	for (size_t i = 0; i < receiver->frame_count; i++)
		if (receiver->frames[i].tag == tag)
			return &receiver->frames[i];
	if (receiver->frame_count == WIRE_FOUND_MAX) {
		free(receiver->frames[0].pieces);
		memmove(receiver->frames, receiver->frames + 1,
			--receiver->frame_count * sizeof(*receiver->frames));
	}
	receiver->frames[receiver->frame_count] = (struct frame){ .tag = tag };
	return &receiver->frames[receiver->frame_count++];
}

/* 1 where the text, which begins with a tag, is no whole line; else 0 or -ENOMEM. */
static int take_line(struct receiver *receiver, const char *text)
{
	char body[WIRE_LINE_BYTES], *fields[FIELDS_MAX];
	struct frame *frame;
	uint64_t tag;
	size_t count;

	if (!checked(body, text))
		return 1;
	count = split(body, fields);
	if (count < 3 || !read_number(&tag, fields[0], 16, TAG_DIGITS))
		return 1;
	frame = frame_of(receiver, (uint32_t)tag);
	if (count == 7)
		return !take_header(frame, fields);
	if (strcmp(fields[1], "end"))
		return take_piece(frame, fields);
	frame->has_end = true;
	return 0;
}

/* All that one line of the log has of ours, wherever it begins. */
static int take_log_line(struct receiver *receiver, const char *text, size_t number)
{
	static const char hex[] = "0123456789abcdef";
	bool damaged = false;

	while ((text = strstr(text, WIRE_PREFIX))) {
		int result;

		text += sizeof(WIRE_PREFIX) - 1;
		if (strspn(text, hex) != TAG_DIGITS || text[TAG_DIGITS] != ':')
			continue;
		result = take_line(receiver, text);
		if (result < 0)
			return result;
		damaged = damaged || result;
	}
	if (damaged) {
		receiver->damaged_lines++;
		ranges_add(&receiver->damaged, number);
	}
	return 0;
}

static int take_log(struct receiver *receiver, const char *log, size_t size)
{
	_cleanup_free_ char *line = malloc(size + 1);
	size_t number = 1;

	if (!line)
		return error_set(-ENOMEM, "out of memory for the log of a console");
	for (size_t start = 0; start < size; number++) {
		const char *end = memchr(log + start, '\n', size - start);
		size_t length = end ? (size_t)(end - log) - start : size - start;
		int error;

		clean(line, log + start, length);
		error = take_log_line(receiver, line, number);
		if (error)
			return error;
		start += length + 1;
	}
	return 0;
}

/* --- the files ------------------------------------------------------------------------------ */

static size_t size_of_piece(const struct frame *frame, size_t index)
{
	size_t left = frame->sent - index * WIRE_BYTES;

	return left < WIRE_BYTES ? left : WIRE_BYTES;
}

/* Puts the pieces together; where some are missing says which and returns NULL. */
static uint8_t *join(const struct frame *frame, struct wire_found *found)
{
	size_t count = (frame->sent + WIRE_BYTES - 1) / WIRE_BYTES, missing = 0;
	uint8_t *bytes = malloc(frame->sent);
	struct ranges which = ranges_start();

	for (size_t i = 0; i < count; i++) {
		size_t size = size_of_piece(frame, i);

		if (i >= frame->piece_count || frame->pieces[i].size != size) {
			ranges_add(&which, i + 1);
			missing++;
		} else if (bytes) {
			memcpy(bytes + i * WIRE_BYTES, frame->pieces[i].bytes, size);
		}
	}
	if (bytes && !missing)
		return bytes;
	free(bytes);
	if (missing)
		snprintf(found->problem, sizeof(found->problem),
			 "%zu of its %zu lines %s missing in every copy: %s%s", missing, count,
			 missing == 1 ? "is" : "are", ranges_words(&which),
			 frame->has_end ? "" : "; the log ends before the sending did");
	else
		snprintf(found->problem, sizeof(found->problem), "out of memory");
	return NULL;
}

static void unpack(const struct frame *frame, struct wire_found *found, const uint8_t *packed)
{
	char *bytes;

	/* Believed only where both say the same, so that nothing grows beyond what was announced. */
	if (ZSTD_getFrameContentSize(packed, frame->sent) != frame->size) {
		snprintf(found->problem, sizeof(found->problem),
			 "all its lines are there, but they hold no file of %zu bytes", frame->size);
		return;
	}
	bytes = malloc(frame->size + 1);
	if (!bytes) {
		snprintf(found->problem, sizeof(found->problem), "out of memory");
		return;
	}
	if (ZSTD_decompress(bytes, frame->size, packed, frame->sent) != frame->size ||
	    XXH3_64bits(bytes, frame->size) != frame->digest) {
		free(bytes);
		snprintf(found->problem, sizeof(found->problem),
			 "all its lines are there, but its digest is not the one that was announced");
		return;
	}
	bytes[frame->size] = '\0';
	found->bytes = bytes;
	found->size = frame->size;
}

static void finish(const struct frame *frame, struct wire_found *found)
{
	*found = (struct wire_found){ 0 };
	if (!frame->has_header) {
		snprintf(found->problem, sizeof(found->problem),
			 "the line that says what it is is missing in every copy");
		return;
	}
	strcpy(found->name, frame->name);
	_cleanup_free_ uint8_t *packed = join(frame, found);
	if (packed)
		unpack(frame, found, packed);
}

int wire_receive(struct wire_log *found, const char *log, size_t size)
{
	struct receiver *receiver = calloc(1, sizeof(*receiver));
	int error;

	*found = (struct wire_log){ 0 };
	if (!receiver)
		return error_set(-ENOMEM, "out of memory for the log of a console");
	receiver->damaged = ranges_start();
	error = take_log(receiver, log, size);
	for (size_t i = 0; i < receiver->frame_count; i++) {
		if (!error)
			finish(&receiver->frames[i], &found->files[found->count++]);
		free(receiver->frames[i].pieces);
	}
	found->damaged_lines = receiver->damaged_lines;
	snprintf(found->damaged, sizeof(found->damaged), "%s", ranges_words(&receiver->damaged));
	free(receiver);
	return error;
}

void wire_log_free(struct wire_log *found)
{
	for (size_t i = 0; i < found->count; i++)
		free(found->files[i].bytes);
	*found = (struct wire_log){ 0 };
}
