/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the figures of tests/bench/engines are taken with: a store is filled, and then each method
 * blits in turn, over and over, so that what else goes on meets all of them. Linked from the very
 * objects of the product.
 *
 *   engines MANIFEST CAP FAN-OUT DIRECTORY DEVICE-STAT WHAT TURNS METHOD...
 *
 * WHAT is hot, cold or "hot cold", or counts, and then the calls and instructions of one blit are
 * counted; a METHOD is ENGINE/STRATEGY/THREADS, and engine bare the loop that moss-2025 is held
 * against. Prints a line of JSON for each blit. Cold needs root.
 */
#include "bare_blit.h"
#include "stepped.h"

#include "run/plan.h"
#include "run/transaction.h"
#include "run/verify.h"
#include "workload/workers.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct workload workload;
static struct site site;

static void must(int error)
{
	if (error)
		errx(1, "%s", error_text());
}

static struct blit_method parse_method(const char *text)
{
	char engine[64], strategy[16];
	struct blit_method method;

	if (sscanf(text, "%63[^/]/%15[^/]/%u", engine, strategy, &method.threads) != 3 ||
	    !strategy_find(strategy, &method.strategy))
		errx(2, "%s is no ENGINE/STRATEGY/THREADS", text);
	method.engine = strcmp(engine, engine_bare.name) ? engine_find(engine) : &engine_bare;
	if (!method.engine)
		errx(2, "engines are bare, %s", engine_names());
	must(engine_probe(&method, site.store_fd, site.staging_fd));
	return method;
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		err(1, "%s", path);
}

static void drop_caches(void)
{
	for (int i = 0; i < 2; i++) {
		sync();
		write_file("/proc/sys/vm/drop_caches", "3");
	}
	usleep(500 * 1000);
}

/* VmHWM, which 5 in clear_refs sets back to what is resident (proc(5)). */
static long peak_kibibytes(void)
{
	char line[256];
	long peak = -1;
	FILE *file = fopen("/proc/self/status", "r");

	while (file && peak < 0 && fgets(line, sizeof(line), file))
		sscanf(line, "VmHWM: %ld", &peak);
	if (file)
		fclose(file);
	return peak;
}

static json_t *describe(const struct blit_method *method)
{
	return json_pack("{s:s,s:s,s:i,s:I}", "engine", method->engine->name, "strategy",
			 strategy_name(method->strategy), "threads", (int)method->threads, "entries",
			 (json_int_t)workload.remove.entry_count);
}

static void print(json_t *line)
{
	json_dumpf(line, stdout, JSON_REAL_PRECISION(5));
	putchar('\n');
	fflush(stdout);
	json_decref(line);
}

static void print_blit(const struct blit_method *method, const char *cache,
		       const struct transaction *transaction, long peak)
{
	json_t *line = describe(method);
	json_t *more = json_pack(
		"{s:s,s:f,s:f,s:I,s:I,s:f,s:f,s:I}", "cache", cache, "seconds",
		transaction->seconds, "durable_seconds", transaction->durable_seconds, "reads",
		(json_int_t)(transaction->disk.reads + transaction->prime_disk.reads), "read_bytes",
		(json_int_t)(transaction->disk.read_bytes + transaction->prime_disk.read_bytes),
		"user_seconds", transaction->cpu.user_seconds, "system_seconds",
		transaction->cpu.system_seconds, "peak_bytes", (json_int_t)peak * 1024);

	json_object_update(line, more);
	json_decref(more);
	for (unsigned i = 0; i < transaction->figure_count; i++)
		json_object_set_new(line, transaction->figures[i].name,
				    json_real(transaction->figures[i].value));
	if (!isnan(transaction->prime_seconds))
		json_object_set_new(line, "prime_seconds", json_real(transaction->prime_seconds));
	print(line);
}

/* calls: {number: how many}, in one blit; and in another one the instructions. */
static void count(const struct blit_method *method)
{
	struct blit blit = transaction_blit(&site, method, &workload.remove);

	blit.threads = 1;
	const struct stepped calls = stepped_blit(&blit, method->engine, PTRACE_SYSCALL);
	const struct stepped steps = stepped_blit(&blit, method->engine, PTRACE_SINGLESTEP);
	json_t *line = describe(method), *numbers = json_object();
	char number[8];

	for (unsigned i = 0; i < STEPPED_CALLS; i++) {
		snprintf(number, sizeof(number), "%u", i);
		if (calls.calls[i])
			json_object_set_new(numbers, number,
					    json_integer((json_int_t)calls.calls[i]));
	}
	json_object_set_new(line, "calls", numbers);
	json_object_set_new(line, "instructions", json_integer((json_int_t)steps.instructions));
	print(line);
}

static void blit_once(const struct blit_method *method, const char *cache)
{
	struct transaction transaction;

	must(transaction_run(&site, method, &workload.remove, &transaction));
	must(site_settle(&site));
	if (!strcmp(cache, "cold"))
		drop_caches();
	write_file("/proc/self/clear_refs", "5");
	must(transaction_run(&site, method, &workload.remove, &transaction));
	long peak = peak_kibibytes();
	must(verify_tree(&site, method, &workload.remove));
	print_blit(method, cache, &transaction, peak);
}

static void take_turns(const char *what, int turns, char **methods, int count_of_methods)
{
	for (int turn = 0; turn < turns; turn++)
		for (int i = 0; i < count_of_methods; i++) {
			/* Each comes first in its turn. */
			const struct blit_method method =
				parse_method(methods[(turn + i) % count_of_methods]);

			if (strstr(what, "counts"))
				count(&method);
			if (strstr(what, "hot"))
				blit_once(&method, "hot");
			if (strstr(what, "cold"))
				blit_once(&method, "cold");
		}
}

int main(int argc, char **argv)
{
	struct populate_result populated;

	if (argc < 9)
		errx(2, "MANIFEST CAP FAN-OUT DIRECTORY DEVICE-STAT WHAT TURNS METHOD...");
	umask(022);
	must(workload_read(&workload, "bench", argv[1], NULL, NULL));
	must(workload_cap(&workload, strtoull(argv[2], NULL, 10)));
	must(contents_name(&workload.contents, CONTENT_SEED, workers_processors(WORKERS_MAX), NULL));
	must(site_create(&site, -1, argv[4], argv[5], &workload, fanout_find(argv[3])));
	must(site_fill(&site, &workload.contents, CONTENT_SEED, POPULATE_MOSS_WRITERS, NULL,
		       &populated));
	must(site_learn_assets(&site));
	take_turns(argv[6], atoi(argv[7]), argv + 8, argc - 8);
	site_free(&site);
	workload_free(&workload);
	return 0;
}
