/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/age.h"

#include "lib/clock.h"
#include "lib/error.h"
#include "run/transaction.h"
#include "workload/digest.h"
#include "workload/workers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers that are alike but for their last six bits are a run. */
enum { RUN_SHIFT = 6, ONE_IN = 8, SHORTER_SIXTEENTHS = 3 };

/* --- what each update replaces --- */

static uint64_t chance(uint64_t seed, uint64_t what, uint64_t when)
{
	unsigned char key[24];

	put_little_endian(key, seed, 8);
	put_little_endian(key + 8, what, 8);
	put_little_endian(key + 16, when, 8);
	return XXH3_64bits(key, sizeof(key));
}

static bool updated(uint64_t seed, uint64_t number, unsigned update)
{
	return chance(seed, number >> RUN_SHIFT, update) % ONE_IN == 0;
}

/* The last update up to this one that replaced the content; 0 where none has yet. */
static unsigned last_update(uint64_t seed, uint64_t number, unsigned until)
{
	while (until && !updated(seed, number, until))
		until--;
	return until;
}

/* A content as it is after so many updates. What an old version's name is remains to be found out.
 */
static struct content version_after(const struct ageing *ageing, uint32_t index, unsigned update)
{
	struct content content = ageing->workload->contents.list[index];
	unsigned last = last_update(ageing->seed, content.number, update);

	if (last == last_update(ageing->seed, content.number, ageing->updates))
		return content;
	content.version = last + 1;
	content.size -= content.size / 16 *
			(chance(~ageing->seed, content.number, last) % (SHORTER_SIXTEENTHS + 1));
	content.digest[0] = '\0';
	return content;
}

int ageing_start(struct ageing *ageing, const struct workload *workload, unsigned updates,
		 uint64_t seed, const struct progress *progress)
{
	const struct contents *contents = &workload->contents;
	struct contents *now = &ageing->now;

	*ageing = (struct ageing){ .workload = workload, .updates = updates, .seed = seed };
	now->list = calloc((size_t)contents->count + 1, sizeof(*now->list));
	if (!now->list)
		return error_set(-ENOMEM, "out of memory for ageing %u contents", contents->count);
	now->count = contents->count;
	for (uint32_t i = 0; i < now->count; i++) {
		now->list[i] = version_after(ageing, i, 0);
		now->bytes += now->list[i].size;
	}
	return contents_name(now, seed, workers_processors(WORKERS_MAX), progress);
}

void ageing_free(struct ageing *ageing)
{
	contents_free(&ageing->now);
}

/* --- the updates --- */

struct running {
	struct ageing *ageing;
	struct site *site;
	const struct blit_method *method;
	unsigned writers;
	const struct progress *progress;
	struct ageing_result *result;
	unsigned update;       /* the one that runs, from 1 */
	struct contents batch; /* its new versions */
	uint32_t *places;      /* of these among the workload's contents */
};

/* All of it is one phase to whoever watches. */
static int tell(void *context, const char *phase, uint64_t done, uint64_t total)
{
	const struct running *running = context;

	(void)phase;
	(void)done;
	(void)total;
	return progress_update(running->progress, "age", running->update, running->ageing->updates);
}

/* An update finds the state of its own number and makes the next one: what it replaces is needed by
 * the former, and by none after it. */
static int choose_batch(struct running *running)
{
	const struct ageing *ageing = running->ageing;
	struct asset_list *replaced = &running->site->last_needed[running->update];
	struct contents *batch = &running->batch;

	batch->count = 0;
	batch->bytes = 0;
	for (uint32_t i = 0; i < ageing->now.count; i++) {
		if (!updated(ageing->seed, ageing->now.list[i].number, running->update))
			continue;
		batch->list[batch->count] = version_after(ageing, i, running->update);
		batch->bytes += batch->list[batch->count].size;
		running->places[batch->count++] = i;
	}
	replaced->paths = calloc((size_t)batch->count + 1, sizeof(*replaced->paths));
	if (!replaced->paths)
		return error_set(-ENOMEM, "out of memory for the assets of update %u",
				 running->update);
	replaced->count = batch->count;
	for (uint32_t i = 0; i < batch->count; i++)
		memcpy(replaced->paths[i], running->site->asset_paths[running->places[i]],
		       STORE_PATH_BYTES);
	return 0;
}

static int write_batch(struct running *running)
{
	const struct progress progress = { .update = tell, .context = running };
	struct ageing *ageing = running->ageing;
	struct site *site = running->site;
	const struct contents *batch = &running->batch;
	struct populate_result written;
	int error = contents_name(&running->batch, ageing->seed, workers_processors(WORKERS_MAX),
				  &progress);

	if (!error)
		error = site_fill(site, batch, ageing->seed, running->writers, &progress, &written);
	if (error)
		return error;
	running->result->assets_written += written.assets;
	running->result->bytes_written += written.bytes;
	for (uint32_t i = 0; i < batch->count; i++) {
		uint32_t place = running->places[i];

		ageing->now.list[place] = batch->list[i];
		store_path(site->asset_paths[place], site->fanout, batch->list[i].digest);
	}
	return 0;
}

