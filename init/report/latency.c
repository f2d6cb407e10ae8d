/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/latency.h"

#include <math.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/values.h"
#include "report/columns.h"
#include "report/fields.h"
#include "report/json.h"

/* More kinds of calls than any engine has. */
enum { CALLS_MAX = 32 };

/* All trials' calls of one kind. */
struct merged_call {
	char name[48];
	struct latency latency;
	double seconds;
};

struct merged {
	struct merged_call calls[CALLS_MAX];
	unsigned call_count, trial_count;
	double cost_nanoseconds, cost_seconds; /* sums */
	double thread_seconds;                 /* of the blits */
};

/* {"greatest nanoseconds": count, ...}, upwards; a key leads back to its bucket. An object, since that
 * is one line for each bucket where report.json is indented. */
static json_t *buckets_json(const struct latency *latency)
{
	json_t *buckets = json_object();

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		uint64_t end = latency_bucket_end(i);
		char key[24];

		if (!latency->buckets[i])
			continue;
		if (end > latency->max_nanoseconds)
			end = latency->max_nanoseconds;
		snprintf(key, sizeof(key), "%llu", (unsigned long long)end);
		json_object_set_new(buckets, key, json_count(latency->buckets[i]));
	}
	return buckets;
}

static json_t *call_json(const char *name, const struct latency *latency, double seconds)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"call", json_text(name),
		"count", json_count(latency->count),
		"seconds", json_measured(seconds),
		"p50_nanoseconds", json_count(latency_percentile(latency, 500)),
		"p99_nanoseconds", json_count(latency_percentile(latency, 990)),
		"p999_nanoseconds", json_count(latency_percentile(latency, 999)),
		"max_nanoseconds", json_count(latency->max_nanoseconds),
		"buckets", buckets_json(latency));
}

json_t *latency_call_json(const char *name, const struct latency *latency)
{
	return call_json(name, latency, (double)latency->sum_nanoseconds / 1e9);
}

/* --- the trials of a cell --- */

static struct merged_call *call_named(struct merged *merged, const char *name)
{
	unsigned i = 0;

	while (i < merged->call_count && strcmp(merged->calls[i].name, name))
		i++;
	if (i == CALLS_MAX || strlen(name) >= sizeof(merged->calls[i].name))
		return NULL;
	if (i == merged->call_count)
		strcpy(merged->calls[merged->call_count++].name, name);
	return &merged->calls[i];
}

static void merge_bucket(struct latency *latency, const char *key, json_int_t count)
{
	uint64_t nanoseconds = strtoull(key, NULL, 10);

	if (count <= 0)
		return;
	latency->count += (uint64_t)count;
	latency->buckets[latency_bucket(nanoseconds)] += (uint64_t)count;
	if (nanoseconds > latency->max_nanoseconds)
		latency->max_nanoseconds = nanoseconds;
}

static void merge_call(struct merged *merged, const json_t *call)
{
	struct merged_call *to = call_named(merged, field_text(call, "call", ""));
	double seconds = field_number(call, "seconds");
	const json_t *count;
	const char *key;

	if (!to)
		return;
	json_object_foreach((json_t *)field(call, "buckets"), key, count)
		merge_bucket(&to->latency, key, json_integer_value(count));
	to->seconds += isfinite(seconds) ? seconds : 0;
}

static void merge_trial(struct merged *merged, const struct trial_record *trial)
{
	const json_t *latency = field(trial->details, "latency"), *call;
	size_t index;

	if (!json_is_array(field(latency, "calls")))
		return;
	json_array_foreach(field(latency, "calls"), index, call)
		merge_call(merged, call);
	merged->trial_count++;
	merged->cost_nanoseconds += field_number(latency, "cost_nanoseconds");
	merged->cost_seconds += field_number(latency, "cost_seconds");
	merged->thread_seconds += trial->seconds * trial->cell.threads;
}

