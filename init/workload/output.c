/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/output.h"

#include "lib/error.h"
#include "workload/escape.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- where it goes --- */

static int status_of(const char *file, int standard, struct stat *status)
{
	return strcmp(file, "-") ? stat(file, status) : fstat(standard, status);
}

static int enough(void *context, const struct listed_entry *entry)
{
	(void)entry;
	*(bool *)context = true;
	return -ECANCELED;
}

/* One entry that can be read makes a manifest, damaged further down or not. */
static int check_replaced(const char *file)
{
	char shown[SENTENCE_NAME_BYTES];
	uint64_t special = 0;
	bool entry = false;

	if (!mtree_read(file, enough, &entry, &special, NULL) || entry)
		return 0;
	return error_set(-EEXIST,
			 "%s is there already and is no manifest, so it is not replaced; give "
			 "another name, or remove it",
			 escape_for_sentence(shown, file));
}

int output_check_sources(const char *file, char *const *sources, size_t count)
{
	char shown[SENTENCE_NAME_BYTES];
	struct stat status, source;

	/* A terminal or a null device may well be both. */
	if (status_of(file, STDOUT_FILENO, &status) || !S_ISREG(status.st_mode))
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!status_of(sources[i], STDIN_FILENO, &source) &&
		    source.st_dev == status.st_dev && source.st_ino == status.st_ino)
			return error_set(-EINVAL,
					 "%s is a source and cannot be the output too; give "
					 "another name for the output",
					 escape_for_sentence(shown, file));
	return 0;
}

int output_check(const char *file)
{
	char shown[SENTENCE_NAME_BYTES];
	struct stat status;

	/* What cannot be made is told when it is tried. */
	if (mtree_is_stdout(file) || stat(file, &status))
		return 0;
	escape_for_sentence(shown, file);
	if (S_ISDIR(status.st_mode))
		return error_set(-EISDIR, "%s is a directory; give the name of a file", shown);
	if (S_ISBLK(status.st_mode))
		return error_set(-EINVAL, "%s is a disk; give the name of a file", shown);
	return S_ISREG(status.st_mode) && status.st_size ? check_replaced(file) : 0;
}

/* --- writing --- */

int output_start(struct output *output, bool anonymise, const struct progress *progress)
{
	*output = (struct output){ .progress = progress };
	if (!anonymise)
		return 0;
	output->anonymiser = anonymiser_new();
	return output->anonymiser ? 0 : -ENOMEM;
}

int output_begin(struct output *output, const char *file)
{
	struct mtree_writer *writer = mtree_writer_open(file);

	if (!writer)
		return -EIO;
	output->writers[output->files++] = writer;
	return 0;
}

int output_put(void *context, const struct listed_entry *entry)
{
	struct output *output = context;
	struct listed_entry changed = *entry;
	int error = 0;

	if (pace_update(&output->pace, output->progress, "write entries", output->entries++, 0))
		return error_set(-EINTR, "stopped while the manifest was written");
	if (output->anonymiser)
		error = anonymise(output->anonymiser, &changed);
	return error ? error : mtree_writer_put(output->writers[output->files - 1], &changed);
}

int output_finish(struct output *output)
{
	for (unsigned i = 0; i < output->files; i++) {
		int error = mtree_writer_close(output->writers[i]);

		if (error)
			return error;
	}
	for (unsigned i = 0; i < output->files; i++) {
		int error = mtree_writer_publish(output->writers[i]);

		if (error)
			return error;
	}
	return 0;
}

void output_free(struct output *output)
{
	for (unsigned i = 0; i < output->files; i++)
		mtree_writer_free(output->writers[i]);
	anonymiser_free(output->anonymiser);
	*output = (struct output){ 0 };
}
