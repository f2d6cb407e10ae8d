/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/estimate.h"

#include "run/cool.h"
#include "run/memory.h"
#include "run/quiet.h"

#include <math.h>

/* One session of each round. */
struct session_estimate {
	struct estimate *all;
	const struct plan *plan;
	const struct workload *workload;
	const struct facts *facts;
	const struct fanout *fanout;
	struct memory_need need;
	double assets, bytes, entries;
	double times[WHERES]; /* that what is added comes, in all rounds */
};

static void spend(struct session_estimate *session, enum where where, enum part part, double times,
		  struct range seconds)
{
	range_add(&session->all->seconds[where][part],
		  range_times(seconds, times * session->times[where]));
}

static void spend_emulated(struct session_estimate *session, enum part part, double times,
			   struct range microseconds)
{
	for (enum where where = 0; where < WHERES; where++)
		spend(session, where, part, times, facts_seconds(where, microseconds));
}

static void write_bytes(struct session_estimate *session, double times, struct range bytes)
{
	struct range all = { bytes.low * session->times[WHERE_EMULATED],
			     bytes.high * session->times[WHERE_METAL] };

	range_add(&session->all->written_bytes, range_times(all, times));
}

/* Assets, and the directories that they are the first to need. */
static void add_fill(struct session_estimate *session, double share)
{
	double megabytes = session->bytes / 1e6;
	/* Contents end in the middle of a block. */
	double stored_bytes = session->bytes + session->assets * ROOM_BLOCK_BYTES / 2 +
			      (double)session->need.cached_bytes;
	struct range written = range_times(facts_fill_share, stored_bytes);

	spend_emulated(session, PART_FILL,
		       share * (session->assets + (double)session->need.store_directories),
		       session->facts->fill);
	for (enum where where = 0; where < WHERES; where++)
		spend(session, where, PART_FILL, share * megabytes, facts_write_seconds[where]);
	write_bytes(session, share,
		    (struct range){ fmax(written.low, session->bytes), written.high });
}

/* A blit, made durable and frozen, and the pruning of what came before. */
static void add_transactions(struct session_estimate *session, enum part part, double times,
			     const struct blit_method *method, enum cache_state cache,
			     enum operation operation)
{
	const struct facts *facts = session->facts;
	struct range bytes = range_times(facts_write(facts, method), session->entries);

	for (enum where where = 0; where < WHERES; where++)
		spend(session, where, part, times * session->entries,
		      facts_blit(facts, where, method, session->fanout, cache, operation));
	spend_emulated(session, part, times * session->entries, facts->settle);
	write_bytes(session, times, bytes);
	write_bytes(session, times, range_product(bytes, facts_prune_share));
}

/* A tree is verified while the disk has to be left alone. */
static void add_waits(struct session_estimate *session, double trials, double cold_trials)
{
	for (enum where where = 0; where < WHERES; where++) {
		struct range verify =
			range_times(facts_seconds(where, facts_verify), session->entries);

		spend(session, where, PART_WAITS, trials,
		      (struct range){ fmax(QUIET_SECONDS, verify.low),
				      QUIET_SECONDS + verify.high });
	}
	spend_emulated(session, PART_WAITS, cold_trials * (double)session->need.inodes, facts_drop);
}

static void add_method(struct session_estimate *session, const struct blit_method *method)
{
	const struct plan *plan = session->plan;

	for (unsigned i = 0; i < plan->cache_count; i++) {
		enum cache_state cache = plan->caches[i];
		unsigned trials = plan->trials * plan->operation_count;

		/* An untimed one comes first, and before hot ones in any case. */
		if (!i || cache == CACHE_HOT)
			add_transactions(session, PART_TRIALS, 1, method, CACHE_HOT,
					 plan->operations[plan->operation_count - 1]);
		for (unsigned k = 0; k < plan->operation_count; k++)
			add_transactions(session, PART_TRIALS, plan->trials, method, cache,
					 plan->operations[k]);
		add_waits(session, trials, cache == CACHE_COLD ? trials : 0);
		session->all->trials += (unsigned)session->times[WHERE_METAL] * trials;
		session->all->trials_without_cpufreq +=
			(unsigned)session->times[WHERE_EMULATED] * trials;
	}
}

/* Until the machine is cool and idle; an emulated one tells no temperature. */
static void add_cool_down(struct session_estimate *session)
{
	double limit = session->plan->cool_down_seconds;
	double least = fmin(COOL_CALM_SECONDS, limit);

	spend(session, WHERE_METAL, PART_WAITS, 1, (struct range){ least, limit });
	spend(session, WHERE_EMULATED, PART_WAITS, 1, (struct range){ least, least });
}

/* One in eight contents is new in each update, which lays out the tree (run/age.h). */
static void add_ageing(struct session_estimate *session)
{
	const struct plan *plan = session->plan;
	struct blit_method method = plan_method(plan, plan->engines[0], STRATEGY_HARDLINK);

	if (!plan->age && !plan->keep_states)
		return;
	add_fill(session, plan->age / 8.0);
	add_transactions(session, PART_FILL, fmax(plan->age, plan->keep_states) + 1, &method,
			 CACHE_HOT, OPERATION_INSTALL);
}

static void add_session(struct session_estimate *session, const struct filesystem *fs,
			const struct needs *needs)
{
	const struct plan *plan = session->plan;
	const struct facts *facts = session->facts;
	double made = facts->make_bytes + facts->make_share * (double)needs->partition_bytes;

	session->all->sessions += plan->rounds;
	add_cool_down(session);
	for (enum where where = 0; where < WHERES; where++)
		spend(session, where, PART_FILL, 1, facts_begin_seconds[where]);
	write_bytes(session, 1, (struct range){ made, made });
	add_fill(session, 1);
	add_ageing(session);
	spend_emulated(
		session, PART_CHECK,
		(double)(session->need.inodes + plan->keep_states * session->need.tree_inodes),
		facts->check);
	/* A PC has governors, under each of which all trials are made; an emulated one has none. */
	session->times[WHERE_METAL] *= plan->governor_count;
	for (unsigned i = 0; i < plan->engine_count; i++) {
		struct blit_method methods[STRATEGIES];
		unsigned count = plan_methods(plan, plan->engines[i], fs, methods);

		for (unsigned k = 0; k < count; k++)
			add_method(session, &methods[k]);
	}
}

void estimate_make(struct estimate *estimate, const struct plan *plan,
		   const struct workload *workload, const struct needs *needs)
{
	*estimate = (struct estimate){ .sessions = 0 };
	for (unsigned place = 0; place < plan_sessions(plan); place++) {
		struct plan_session which = plan_session(plan, 1, place);
		const struct filesystem *fs = plan->filesystems[which.filesystem];
		struct session_estimate session = {
			.all = estimate,
			.plan = plan,
			.workload = workload,
			.facts = facts_of(fs),
			.fanout = plan->stores[which.store],
			.assets = workload->contents.count,
			.bytes = (double)workload->contents.bytes,
			.entries = workload->install.entry_count,
			.times = { plan->rounds, plan->rounds },
		};

		memory_need(&session.need, plan, workload, fs, session.fanout);
		add_session(&session, fs, needs);
	}
	for (enum where where = 0; where < WHERES; where++)
		range_add(&estimate->seconds[where][PART_FILL],
			  range_times(facts_seconds(where, facts_name),
				      (double)workload->contents.bytes / 1e6));
}

struct range estimate_seconds(const struct estimate *estimate, enum where where)
{
	struct range all = { 0, 0 };

	for (enum part part = 0; part < PARTS; part++)
		range_add(&all, estimate->seconds[where][part]);
	return all;
}