/* Installing and removing alternate, as in the trials. */
static int transact(struct running *running)
{
	struct site *site = running->site;
	const struct workload *workload = running->ageing->workload;
	struct transaction transaction;

	if (tell(running, "", 0, 0))
		return error_set(-EINTR, "stopped by the user");
	return transaction_run(site, running->method,
			       site->state % 2 ? &workload->install : &workload->remove,
			       &transaction);
}

static int run_updates(struct running *running)
{
	const struct site *site = running->site;
	int error = transact(running);

	while (!error && running->update < running->ageing->updates) {
		running->update++;
		error = choose_batch(running);
		if (!error)
			error = write_batch(running);
		if (!error)
			error = transact(running);
	}
	while (!error && site->state - site->oldest_state < site->keep_states)
		error = transact(running);
	return error;
}

int ageing_run(struct ageing *ageing, struct site *site, const struct blit_method *method,
	       unsigned writers, const struct progress *progress, struct ageing_result *result)
{
	struct running running = {
		.ageing = ageing,
		.site = site,
		.method = method,
		.writers = writers,
		.progress = progress,
		.result = result,
		.batch.list = calloc((size_t)ageing->now.count + 1, sizeof(struct content)),
		.places = calloc((size_t)ageing->now.count + 1, sizeof(uint32_t)),
	};
	char(*final)[STORE_PATH_BYTES] = site->asset_paths;
	double started = clock_seconds();
	int error;

	*result = (struct ageing_result){ 0 };
	site->asset_paths = store_paths(site->fanout, &ageing->now);
	site->last_needed = calloc((size_t)ageing->updates + 1, sizeof(*site->last_needed));
	site->last_count = site->last_needed ? ageing->updates + 1 : 0;
	if (running.batch.list && running.places && site->last_needed && site->asset_paths)
		error = run_updates(&running);
	else
		error = error_set(-ENOMEM, "out of memory for ageing %u contents",
				  ageing->now.count);
	free(site->asset_paths);
	site->asset_paths = final;
	free(running.places);
	free(running.batch.list);
	result->assets_removed = site->assets_removed;
	result->seconds = clock_seconds() - started;
	return error ? error_prefix(error, "ageing") : 0;
}

/* --- room --- */

/* By update: what the versions take that it replaces. */
static void sum_up_runs(struct room *by_update, const struct filesystem *fs,
			const struct contents *contents, unsigned updates, uint64_t seed)
{
	for (uint32_t first = 0, end; first < contents->count; first = end) {
		uint64_t number = contents->list[first].number;
		struct room run = { 0 };

		for (end = first; end < contents->count &&
				  contents->list[end].number >> RUN_SHIFT == number >> RUN_SHIFT;
		     end++)
			room_add_file(&run, fs, contents->list[end].size);
		for (unsigned update = 1; update <= updates; update++)
			if (updated(seed, number, update))
				room_add(&by_update[update], &run, 1);
	}
}

int ageing_add_room(struct room *room, const struct filesystem *fs, const struct contents *contents,
		    const struct room *directories, unsigned updates, unsigned keep_states,
		    uint64_t seed)
{
	struct room *by_update = calloc((size_t)updates + 1, sizeof(*by_update));
	struct room window = { 0 }, most = { 0 };

	if (!by_update)
		return error_set(-ENOMEM, "out of memory for the room of %u updates", updates);
	sum_up_runs(by_update, fs, contents, updates, seed);
	/* What an update replaces goes when the last of the states that stay refers to it no more.
	 */
	for (unsigned update = 1; update <= updates; update++) {
		room_add(&window, &by_update[update], 1);
		if (update > keep_states + 1) {
			window.inodes -= by_update[update - keep_states - 1].inodes;
			window.bytes -= by_update[update - keep_states - 1].bytes;
		}
		most.inodes = window.inodes > most.inodes ? window.inodes : most.inodes;
		most.bytes = window.bytes > most.bytes ? window.bytes : most.bytes;
	}
	free(by_update);
	/* Each with as many directories as an asset of the workload's own has on average. */
	if (contents->count) {
		double share = (double)most.inodes / contents->count;

		room->inodes += (uint64_t)(share * (double)directories->inodes) + 1;
		room->bytes += (uint64_t)(share * (double)directories->bytes) + 1;
	}
	room_add(room, &most, 1);
	return 0;
}
