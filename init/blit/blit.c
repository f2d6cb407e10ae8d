/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/blit.h"

#include "blit/crew.h"
#include "blit/walk.h"

#include <errno.h>
#include <unistd.h>

static void allow_descriptors(struct blit *blit)
{
	struct rlimit most;

	if (getrlimit(RLIMIT_NOFILE, &blit->descriptors))
		return;
	most = blit->descriptors;
	most.rlim_cur = most.rlim_max;
	setrlimit(RLIMIT_NOFILE, &most);
}

int blit_begin(struct blit *blit)
{
	int result = walk_new(&blit->walk, blit);

	blit->root = !geteuid();
	allow_descriptors(blit);
	return result ? result : crew_start(&blit->crew, blit->threads);
}

void blit_end(struct blit *blit)
{
	crew_end(&blit->crew);
	walk_free(&blit->walk);
	if (blit->descriptors.rlim_max)
		setrlimit(RLIMIT_NOFILE, &blit->descriptors);
}

int blit_failed(struct blit *blit, const struct entry *entry, const char *call)
{
	int error = errno;

	if (!__atomic_exchange_n(&blit->failed, true, __ATOMIC_ACQ_REL))
		blit->failure = (struct blit_failure){
			.entry = (uint32_t)(entry - blit->layout->entries),
			.call = call,
			.error = error,
		};
	return -error;
}

void blit_tell(struct blit *blit, const char *name, double value)
{
	if (blit->figure_count < BLIT_FIGURES_MAX)
		blit->figures[blit->figure_count++] = (struct blit_figure){ name, value };
}
