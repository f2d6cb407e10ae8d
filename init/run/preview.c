/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/preview.h"

/* By each strategy where the engine has a choice. */
static unsigned methods_of(const struct plan *plan, const struct engine *engine)
{
	return engine_chooses(engine) ? plan->strategy_count : 1;
}

unsigned preview_trials(const struct plan *plan)
{
	unsigned methods = 0;

	for (unsigned i = 0; i < plan->engine_count; i++)
		methods += methods_of(plan, plan->engines[i]);
	return plan->rounds * plan_sessions(plan) * methods * plan->cache_count *
	       plan->operation_count * plan->trials;
}

static const char *comma(unsigned index)
{
	return index ? ", " : "";
}

static void print_workload(FILE *out, const struct plan *plan, const struct workload *workload)
{
	fprintf(out, "workload     %s: %u entries", plan->workload, workload->remove.entry_count);
	if (*plan->delta_path)
		fprintf(out, ", %u with its delta", workload->install.entry_count);
	fprintf(out, "\n             %u distinct contents, %.1f MiB, content %s\n",
		workload->contents.count, (double)workload->contents.bytes / (1 << 20),
		plan->content);
	fprintf(out, "store        filled in order %s by %u writer%s", plan->order, plan->writers,
		plan->writers == 1 ? "" : "s");
	if (plan->age)
		fprintf(out, ", aged by %u updates", plan->age);
	if (plan->keep_states)
		fprintf(out, ", %u old states stay", plan->keep_states);
	fputc('\n', out);
}

static void print_engines(FILE *out, const struct plan *plan)
{
	const char *label = "engines";

	for (unsigned i = 0; i < plan->engine_count; i++) {
		for (unsigned k = 0; k < methods_of(plan, plan->engines[i]); k++) {
			struct blit_method method =
				plan_method(plan, plan->engines[i], plan->strategies[k]);
			bool chooses = engine_chooses(method.engine);

			fprintf(out, "%-12s %s%s%s, %u thread%s\n", label, method.engine->name,
				chooses ? " " : "", chooses ? strategy_name(method.strategy) : "",
				method.threads, method.threads == 1 ? "" : "s");
			label = "";
		}
	}
}

static void print_kinds(FILE *out, const struct plan *plan)
{
	fputs("caches       ", out);
	for (unsigned i = 0; i < plan->cache_count; i++)
		fprintf(out, "%s%s", comma(i), cache_state_name(plan->caches[i]));
	fputs("\noperations   ", out);
	for (unsigned i = 0; i < plan->operation_count; i++)
		fprintf(out, "%s%s", comma(i), operation_name(plan->operations[i]));
	fprintf(out, "\ntrials       %u of each kind, at most %u in all\n", plan->trials,
		preview_trials(plan));
}

/* In the order in which they would run, each a fresh filesystem and store. */
static void print_rounds(FILE *out, const struct plan *plan)
{
	fprintf(out, "sessions     %u in each round, each with a fresh filesystem and store:\n",
		plan_sessions(plan));
	for (unsigned round = 1; round <= plan->rounds; round++) {
		fprintf(out, "  round %-5u", round);
		for (unsigned place = 0; place < plan_sessions(plan); place++) {
			struct plan_session session = plan_session(plan, round, place);

			const char *between = place % 4 ? ", " : place ? ",\n             " : "";

			fprintf(out, "%s%s %s", between,
				plan->filesystems[session.filesystem]->name,
				plan->stores[session.store]->name);
		}
		fputc('\n', out);
	}
}

void preview_print(FILE *out, const struct plan *plan, const struct workload *workload,
		   const struct needs *needs)
{
	fprintf(out, "profile      %s\n", plan->profile);
	print_workload(out, plan, workload);
	print_engines(out, plan);
	print_kinds(out, plan);
	fprintf(out, "target       a partition of at least %.2f GiB\n",
		(double)needs->partition_bytes / (1 << 30));
	print_rounds(out, plan);
}
