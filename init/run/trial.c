/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/trial.h"

#include "blit/timed.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/values.h"
#include "report/json.h"
#include "run/caches.h"
#include "run/latency.h"
#include "run/quiet.h"
#include "run/transaction.h"
#include "run/verify.h"
#include "run/watch.h"

#include <errno.h>
#include <math.h>
#include <string.h>

bool trial_is_hot(uint64_t reads, uint64_t entries)
{
	return reads * 100 <= entries;
}

static uint64_t difference(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static bool are_alike(uint64_t count, uint64_t first)
{
	return difference(count, first) * 100 <= first * 3;
}

bool trial_is_cold(const struct trial_reads *reads, const struct trial_reads *first,
		   uint64_t entries)
{
	return reads->count && (are_alike(reads->count, first->count) ||
				are_alike(reads->bytes, first->bytes) ||
				trial_is_hot(difference(reads->count, first->count), entries));
}

static json_t *cache_counters_json(const struct cache_counters *counters)
{
	return json_pack("{s:I,s:I,s:I,s:I}", "inodes", (json_int_t)counters->inodes, "dentries",
			 (json_int_t)counters->dentries, "buffer_bytes",
			 (json_int_t)counters->buffer_bytes, "cached_bytes",
			 (json_int_t)counters->cached_bytes);
}

static int remount(struct trial_series *series)
{
	site_close(series->site);
	int result = filesystem_unmount(series->site->path);
	if (!result)
		result = filesystem_mount(series->fs, series->node, series->site->path);
	if (!result)
		result = site_open(series->site);
	return result ? error_prefix(result, "remounting for a cold start") : 0;
}

/* Where it must be, and where there is a device to mount again. */
static bool remounts(const struct trial_series *series)
{
	return series->plan->cold_remount || (series->fs->cold_remounts && series->node);
}

/* Nothing of the filesystem left in memory, and the proof of it in the record. */
static int make_cold(struct trial_series *series, struct trial_record *record)
{
	const struct plan *plan = series->plan;
	const char *slab = series->fs->inode_slab;
	struct caches_drop_result drop = { .attempts = 0 };
	struct cache_counters warm;

	int result = cache_counters_read(&warm, slab, "");
	if (!result && remounts(series))
		result = remount(series);
	if (!result && plan->cold_drop) {
		result = caches_drop(&drop, slab, &warm, series->pinned, "");
	} else if (!result) {
		result = cache_counters_read(&drop.cold, slab, "");
		drop.proven = caches_cold(&warm, series->pinned, &drop.cold);
		snprintf(drop.detail, sizeof(drop.detail), "a remount left too much in the caches");
	}
	if (result)
		return result;
	if (!drop.proven)
		trial_flag(record, "not-cold", FLAG_INVALID, "%s", drop.detail);
	json_object_set_new(record->details, "caches",
			    json_pack("{s:o,s:o,s:o,s:i,s:b,s:b}", "warm", cache_counters_json(&warm),
				      "cold", cache_counters_json(&drop.cold), "pinned",
				      cache_counters_json(series->pinned), "drops",
				      (int)drop.attempts, "remounted", remounts(series), "proven",
				      drop.proven));
	return 0;
}

static void start_record(const struct trial_series *series, enum cache_state cache,
			 enum operation operation, unsigned number, struct trial_record *record)
{
	*record = (struct trial_record){
		.round = series->round,
		.number = number,
		.cell = { .threads = series->method.threads },
		.at_seconds = NAN,
		.seconds = NAN,
		.durable_seconds = NAN,
		.quiesced_seconds = NAN,
		.swap_seconds = NAN,
		.archive_seconds = NAN,
		.prune_seconds = NAN,
		.io = { COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN, COUNT_UNKNOWN },
		.cpu = { NAN, NAN, NAN },
		.details = json_object(),
	};
	struct cell_key *cell = &record->cell;
	snprintf(cell->filesystem, sizeof(cell->filesystem), "%s", series->fs->type);
	snprintf(cell->variant, sizeof(cell->variant), "%s", series->fs->variant);
	snprintf(cell->engine, sizeof(cell->engine), "%s", series->method.engine->name);
	snprintf(cell->strategy, sizeof(cell->strategy), "%s",
		 strategy_name(series->method.strategy));
	snprintf(cell->store, sizeof(cell->store), "%s", series->site->fanout->name);
	snprintf(cell->governor, sizeof(cell->governor), "%s", series->governor);
	snprintf(cell->cache, sizeof(cell->cache), "%s", cache_state_name(cache));
	snprintf(cell->operation, sizeof(cell->operation), "%s", operation_name(operation));
}

/* What only some engines have to tell. */
static void copy_details(const struct transaction *transaction, json_t *details)
{
	if (transaction->figure_count)
		json_object_set_new(details, "engine", json_object());
	for (unsigned i = 0; i < transaction->figure_count; i++)
		json_object_set_new(json_object_get(details, "engine"),
				    transaction->figures[i].name,
				    json_measured(transaction->figures[i].value));
	if (isnan(transaction->prime_seconds))
		return;
	json_object_set_new(details, "prime_seconds", json_measured(transaction->prime_seconds));
	if (!transaction->disk_counted)
		return;
	json_object_set_new(details, "prime_reads", json_count(transaction->prime_disk.reads));
	json_object_set_new(details, "prime_read_bytes",
			    json_count(transaction->prime_disk.read_bytes));
}

static void copy_measurements(const struct transaction *transaction, struct trial_record *record)
{
	record->seconds = transaction->seconds;
	record->durable_seconds = transaction->durable_seconds;
	record->quiesced_seconds = transaction->quiesced_seconds;
	record->swap_seconds = transaction->swap_seconds;
	record->archive_seconds = transaction->archive_seconds;
	record->prune_seconds = transaction->prune_seconds;
	record->cpu.user_seconds = transaction->cpu.user_seconds;
	record->cpu.system_seconds = transaction->cpu.system_seconds;
	record->cpu.machine_busy_seconds = transaction->cpu.machine_busy_seconds;
	copy_details(transaction, record->details);
	if (!transaction->disk_counted)
		return;
	record->io.reads = transaction->disk.reads;
	record->io.read_bytes = transaction->disk.read_bytes;
	record->io.writes = transaction->disk.writes;
	record->io.write_bytes = transaction->disk.write_bytes;
	record->io.discards = transaction->disk.discards;
}

/* By what was read from the start of the priming on, where the engine primes. */
static void judge_caches(struct trial_series *series, enum cache_state cache,
			 enum operation operation, const struct transaction *transaction,
			 struct trial_record *record)
{
	struct trial_reads *first = &series->first_cold[operation];
	const struct trial_reads reads = {
		.count = transaction->prime_disk.reads + transaction->disk.reads,
		.bytes = transaction->prime_disk.read_bytes + transaction->disk.read_bytes,
	};

	if (!transaction->disk_counted) {
		trial_flag(record, "unproven", FLAG_NOTE,
			   "no block device's counters stand behind this filesystem: what was read "
			   "from a disk is not known");
		return;
	}
	if (cache == CACHE_HOT) {
		if (!trial_is_hot(reads.count, record->entries))
			trial_flag(record, "not-hot", FLAG_INVALID,
				   "%llu device reads for %llu entries",
				   (unsigned long long)reads.count,
				   (unsigned long long)record->entries);
		return;
	}
	if (!first->count)
		*first = reads;
	if (!trial_is_cold(&reads, first, record->entries))
		trial_flag(record, "not-cold", FLAG_INVALID,
			   "%llu device reads of %llu bytes, but %llu of %llu in the first cold trial",
			   (unsigned long long)reads.count, (unsigned long long)reads.bytes,
			   (unsigned long long)first->count, (unsigned long long)first->bytes);
}

/* Settled and still, so that what comes next starts from the same place each time. Both may have come
 * while the trial before was verified, which is done in memory. */
static int settle(struct trial_series *series, bool *quiet)
{
	struct site *site = series->site;
	int result = site->settled ? 0 : site_settle(site);

	*quiet = true;
	if (!result && site->stat_path)
		result = quiet_wait(site->stat_path, &site->quiet, series->progress, series->phase,
				    quiet);
	return result;
}

int trial_run(struct trial_series *series, enum cache_state cache, enum operation operation,
	      unsigned number, struct trial_record *record)
{
	const struct layout *layout = plan_layout(series->site->workload, operation);
	struct transaction transaction;
	bool quiet;

	start_record(series, cache, operation, number, record);
	record->entries = layout->entry_count;
	vitals_before(&series->vitals, series->site->stat_path, "");
	/* After a trial that failed; what fails here fails in the transaction as well, which tells it. */
	transaction_prepare(series->site, &series->method, layout);
	watch_prepare(series->watch);
	int result = settle(series, &quiet);
	if (!result && cache == CACHE_COLD)
		result = make_cold(series, record);
	if (result)
		return result;
	if (!quiet)
		trial_flag(record, "not-quiet", FLAG_NOTE,
			   "the partition did not come to rest in the %d s before the trial",
			   QUIET_LIMIT_SECONDS);
	_cleanup_free_ struct latency *latency = NULL;
	if (series->plan->latency) {
		latency = calloc(TIMED_KINDS, sizeof(*latency));
		if (!latency)
			return error_set(-ENOMEM, "out of memory for the latencies of a trial");
	}
	series->site->latency = latency;
	result = transaction_run(series->site, &series->method, layout, &transaction);
	series->site->latency = NULL;
	vitals_after(&series->vitals, series->site->stat_path, "");
	copy_measurements(&transaction, record);
	watch_trial(series->watch, &transaction, record);
	record->at_seconds = transaction.begun_boot_seconds - series->run_started;
	vitals_tell(&series->vitals, &transaction, record);
	latency_judge_clock(record, "");
	if (latency)
		latency_tell(latency, record, "");
	if (result && !isnan(transaction.seconds))
		return result;
	if (result) {
		trial_flag(record, "failed", FLAG_INVALID, "%s", error_text());
		return site_learn_assets(series->site);
	}
	judge_caches(series, cache, operation, &transaction, record);
	result = verify_tree(series->site, &series->method, layout);
	record->verified = !result;
	if (!result)
		return 0;
	trial_flag(record, "verification-failed", FLAG_INVALID, "%s", error_text());
	return site_learn_assets(series->site);
}

void trial_not_run(const struct trial_series *series, enum cache_state cache,
		   enum operation operation, const char *flag, const char *reason,
		   struct trial_record *record)
{
	start_record(series, cache, operation, 1, record);
	record->entries = plan_layout(series->site->workload, operation)->entry_count;
	trial_flag(record, flag, FLAG_INVALID, "%s", reason);
}

int trial_warm_up(struct trial_series *series, enum operation operation)
{
	struct transaction transaction;
	int result = transaction_run(series->site, &series->method,
				     plan_layout(series->site->workload, operation), &transaction);

	return result && isnan(transaction.seconds) ? TRIAL_BLIT_FAILED : result;
}