json_t *latency_summary(const struct trial_record *const *trials, size_t count)
{
	_cleanup_free_ struct merged *merged = NULL;
	json_t *calls;

	for (size_t i = 0; i < count; i++) {
		if (!field(trials[i]->details, "latency"))
			continue;
		if (!merged)
			merged = calloc(1, sizeof(*merged));
		if (merged)
			merge_trial(merged, trials[i]);
	}
	if (!merged || !merged->trial_count)
		return json_null();
	calls = json_array();
	for (unsigned i = 0; i < merged->call_count; i++)
		json_array_append_new(calls, call_json(merged->calls[i].name,
						       &merged->calls[i].latency,
						       merged->calls[i].seconds));
	return json_pack("{s:i, s:o, s:o, s:o}",
		"trials", (int)merged->trial_count,
		"cost_nanoseconds", json_measured(merged->cost_nanoseconds / merged->trial_count),
		"cost_share", json_measured(merged->cost_seconds / merged->thread_seconds),
		"calls", calls);
}

/* --- as a table --- */

bool latency_recorded(const json_t *summary)
{
	const json_t *cell;
	size_t index;

	json_array_foreach(summary, index, cell)
		if (json_is_object(field(cell, "latency")))
			return true;
	return false;
}

static void print_microseconds(FILE *out, int width, double nanoseconds)
{
	double value = nanoseconds / 1000;

	if (isfinite(value))
		fprintf(out, "%*.*f", width, value < 100 ? 2 : value < 10000 ? 1 : 0, value);
	else
		fprintf(out, "%*s", width, "-");
}

static void print_call(FILE *out, const json_t *call)
{
	fputs("  ", out);
	columns_print(out, field_text(call, "call", ""), 25);
	fprintf(out, "%9.0f", field_number(call, "count"));
	print_microseconds(out, 8, field_number(call, "p50_nanoseconds"));
	print_microseconds(out, 8, field_number(call, "p99_nanoseconds"));
	print_microseconds(out, 9, field_number(call, "p999_nanoseconds"));
	print_microseconds(out, 10, field_number(call, "max_nanoseconds"));
	fprintf(out, "%9.3f\n", field_number(call, "seconds"));
}

static void print_cell(FILE *out, const json_t *cell)
{
	const json_t *latency = field(cell, "latency"), *call;
	double trials = field_number(latency, "trials");
	char filesystem[40];
	size_t index;

	filesystem_label(filesystem, sizeof(filesystem), cell);
	columns_wrap(out, "", 0,
		     "%s %s %s, %.0f trial%s; timing cost %.0f ns a call, %.1f %% of the blit:",
		     filesystem, field_text(cell, "operation", ""),
		     field_text(cell, "cache", ""), trials, trials == 1 ? "" : "s",
		     field_number(latency, "cost_nanoseconds"),
		     100 * field_number(latency, "cost_share"));
	json_array_foreach(field(latency, "calls"), index, call)
		print_call(out, call);
}

/* The cells of one setup, as far as they have it. */
static void print_setup(FILE *out, const struct page *page, size_t setup)
{
	bool headed = false;

	for (size_t i = 0; i < page->cell_count; i++) {
		const struct page_cell *cell = &page->cells[i];

		if (cell->setup != setup || !json_is_object(field(cell->cell, "latency")))
			continue;
		if (!headed)
			setups_heading(out, &page->setups, setup);
		headed = true;
		print_cell(out, cell->cell);
	}
}

void table_latency(FILE *out, const struct page *page)
{
	fputs("Latency of single calls in microseconds, and seconds of all together\n"
	      "                               calls     p50     p99    p99.9       max  seconds\n",
	      out);
	for (size_t i = 0; i < page->setups.by.count; i++)
		print_setup(out, page, i);
	fputs("\n"
	      "All calls of a cell's valid trials. p99: 99 of 100 took at most so long, told\n"
	      "up to 3 % too high; max is exact. seconds: over all threads and trials.\n", out);
}
