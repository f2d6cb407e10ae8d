/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/transaction.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/tree.h"
#include "workload/escape.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { STATE_ID_BYTES = 24 };

struct readings {
	struct disk_counters disk;
	struct cpu_counters cpu;
	struct others_reading others; /* at the beginning only */
};

static int take_readings(const struct site *site, struct readings *readings)
{
	int result = cpu_counters_read(&readings->cpu, "");

	if (!result && site->stat_path)
		result = disk_counters_read(&readings->disk, site->stat_path);
	return result;
}

/* Says where a blit stopped; what did not stop at an entry has left its sentence. */
static int tell_failure(const struct blit *blit, int result)
{
	char path[PATH_MAX], told[TOLD_PATH_BYTES];

	if (!blit->failure.call)
		return result;
	layout_path(blit->layout, blit->failure.entry, path, sizeof(path));
	return error_set(result, "%s: %s failed: %s", escape_path(told, path),
			 blit->failure.call, strerror(blit->failure.error));
}

/* The clock is read here and nothing else happens but the work: blit, syncfs, freeze. */
static int timed_blit(const struct site *site, const struct engine *engine, struct blit *blit,
		      struct transaction *out)
{
	const char *call = NULL;
	double start, blitted, durable, frozen;
	int result;

	mode_t umask_before = umask(engine->umask);
	start = clock_seconds();
	result = engine->blit(blit);
	blitted = clock_seconds();
	if (!result && syncfs(site->root_fd)) {
		result = -errno;
		call = "syncfs";
	}
	durable = clock_seconds();
	if (!result && site->can_freeze)
		result = site_freeze(site);
	frozen = clock_seconds();
	umask(umask_before);

	if (call)
		return error_set(result, "cannot sync %s after the blit: %s", site->path,
				 strerror(-result));
	if (result)
		return tell_failure(blit, result);
	out->seconds = blitted - start;
	out->durable_seconds = durable - start;
	if (site->can_freeze)
		out->quiesced_seconds = frozen - start;
	return 0;
}

/* renameat2 with flags, which musl 1.2.5 does not wrap. */
static int move_usr(int from, int to, unsigned flags)
{
	return (int)syscall(SYS_renameat2, from, "usr", to, "usr", flags);
}

/* Puts the new tree in the old one's place. */
static int swap(struct site *site, struct transaction *out)
{
	double start = clock_seconds();
	/* The first one finds none; if there is one all the same, it is a stranger's. */
	int result = move_usr(site->staging_fd, site->root_fd,
			      site->state ? RENAME_EXCHANGE : RENAME_NOREPLACE);

	out->swap_seconds = clock_seconds() - start;
	if (result)
		return error_set(-errno, "cannot exchange the new usr with the live one on %s: %s",
				 site->path, strerror(errno));
	site->state++;
	return 0;
}

static const char *print_id(char id[STATE_ID_BYTES], uint64_t state)
{
	snprintf(id, STATE_ID_BYTES, "%llu", (unsigned long long)state);
	return id;
}

static int archive(const struct site *site, uint64_t state, struct transaction *out)
{
	double start = clock_seconds();
	char id[STATE_ID_BYTES];

	print_id(id, state);
	if (mkdirat(site->states_fd, id, 0755))
		return error_set(-errno, "cannot make %s/.moss/root/%s: %s", site->path, id,
				 strerror(errno));
	_cleanup_close_ int fd = openat(site->states_fd, id, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || renameat(site->staging_fd, "usr", fd, "usr"))
		return error_set(-errno, "cannot archive the old usr as %s/.moss/root/%s/usr: %s",
				 site->path, id, strerror(errno));
	out->archive_seconds = clock_seconds() - start;
	return 0;
}

/* The assets that the oldest state was the last to need, and then its tree. */
static int prune_oldest(struct site *site)
{
	char id[STATE_ID_BYTES];

	if (site->oldest_state < site->last_count) {
		struct asset_list *assets = &site->last_needed[site->oldest_state];

		while (assets->count) {
			int result = store_remove(site->store_fd, assets->paths[assets->count - 1]);

			if (result)
				return result;
			assets->count--;
			site->assets_removed++;
		}
	}
	int result = tree_remove(site->states_fd, print_id(id, site->oldest_state));
	site->oldest_state += !result;
	return result;
}

