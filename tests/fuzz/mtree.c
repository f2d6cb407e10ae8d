/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Manifests: what loads can be written, and loads again as the same workload. */
#include "feed.h"

#include "workload/output.h"
#include "workload/subset.h"
#include "workload/workload.h"

#include <string.h>

static void write_again(const struct workload *workload, const char *file)
{
	struct output output;

	if (output_start(&output, false, NULL) || output_begin(&output, file) ||
	    subset_each(&workload->remove, &workload->contents, workload->remove.entry_count,
			output_put, &output) ||
	    output_finish(&output))
		abort();
	output_free(&output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char file[64];
	struct workload first, second;

	if (!*file)
		snprintf(file, sizeof(file), "/dev/shm/blitbench-fuzz-%d.mtree", getpid());
	if (workload_read(&first, "fuzz", feed(data, size), NULL, NULL))
		return 0;
	write_again(&first, file);
	if (workload_read(&second, "fuzz", file, NULL, NULL))
		abort();
	if (strcmp(first.digest, second.digest))
		abort();
	workload_free(&first);
	workload_free(&second);
	unlink(file);
	return 0;
}
