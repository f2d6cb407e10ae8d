/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the figures of tests/bench/latency are taken with: a store is filled, and then one method
 * blits plain and timed in turn. Linked from the very objects of the product.
 *
 *   latency MANIFEST DIRECTORY TURNS ENGINE STRATEGY
 *
 * Prints entries, timed calls, the medians of the seconds plain, of those timed, and of timed by
 * plain in each turn, and what timing a call costs in nanoseconds; with 0 TURNS the instructions of
 * user space for each entry, plain and timed.
 */
#include "stepped.h"

#include "blit/timed.h"
#include "measure/statistics.h"
#include "run/plan.h"
#include "run/transaction.h"
#include "run/verify.h"
#include "workload/workers.h"

#include <stdio.h>
#include <string.h>

enum { TURNS_MAX = 101 };

static struct workload workload;
static struct site site;
static struct latency latency[TIMED_KINDS];

static void must(int error)
{
	if (error)
		errx(1, "%s", error_text());
}

static double blit_seconds(const struct blit_method *method, bool timed)
{
	struct transaction transaction;

	memset(latency, 0, sizeof(latency));
	site.latency = timed ? latency : NULL;
	must(transaction_run(&site, method, &workload.remove, &transaction));
	return transaction.seconds;
}

static unsigned long long calls_timed(void)
{
	unsigned long long calls = 0;

	for (unsigned i = 0; i < TIMED_KINDS; i++)
		calls += latency[i].count;
	return calls;
}

static double median(double *values, int count)
{
	statistics_sort(values, (size_t)count);
	return statistics_median(values, (size_t)count);
}

/* Turn by turn, and each comes first in every other, so that what else goes on meets both. */
static void take_seconds(const struct blit_method *method, int turns)
{
	double seconds[2][TURNS_MAX], ratios[TURNS_MAX];

	blit_seconds(method, false);
	for (int i = 0; i < turns; i++) {
		for (int j = 0; j < 2; j++)
			seconds[(i + j) % 2][i] = blit_seconds(method, (i + j) % 2);
		ratios[i] = seconds[1][i] / seconds[0][i];
	}
	blit_seconds(method, true);
	must(verify_tree(&site, method, &workload.remove));
	printf("%u %llu %.4f %.4f %.4f %.1f\n", workload.remove.entry_count, calls_timed(),
	       median(seconds[0], turns), median(seconds[1], turns), median(ratios, turns),
	       timed_cost_nanoseconds());
}

static double instructions(const struct blit_method *method, bool timed)
{
	struct blit blit = transaction_blit(&site, method, &workload.remove);

	blit.threads = 1;
	blit.latency = timed ? latency : NULL;

	return (double)stepped_blit(&blit, method->engine, PTRACE_SINGLESTEP).instructions /
	       workload.remove.entry_count;
}

int main(int argc, char **argv)
{
	struct populate_result populated;
	struct blit_method method = { .threads = 1 };
	int turns = argc == 6 ? atoi(argv[3]) : -1;

	if (turns < 0 || turns > TURNS_MAX)
		errx(2, "MANIFEST DIRECTORY TURNS ENGINE STRATEGY, with at most %d turns",
		     TURNS_MAX);
	umask(022);
	must(workload_read(&workload, "bench", argv[1], NULL, NULL));
	must(workload_cap(&workload, 1));
	must(contents_name(&workload.contents, CONTENT_SEED, workers_processors(WORKERS_MAX), NULL));
	must(site_create(&site, -1, argv[2], NULL, &workload, fanout_find("1x2")));
	must(site_fill(&site, &workload.contents, CONTENT_SEED, POPULATE_MOSS_WRITERS, NULL,
		       &populated));
	must(site_learn_assets(&site));
	method.engine = engine_find(argv[4]);
	if (!method.engine || !strategy_find(argv[5], &method.strategy))
		errx(2, "no such engine or strategy");
	must(engine_probe(&method, site.store_fd, site.staging_fd));
	if (turns)
		take_seconds(&method, turns);
	else
		printf("%.1f %.1f\n", instructions(&method, false), instructions(&method, true));
	site_free(&site);
	workload_free(&workload);
	return 0;
}
