/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/output.h"

#include "lib/error.h"

#include <errno.h>

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
