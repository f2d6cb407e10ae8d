/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Archives of all kinds, and what else there is to inspect. */
#include "feed.h"

#include "workload/examine.h"
#include "workload/figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct layout_figures figures;
	struct examined examined;

	if (examine(&examined, feed(data, size), NULL))
		return 0;
	if (layout_figures(&figures, &examined.workload.remove, &examined.workload.contents) ||
	    figures.entries != figures.files + figures.symlinks + figures.directories)
		abort();
	workload_free(&examined.workload);
	return 0;
}
