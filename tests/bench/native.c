/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the figures of tests/bench/native are taken with: one step of a run in a process of its own,
 * linked from the very objects of the product. Prints one line of words and numbers.
 */
#include "bare_loop.h"

#include "lib/clock.h"
#include "lib/error.h"
#include "run/plan.h"
#include "run/transaction.h"
#include "run/verify.h"
#include "workload/workers.h"

#include <sys/resource.h>

static void must(int error)
{
	if (error)
		errx(1, "%s", error_text());
}

static double peak_mebibytes(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_maxrss / 1024;
}

static double resident_mebibytes(void)
{
	unsigned long size, resident = 0;
	FILE *file = fopen("/proc/self/statm", "r");

	if (!file || fscanf(file, "%lu %lu", &size, &resident) != 2)
		errx(1, "/proc/self/statm cannot be read");
	fclose(file);
	return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

/* Seconds that reading took. delta "" = none; cap_bytes 0 = none. */
static double load(struct workload *workload, const char *path, const char *delta,
		   uint64_t cap_bytes)
{
	double started = clock_seconds();

	must(workload_read(workload, "bench", path, *delta ? delta : NULL, NULL));
	if (cap_bytes)
		must(workload_cap(workload, cap_bytes));
	return clock_seconds() - started;
}

static void name(struct workload *workload, unsigned threads)
{
	must(contents_name(&workload->contents, CONTENT_SEED, threads, NULL));
}

/* load MANIFEST DELTA */
static void bench_load(char **arguments)
{
	struct workload workload;
	double seconds = load(&workload, arguments[0], arguments[1], 0);

	printf("%.3f %.1f %.1f %u %u\n", seconds, peak_mebibytes(), resident_mebibytes(),
	       workload.remove.entry_count, workload.install.entry_count);
	workload_free(&workload);
}

/* name MANIFEST CAP THREADS */
static void bench_name(char **arguments)
{
	struct workload workload;

	load(&workload, arguments[0], "", strtoull(arguments[1], NULL, 10));
	double started = clock_seconds();
	name(&workload, (unsigned)atoi(arguments[2]));
	printf("%.3f %llu\n", clock_seconds() - started,
	       (unsigned long long)workload.contents.bytes);
	workload_free(&workload);
}

/* fill MANIFEST CAP FAN-OUT DIRECTORY WRITERS, 0 writers for the bare loop */
static void bench_fill(char **arguments)
{
	struct workload workload;
	struct populate_result result;
	int store_fd = open(arguments[3], O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (store_fd < 0)
		err(1, "%s", arguments[3]);
	load(&workload, arguments[0], "", strtoull(arguments[1], NULL, 10));
	name(&workload, workers_processors(WORKERS_MAX));
	const struct populate_request request = {
		.store_fd = store_fd,
		.fanout = fanout_find(arguments[2]),
		.contents = &workload.contents,
		.seed = CONTENT_SEED,
		.writers = (unsigned)atoi(arguments[4]),
	};
	sync();
	double started = clock_seconds();
	if (request.writers)
		must(store_populate(&request, &result));
	else
		bare_loop(store_fd, request.fanout, request.contents, CONTENT_SEED);
	printf("%.3f %u\n", clock_seconds() - started, workload.contents.count);
	close(store_fd);
	workload_free(&workload);
}

/* blit MANIFEST FAN-OUT DIRECTORY */
static void bench_blit(char **arguments)
{
	struct workload workload;
	struct site site;
	struct populate_result populated;
	struct transaction transaction;
	double seconds = load(&workload, arguments[0], "", 0), peak = peak_mebibytes();
	const struct blit_method method = { engine_find("moss-2025"), STRATEGY_HARDLINK, 1 };

	name(&workload, workers_processors(WORKERS_MAX));
	must(site_create(&site, -1, arguments[2], NULL, &workload, fanout_find(arguments[1])));
	must(site_fill(&site, &workload.contents, CONTENT_SEED, POPULATE_MOSS_WRITERS, NULL,
		       &populated));
	must(site_learn_assets(&site));
	must(transaction_run(&site, &method, &workload.remove, &transaction));
	must(verify_tree(&site, &method, &workload.remove));
	printf("%.3f %.1f %.3f %.3f %.1f %u\n", seconds, peak, populated.seconds,
	       transaction.seconds, peak_mebibytes(), workload.remove.entry_count);
	site_free(&site);
	workload_free(&workload);
}

/* --- an archive of any size --- */

/* ustar(5): 512 bytes of header, of which these are the offsets, and contents in blocks of 512. */
enum { TAR_BLOCK = 512, TAR_MODE = 100, TAR_SIZE = 124, TAR_CHECKSUM = 148, TAR_TYPE = 156,
       TAR_LINK = 157, TAR_MAGIC = 257 };

static void put_entry(const char *path, char type, unsigned mode, const char *link,
		      const char *content)
{
	char header[TAR_BLOCK] = "", block[TAR_BLOCK] = "";
	size_t size = strlen(content);
	unsigned sum = 0;

	snprintf(header, TAR_MODE, "%s", path);
	snprintf(header + TAR_MODE, 8, "%07o", mode);
	snprintf(header + TAR_SIZE, 12, "%011o", (unsigned)size);
	memset(header + TAR_CHECKSUM, ' ', 8);
	header[TAR_TYPE] = type;
	snprintf(header + TAR_LINK, 100, "%s", link);
	memcpy(header + TAR_MAGIC, "ustar\00000", 8);
	for (size_t i = 0; i < sizeof(header); i++)
		sum += (unsigned char)header[i];
	snprintf(header + TAR_CHECKSUM, 8, "%06o", sum);
	fwrite(header, 1, sizeof(header), stdout);
	memcpy(block, content, size);
	fwrite(block, 1, size ? sizeof(block) : 0, stdout);
}

/*
 * archive ENTRIES: a tarball of at least so many, in proportions like those of a real desktop: of 24
 * entries two are directories, three symlinks and one an empty file, and every sixth of the other
 * files repeats the content of the one before.
 */
static void bench_archive(char **arguments)
{
	unsigned long entries = strtoul(arguments[0], NULL, 10), content = 0;
	static const char end[2 * TAR_BLOCK];
	char path[100], link[100], text[TAR_BLOCK];

	for (unsigned long i = 0; i < entries; i++) {
		unsigned long directory = i / 12, rest = i % 24;

		if (rest % 12 == 0) {
			snprintf(path, sizeof(path), "usr/d%lu/", directory);
			put_entry(path, '5', 0755, "", "");
			continue;
		}
		content += rest % 6 != 4;
		snprintf(text, sizeof(text), "%100lu", content);
		if (rest % 8 == 3) {
			snprintf(path, sizeof(path), "usr/d%lu/link-%lu", directory, i);
			snprintf(link, sizeof(link), "file-%lu", i - 1);
			put_entry(path, '2', 0777, link, "");
			continue;
		}
		snprintf(path, sizeof(path), "usr/d%lu/file-%lu", directory, i);
		put_entry(path, '0', rest % 3 ? 0644 : 0755, "", rest == 5 ? "" : text);
	}
	fwrite(end, 1, sizeof(end), stdout);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int arguments;
		void (*run)(char **arguments);
	} steps[] = {
		{ "load", 2, bench_load },           { "name", 3, bench_name },
		{ "fill", 5, bench_fill },           { "blit", 3, bench_blit },
		{ "archive", 1, bench_archive },
	};

	umask(022);
	for (size_t i = 0; argc > 1 && i < sizeof(steps) / sizeof(steps[0]); i++)
		if (!strcmp(steps[i].name, argv[1]) && argc == 2 + steps[i].arguments) {
			steps[i].run(argv + 2);
			return 0;
		}
	errx(2, "no such step, or not its number of arguments");
}
