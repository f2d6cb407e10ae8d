/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/preview.h"

#include "lib/values.h"
#include "run/estimate.h"
#include "run/memory.h"

static json_t *range_json(struct range range)
{
	return json_pack("[f, f]", range.low, range.high);
}

static json_t *bytes_json(struct range range)
{
	return json_pack("[I, I]", (json_int_t)range.low, (json_int_t)range.high);
}

static json_t *workload_json(const struct plan *plan, const struct workload *workload)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:o}", "name", json_text(plan->workload),
			 "entries", (json_int_t)workload->remove.entry_count, "install_entries",
			 (json_int_t)workload->install.entry_count, "assets",
			 (json_int_t)workload->contents.count, "bytes",
			 (json_int_t)workload->contents.bytes, "content", json_text(plan->content));
}

static json_t *engines_json(const struct plan *plan)
{
	json_t *engines = json_array();

	for (unsigned i = 0; i < plan->engine_count; i++)
		for (unsigned k = 0; k < plan_wishes(plan, plan->engines[i]); k++) {
			struct blit_method method =
				plan_method(plan, plan->engines[i], plan->strategies[k]);

			json_array_append_new(engines, json_pack("{s:s, s:s, s:i}", "engine",
								 method.engine->name, "strategy",
								 strategy_name(method.strategy),
								 "threads", (int)method.threads));
		}
	return engines;
}

static json_t *memory_json(const struct plan *plan, const struct workload *workload)
{
	json_t *list = json_array();

	for (unsigned place = 0; place < plan_sessions(plan); place++) {
		struct plan_session session = plan_session(plan, 1, place);
		const struct filesystem *fs = plan->filesystems[session.filesystem];
		const struct fanout *fanout = plan->stores[session.store];
		struct memory_need need;

		memory_need(&need, plan, workload, fs, fanout);
		json_array_append_new(list, json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:I}",
						      "filesystem", fs->name, "store", fanout->name,
						      "inodes", (json_int_t)need.inodes, "dentries",
						      (json_int_t)need.dentries, "object_bytes",
						      (json_int_t)need.object_bytes, "cached_bytes",
						      (json_int_t)need.cached_bytes, "bytes",
						      (json_int_t)need.bytes));
	}
	return list;
}

static json_t *seconds_json(const struct estimate *estimate, enum where where)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "all",
			 range_json(estimate_seconds(estimate, where)), "fill",
			 range_json(estimate->seconds[where][PART_FILL]), "transactions",
			 range_json(estimate->seconds[where][PART_TRIALS]), "waits",
			 range_json(estimate->seconds[where][PART_WAITS]), "check",
			 range_json(estimate->seconds[where][PART_CHECK]));
}

static json_t *order_json(const struct plan *plan)
{
	json_t *rounds = json_array();

	for (unsigned round = 1; round <= plan->rounds; round++) {
		json_t *sessions = json_array();

		for (unsigned place = 0; place < plan_sessions(plan); place++) {
			struct plan_session session = plan_session(plan, round, place);

			json_array_append_new(
				sessions, json_pack("{s:s, s:s}", "filesystem",
						    plan->filesystems[session.filesystem]->name,
						    "store", plan->stores[session.store]->name));
		}
		json_array_append_new(rounds, sessions);
	}
	return rounds;
}

/* null for what is kept as found. */
static json_t *governors_json(const struct plan *plan)
{
	json_t *governors = json_array();

	for (unsigned i = 0; i < plan->governor_count; i++)
		json_array_append_new(governors,
				      *plan->governors[i] ? json_text(plan->governors[i]) : json_null());
	return governors;
}

static json_t *caches_json(const struct plan *plan)
{
	json_t *caches = json_array();

	for (unsigned i = 0; i < plan->cache_count; i++)
		json_array_append_new(caches, json_string(cache_state_name(plan->caches[i])));
	return caches;
}

static json_t *operations_json(const struct plan *plan)
{
	json_t *operations = json_array();

	for (unsigned i = 0; i < plan->operation_count; i++)
		json_array_append_new(operations, json_string(operation_name(plan->operations[i])));
	return operations;
}

json_t *preview_json(const struct plan *plan, const struct workload *workload,
		     const struct needs *needs)
{
	struct estimate estimate;

	estimate_make(&estimate, plan, workload, needs);
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:i, s:i, s:i, s:i, s:i, s:o, s:I, s:I, s:o, s:o, s:{s:o, s:o}, s:o}",
		"profile", json_text(plan->profile), "workload", workload_json(plan, workload),
		"engines", engines_json(plan), "governors", governors_json(plan), "caches",
		caches_json(plan), "operations", operations_json(plan), "rounds", (int)plan->rounds,
		"trials_each", (int)plan->trials, "sessions", (int)estimate.sessions, "trials",
		(int)estimate.trials, "trials_without_cpufreq",
		(int)estimate.trials_without_cpufreq, "limit_minutes",
		plan->limit_minutes ? json_integer(plan->limit_minutes) : json_null(),
		"partition_bytes", (json_int_t)needs->partition_bytes, "memory_bytes",
		(json_int_t)memory_most(plan, workload, NULL), "memory",
		memory_json(plan, workload), "written_bytes", bytes_json(estimate.written_bytes),
		"seconds", "metal", seconds_json(&estimate, WHERE_METAL), "emulated",
		seconds_json(&estimate, WHERE_EMULATED), "order", order_json(plan));
}
