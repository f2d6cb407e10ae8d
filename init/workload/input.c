/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/input.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/pace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

enum { BLOCK_BYTES = 256 << 10, PEEK_BYTES = 512 };

struct input {
	int fd, error;
	bool regular;
	uint64_t size, read_bytes; /* read_bytes: by the block's end */
	size_t at, end;            /* of what was not taken of the block yet */
	const char *phase;
	const struct progress *progress;
	struct pace pace;
	unsigned char block[BLOCK_BYTES];
};

static int open_file(const char *file, struct stat *status)
{
	int fd = strcmp(file, "-") ? open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY)
				   : fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	int code;

	if (fd >= 0 && !fstat(fd, status)) {
		if (!S_ISDIR(status->st_mode))
			return fd;
		errno = EISDIR;
	}
	code = errno;
	if (fd >= 0)
		close(fd);
	return error_set(-code, "the file cannot be opened: %s", strerror(code));
}

int input_open(struct input **input, const char *file, const char *phase,
	       const struct progress *progress)
{
	struct stat status;
	int fd = open_file(file, &status);
	off_t start;

	*input = NULL;
	if (fd < 0)
		return fd;
	*input = malloc(sizeof(**input));
	if (!*input) {
		close(fd);
		return error_set(-ENOMEM, "out of memory for reading a file");
	}
	(*input)->fd = fd;
	(*input)->error = 0;
	/* A standard input that was read in part already is taken from there on. */
	start = S_ISREG(status.st_mode) ? lseek(fd, 0, SEEK_CUR) : -1;
	(*input)->regular = start == 0;
	(*input)->size = start == 0 ? (uint64_t)status.st_size : 0;
	(*input)->read_bytes = 0;
	(*input)->at = (*input)->end = 0;
	(*input)->phase = phase;
	(*input)->progress = progress;
	(*input)->pace = (struct pace){ 0 };
	return 0;
}

void input_close(struct input *input)
{
	if (!input)
		return;
	close(input->fd);
	free(input);
}

/* Reads behind the bytes that are there already. */
static int read_more(struct input *input)
{
	for (;;) {
		ssize_t bytes =
			read(input->fd, input->block + input->end, BLOCK_BYTES - input->end);
		int code = bytes < 0 ? errno : 0;

		/* After a signal it is asked at once: the next read may last for ever. */
		if (code == EINTR)
			input->pace = (struct pace){ 0 };
		if (pace_update(&input->pace, input->progress, input->phase, input->read_bytes,
				input->size))
			return input->error = error_set(-EINTR, "stopped while it was read");
		if (bytes >= 0) {
			input->end += (size_t)bytes;
			input->read_bytes += (uint64_t)bytes;
			return bytes > 0;
		}
		if (code != EINTR)
			return input->error = error_set(-code, "the file cannot be read: %s",
							strerror(code));
	}
}

int input_block(struct input *input, const void **block, size_t *bytes)
{
	int status = 0;

	if (input->at == input->end) {
		input->at = input->end = 0;
		status = read_more(input);
		if (status < 0)
			return status;
	}
	*block = input->block + input->at;
	*bytes = input->end - input->at;
	input->at = input->end;
	return 0;
}

void input_give_back(struct input *input, size_t bytes)
{
	input->at -= bytes;
}

int input_exactly(struct input *input, void *buffer, size_t bytes)
{
	for (size_t done = 0; done < bytes;) {
		const void *block;
		size_t length;
		int error = input_block(input, &block, &length);

		if (error)
			return error;
		if (!length)
			return error_set(-EINVAL,
					 "the file is cut off: it ends at byte %" PRIu64
					 ", where %zu more are needed; copy it again",
					 input->read_bytes, bytes - done);
		if (length > bytes - done) {
			input_give_back(input, length - (bytes - done));
			length = bytes - done;
		}
		memcpy((char *)buffer + done, block, length);
		done += length;
	}
	return 0;
}

int input_peek(struct input *input, void *buffer, size_t bytes)
{
	if (bytes > PEEK_BYTES)
		bytes = PEEK_BYTES;
	if (input->end - input->at < bytes) {
		memmove(input->block, input->block + input->at, input->end - input->at);
		input->end -= input->at;
		input->at = 0;
	}
	while (input->end - input->at < bytes) {
		int status = read_more(input);

		if (status < 0)
			return status;
		if (!status)
			bytes = input->end - input->at;
	}
	memcpy(buffer, input->block + input->at, bytes);
	return (int)bytes;
}

uint64_t input_offset(const struct input *input)
{
	return input->read_bytes - (input->end - input->at);
}

uint64_t input_size(const struct input *input)
{
	return input->size;
}

bool input_can_seek(const struct input *input)
{
	return input->regular;
}

int input_seek(struct input *input, uint64_t offset)
{
	if (!input->regular)
		return input->error = error_set(-ESPIPE, "it cannot be read from a pipe; give the "
							 "name of a file");
	if (offset > INT64_MAX || lseek(input->fd, (off_t)offset, SEEK_SET) < 0)
		return input->error = error_set(-EINVAL, "byte %" PRIu64 " cannot be reached: %s",
						offset, strerror(errno));
	input->at = input->end = 0;
	input->read_bytes = offset;
	return 0;
}

int input_error(const struct input *input)
{
	return input->error;
}
