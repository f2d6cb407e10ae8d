/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/preview.h"

#include "lib/cleanup.h"
#include "run/estimate.h"
#include "run/memory.h"

#include <string.h>

enum { COLUMNS = 80 };

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
		for (unsigned k = 0; k < plan_wishes(plan, plan->engines[i]); k++) {
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

static void print_kinds(FILE *out, const struct plan *plan, const struct estimate *estimate)
{
	fputs("governors    ", out);
	for (unsigned i = 0; i < plan->governor_count; i++)
		fprintf(out, "%s%s", comma(i),
			*plan->governors[i] ? plan->governors[i] : "as found");
	fputs("\ncaches       ", out);
	for (unsigned i = 0; i < plan->cache_count; i++)
		fprintf(out, "%s%s", comma(i), cache_state_name(plan->caches[i]));
	fputs("\noperations   ", out);
	for (unsigned i = 0; i < plan->operation_count; i++)
		fprintf(out, "%s%s", comma(i), operation_name(plan->operations[i]));
	fprintf(out, "\ntrials       %u of each kind, %u in all\n", plan->trials, estimate->trials);
	if (plan->governor_count > 1)
		fprintf(out, "             %u where there is no cpufreq driver, as in QEMU\n",
			estimate->trials_without_cpufreq);
}

/* In the order in which they would run, each a fresh filesystem and store. */
static void print_rounds(FILE *out, const struct plan *plan)
{
	fprintf(out, "sessions     %u in ", plan_sessions(plan));
	if (plan->rounds > 1)
		fprintf(out, "each of %u rounds", plan->rounds);
	else
		fputs("one round", out);
	fputs(", each with a fresh filesystem and store:\n", out);
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

/* Two figures say more than an estimate knows. */
static void print_range(FILE *out, struct range range, double unit, const char *name)
{
	double low = range.low / unit, high = range.high / unit;
	int digits = high < 10 ? 1 : 0;
	char text[2][32];

	snprintf(text[0], sizeof(text[0]), "%.*f", digits, low);
	snprintf(text[1], sizeof(text[1]), "%.*f", digits, high);
	if (strcmp(text[0], text[1]))
		fprintf(out, "%s to %s %s", text[0], text[1], name);
	else
		fprintf(out, "%s %s", text[1], name);
}

static void print_duration(FILE *out, struct range seconds)
{
	static const struct {
		double seconds;
		const char *name;
	} units[] = { { 86400, "days" }, { 3600, "h" }, { 60, "min" } };

	for (size_t i = 0; i < ARRAY_LENGTH(units); i++)
		if (seconds.high >= 2 * units[i].seconds) {
			print_range(out, seconds, units[i].seconds, units[i].name);
			return;
		}
	print_range(out, seconds, 1, "s");
}

static void print_memory(FILE *out, const struct plan *plan, const struct workload *workload)
{
	int column = fprintf(out, "memory       a hot cache needs some");

	for (unsigned i = 0; i < plan->filesystem_count; i++) {
		const struct filesystem *fs = plan->filesystems[i];
		char text[64];
		int length = snprintf(text, sizeof(text), " %.2f GiB on %s%s",
				      (double)memory_most(plan, workload, fs) / (1 << 30), fs->name,
				      i + 1 < plan->filesystem_count ? "," : "");

		if (column + length > COLUMNS)
			column = fprintf(out, "\n            ") - 1;
		column += length;
		fputs(text, out);
	}
	fputc('\n', out);
}

static const char *const part_names[PARTS] = {
	[PART_FILL] = "filling",
	[PART_TRIALS] = "transactions",
	[PART_WAITS] = "waiting and verifying",
	[PART_CHECK] = "fsck",
};

static void print_times(FILE *out, const struct plan *plan, const struct estimate *estimate)
{
	static const char *const places[WHERES] = {
		[WHERE_METAL] = "on a PC with a SATA SSD",
		[WHERE_EMULATED] = "in QEMU without KVM",
	};
	const char *label = "time";

	for (enum where where = 0; where < WHERES; where++) {
		fprintf(out, "%-12s %s: ", label, places[where]);
		print_duration(out, estimate_seconds(estimate, where));
		for (enum part part = 0; part < PARTS; part++) {
			fprintf(out, "%s%s ", part % 2 ? ", " : "\n               ",
				part_names[part]);
			print_duration(out, estimate->seconds[where][part]);
		}
		fputc('\n', out);
		label = "";
	}
	for (const char *const *line = facts_basis; *line; line++)
		fprintf(out, "             %s%s\n", line == facts_basis ? "basis: " : "  ", *line);
	if (plan->limit_minutes)
		fprintf(out, "limit        no session begins after %u minutes\n",
			plan->limit_minutes);
}

void preview_print(FILE *out, const struct plan *plan, const struct workload *workload,
		   const struct needs *needs)
{
	struct estimate estimate;

	estimate_make(&estimate, plan, workload, needs);
	fprintf(out, "profile      %s\n", plan->profile);
	print_workload(out, plan, workload);
	print_engines(out, plan);
	print_kinds(out, plan, &estimate);
	print_rounds(out, plan);
	fprintf(out, "target       a partition of at least %.2f GiB\n",
		(double)needs->partition_bytes / (1 << 30));
	print_memory(out, plan, workload);
	fputs("written      some ", out);
	print_range(out, estimate.written_bytes, 1 << 30, "GiB to the disk");
	fputc('\n', out);
	print_times(out, plan, &estimate);
}
