/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The priming that moss's users tried, before a blit as of January 2025: fstatat of every asset by
 * eight walkers, in the order in which one comes to them in the store, as `find | xargs -P 8 stat`.
 * What it leaves warm is the same for every engine, so that one of them is enough to see it by.
 */
#include "blit/crew.h"
#include "blit/rows.h"
#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { WALKERS = 8, ASSETS_AT_ONCE = 64 };

struct priming {
	const struct blit *blit;
	const char **paths; /* sorted */
	uint32_t next;      /* atomic */
	uint32_t failed;    /* atomic; index in paths, or UINT32_MAX */
	int error;          /* of the one that failed first */
};

static int by_path(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void note_failure(struct priming *priming, uint32_t index)
{
	uint32_t none = UINT32_MAX;
	int error = errno;

	if (__atomic_compare_exchange_n(&priming->failed, &none, index, false, __ATOMIC_RELAXED,
					__ATOMIC_RELAXED))
		priming->error = error;
}

static void stat_assets(void *context, unsigned number)
{
	struct priming *priming = context;
	uint32_t count = priming->blit->asset_count, first;

	(void)number;
	while ((first = __atomic_fetch_add(&priming->next, ASSETS_AT_ONCE, __ATOMIC_RELAXED)) <
	       count) {
		for (uint32_t i = first; i < count && i < first + ASSETS_AT_ONCE; i++) {
			struct stat status;

			if (!fstatat(priming->blit->store_fd, priming->paths[i], &status,
				     AT_SYMLINK_NOFOLLOW))
				continue;
			note_failure(priming, i);
			return;
		}
	}
}

static int primed_prime(struct blit *blit)
{
	_cleanup_free_ const char **paths = calloc((size_t)blit->asset_count + 1, sizeof(*paths));
	struct priming priming = { .blit = blit, .paths = paths, .failed = UINT32_MAX };
	struct crew *crew;

	if (!paths)
		return error_set(-ENOMEM, "out of memory for priming %u assets", blit->asset_count);
	for (uint32_t i = 0; i < blit->asset_count; i++)
		paths[i] = blit->asset_paths[i];
	qsort(paths, blit->asset_count, sizeof(*paths), by_path);
	int result = crew_start(&crew, WALKERS);
	if (result)
		return result;
	crew_run(crew, stat_assets, &priming);
	crew_end(&crew);
	if (priming.failed == UINT32_MAX)
		return 0;
	return error_set(-priming.error, "asset %s: fstatat failed: %s", paths[priming.failed],
			 strerror(priming.error));
}

const struct engine engine_primed = {
	.name = "primed",
	.umask = MOSS2025_UMASK,
	.parallel = false,
	.strategies = 1u << STRATEGY_HARDLINK,
	.probe = moss2025_probe,
	.prime = primed_prime,
	.blit = moss2025_blit,
	.expect_asset_modes = moss2025_expect_asset_modes,
	.made_mode = moss2025_made_mode,
};
