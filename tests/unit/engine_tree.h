/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small tree with all kinds of entries (strace takes 0.1 ms for each call), and a blit of it with or without timing each call. */
#ifndef BLITBENCH_TESTS_ENGINE_TREE_H
#define BLITBENCH_TESTS_ENGINE_TREE_H

#include "engine_fixture.h"

#include "blit/timed.h"

static bool timed; /* each call */

__attribute__((unused)) static void load_tree(void)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("#mtree\n", out);
	for (unsigned i = 0; i < 70; i++) {
		/* Of one mode each, so that the order does not matter. */
		fprintf(out,
			"./usr/d%u/e%u/f%u type=file mode=0%o uid=%u gid=%u size=100 inode=%u\n",
			i % 7, i % 20, i, i % 5 ? 0644 : 04755, i % 3, i % 2, 1 + i % 25);
		if (i % 4 == 0)
			fprintf(out, "./usr/d%u/e%u/l%u type=link link=x\n", i % 7, i % 20, i);
		if (i % 5 == 0)
			fprintf(out, "./usr/d%u/n%u type=file mode=0644 size=0\n", i % 7, i);
	}
	fclose(out);
	must_load(&workload, text, NULL);
}

__attribute__((unused)) static struct blit blit_of(const struct blit_method *method)
{
	static struct latency latency[TIMED_KINDS];

	site.latency = timed ? latency : NULL;
	return transaction_blit(&site, method, &workload.remove);
}

#endif