/* The oldest states, until no more are archived than stay. Timed until thawed. */
static int prune(struct site *site, struct transaction *out)
{
	double start = clock_seconds();
	int result = 0;

	if (site->state - site->oldest_state <= site->keep_states)
		return 0;
	while (!result && site->state - site->oldest_state > site->keep_states)
		result = prune_oldest(site);
	if (!result)
		result = site_settle(site);
	out->prune_seconds = clock_seconds() - start;
	return result ? error_prefix(result, "pruning on %s", site->path) : 0;
}

/* What the engine does before its blit, on a clock and with readings of its own. */
static int timed_prime(const struct site *site, const struct engine *engine, struct blit *blit,
		       struct transaction *out)
{
	struct readings before, after;
	int result = engine->prime ? take_readings(site, &before) : 0;

	if (result || !engine->prime)
		return result;
	double start = clock_seconds();
	result = engine->prime(blit);
	out->prime_seconds = clock_seconds() - start;
	if (!result)
		result = take_readings(site, &after);
	if (!result)
		out->prime_disk = disk_counters_since(&before.disk, &after.disk);
	return result;
}

int transaction_prepare(struct site *site, const struct blit_method *method,
			const struct layout *layout)
{
	const struct engine *engine = method->engine;
	const struct blit blit = transaction_blit(site, method, layout);

	if (!engine->prepare || site->prepared_for == engine)
		return 0;
	site->settled = false;
	int result = engine->prepare(&blit);
	site->prepared_for = result ? NULL : engine;
	return result;
}

/* Primed, and blitted with the readings around it. */
static int run_blit(struct site *site, const struct engine *engine, struct blit *blit,
		    struct readings *before, struct transaction *out)
{
	int result = blit_begin(blit);

	if (!result)
		result = timed_prime(site, engine, blit, out);
	out->begun_boot_seconds = clock_boot_seconds();
	others_begin(site->others, &before->others);
	if (!result)
		result = take_readings(site, before);
	if (!result)
		result = timed_blit(site, engine, blit, out);
	blit_end(blit);
	memcpy(out->figures, blit->figures, sizeof(out->figures));
	out->figure_count = blit->figure_count;
	return result;
}

struct blit transaction_blit(const struct site *site, const struct blit_method *method,
			     const struct layout *layout)
{
	return (struct blit){
		.layout = layout,
		.asset_paths = (const char(*)[STORE_PATH_BYTES])site->asset_paths,
		.asset_count = site->workload->contents.count,
		.store_fd = site->store_fd,
		.staging_fd = site->staging_fd,
		.strategy = method->strategy,
		.threads = method->threads,
		.latency = site->latency,
	};
}

int transaction_run(struct site *site, const struct blit_method *method,
		    const struct layout *layout, struct transaction *transaction)
{
	struct blit blit = transaction_blit(site, method, layout);
	struct readings before, after;

	site->settled = false;
	*transaction = (struct transaction){
		.begun_boot_seconds = NAN,
		.prime_seconds = NAN,
		.seconds = NAN,
		.durable_seconds = NAN,
		.quiesced_seconds = NAN,
		.swap_seconds = NAN,
		.archive_seconds = NAN,
		.prune_seconds = NAN,
		.cpu = { NAN, NAN, NAN, NAN },
	};
	int result = transaction_prepare(site, method, layout);
	if (!result)
		result = run_blit(site, method->engine, &blit, &before, transaction);
	if (result) {
		char reason[1024];

		snprintf(reason, sizeof(reason), "%s", error_text());
		/* What it has left must not be in the way of the next. */
		if (tree_clear(site->staging_fd, "usr"))
			return error_set(result, "%s; and then: %s", reason, error_text());
		return error_set(result, "%s", reason);
	}
	result = take_readings(site, &after);
	others_end(site->others, &before.others, &transaction->others);
	if (site->can_freeze) {
		int thawed = site_thaw(site);

		result = result ? result : thawed;
	}
	if (result)
		return result;
	transaction->disk = disk_counters_since(&before.disk, &after.disk);
	transaction->cpu = cpu_counters_since(&before.cpu, &after.cpu);
	transaction->disk_counted = site->stat_path;
	method->engine->expect_asset_modes(method, layout, site->asset_modes);

	uint64_t exchanged = site->state;
	result = swap(site, transaction);
	if (!result && exchanged)
		result = archive(site, exchanged, transaction);
	if (!result && exchanged)
		result = prune(site, transaction);
	return result;
}
