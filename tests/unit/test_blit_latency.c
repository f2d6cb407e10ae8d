/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The times of a blit's calls: as many as there were calls, by kind, of all threads; what a trial
 * tells of them, and that the documentation knows it. */
#include "engine_fixture.h"

#include "blit/timed.h"
#include "lib/sysfs.h"
#include "report/fields.h"
#include "report/latency.h"
#include "run/latency.h"

static struct latency latency[TIMED_KINDS];

static void load_tree(void)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fputs("#mtree\n", out);
	for (unsigned i = 0; i < 120; i++) {
		fprintf(out, "./usr/d%u/f%u type=file mode=0644 size=100 inode=%u\n", i % 7, i,
			1 + i % 50);
		if (i % 4 == 0)
			fprintf(out, "./usr/d%u/l%u type=link link=x\n", i % 7, i);
		if (i % 5 == 0)
			fprintf(out, "./usr/d%u/n%u type=file mode=0644 size=0\n", i % 7, i);
	}
	fclose(out);
	must_load(&workload, text, NULL);
}

static int set_up(void **state)
{
	int error = make_engine_test(state);

	if (error)
		return error;
	load_tree();
	count_entries();
	make_site(in_top("site"));
	memset(latency, 0, sizeof(latency));
	return 0;
}

static void blit(const struct blit_method *method)
{
	struct transaction transaction;

	if (transaction_run(&site, method, &workload.remove, &transaction))
		fail_msg("%s: %s", method->engine->name, error_text());
}

/* Blitted anew with each call timed; the modes were put right by an earlier blit. */
static void blit_timed(const struct blit_method *method)
{
	blit(method);
	memset(latency, 0, sizeof(latency));
	site.latency = latency;
	blit(method);
	site.latency = NULL;
	assert_null(timed_mine);
}

static void must_count(const struct blit_method *method, enum timed_kind kind, uint64_t wanted)
{
	uint64_t in_buckets = 0;

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
		in_buckets += latency[kind].buckets[i];
	if (latency[kind].count != wanted || in_buckets != wanted)
		fail_msg("%s, %u threads: %llu times of %s, not %llu", method->engine->name,
			 method->threads, (unsigned long long)latency[kind].count,
			 timed_name(kind), (unsigned long long)wanted);
}

static void must_count_tree(const struct blit_method *method)
{
	must_count(method, TIMED_MKDIRAT, directories);
	must_count(method, TIMED_OPEN_DIRECTORY, directories);
	must_count(method, TIMED_SYMLINKAT, symlinks);
}

static void counts_like_its_name(const struct blit_method *method)
{
	const char *name = method->engine->name;
	bool handle = !strcmp(name, "handle"), of_2026 = !strcmp(name, "moss-2026");

	blit_timed(method);
	must_count_tree(method);
	must_count(method, TIMED_OPEN_NEW, empties);
	must_count(method, TIMED_LINKAT, files);
	must_count(method, TIMED_FCHMODAT2, handle || of_2026 ? 0 : files);
	must_count(method, TIMED_OPEN_ASSET, of_2026 ? files : 0);
	must_count(method, TIMED_OPEN_BY_HANDLE_AT, handle ? files : 0);
	must_count(method, TIMED_FSTAT, handle || of_2026 ? files : 0);
	must_count(method, TIMED_CLOSE,
		   directories + empties + (handle || of_2026 ? files : 0) +
			   latency[TIMED_READ_INODE].count);
}

static void all_calls_of_all_threads_are_timed(void **state)
{
	(void)state;
	assert_true(each_method(counts_like_its_name) > 0);
}

/* The store on one filesystem, the tree on another: as copy is meant. */
static void copies_are_timed(void **state)
{
	struct blit_method method = { engine_find("moss-2026"), STRATEGY_COPY, MANY_THREADS };
	struct blit copying = {
		.layout = &workload.remove,
		.asset_paths = (const char(*)[STORE_PATH_BYTES])site.asset_paths,
		.asset_count = assets,
		.store_fd = site.store_fd,
		.strategy = STRATEGY_COPY,
		.threads = MANY_THREADS,
		.latency = latency,
	};

	(void)state;
	mount_fresh("ext4", 64, "-q");
	_cleanup_close_ int elsewhere = open(in_top("mounted"), O_RDONLY | O_DIRECTORY);
	copying.staging_fd = elsewhere;
	assert_int_equal(blit_begin(&copying), 0);
	assert_int_equal(method.engine->blit(&copying), 0);
	blit_end(&copying);
	must_count_tree(&method);
	must_count(&method, TIMED_OPEN_NEW, empties + files);
	must_count(&method, TIMED_OPEN_ASSET, files);
	must_count(&method, TIMED_COPY_FILE_RANGE, files);
	must_count(&method, TIMED_SENDFILE, 2 * files);
	must_count(&method, TIMED_CLOSE, directories + empties + 2 * files);
}

static void nothing_is_timed_unasked(void **state)
{
	const struct blit_method method = { engine_find("moss-2025"), STRATEGY_HARDLINK, 1 };

	(void)state;
	blit(&method);
	for (unsigned i = 0; i < TIMED_KINDS; i++)
		must_count(&method, (enum timed_kind)i, 0);
}

/* A failing call is timed like any other, and errno stays its own. */
static void errno_stays_the_calls(void **state)
{
	(void)state;
	timed_mine = latency;
	assert_int_equal(blit_close(-1), -1);
	assert_int_equal(errno, EBADF);
	timed_mine = NULL;
	assert_int_equal(latency[TIMED_CLOSE].count, 1);
}

/* --- what is told --- */

static struct trial_record told_trial(const char *clocksource)
{
	struct trial_record trial = { .seconds = 2, .cell.threads = 2, .verified = true };

	trial.details = json_object();
	run_shell("mkdir -p sys/devices/system/clocksource/clocksource0; "
		  "echo %s > sys/devices/system/clocksource/clocksource0/current_clocksource",
		  clocksource);
	latency_tell(latency, &trial, top);
	latency_judge_clock(&trial, top);
	return trial;
}

static void a_trial_tells_them(void **state)
{
	for (unsigned i = 0; i < 1000; i++)
		latency_record(&latency[TIMED_LINKAT], i < 998 ? 40 : i == 998 ? 70 : 123456);

	struct trial_record trial = told_trial("tsc");
	const json_t *times = field(trial.details, "latency");
	const json_t *call = json_array_get(field(times, "calls"), 0);

	(void)state;
	assert_int_equal(trial.flag_count, 0);
	assert_string_equal(field_text(times, "clocksource", ""), "tsc");
	assert_true(field_number(times, "cost_nanoseconds") > 0);
	assert_true(fabs(field_number(times, "cost_seconds") -
			 field_number(times, "cost_nanoseconds") * 1e-6) < 1e-12);
	assert_int_equal(json_array_size(field(times, "calls")), 1);
	assert_string_equal(field_text(call, "call", ""), "linkat");
	assert_true(field_number(call, "count") == 1000);
	assert_true(field_number(call, "p50_nanoseconds") == 40);
	assert_true(field_number(call, "p99_nanoseconds") == 40);
	assert_true(field_number(call, "p999_nanoseconds") == 71);
	assert_true(field_number(call, "max_nanoseconds") == 123456);
	assert_true(fabs(field_number(call, "seconds") - (998 * 40 + 70 + 123456) / 1e9) < 1e-12);
	_cleanup_free_ char *buckets = json_dumps(field(call, "buckets"), JSON_COMPACT);
	assert_string_equal(buckets, "{\"40\":998,\"71\":1,\"123456\":1}");
	trial_record_free(&trial);
}

static void a_clock_that_needs_a_system_call_is_noted(void **state)
{
	struct trial_record trial = told_trial("acpi_pm");

	(void)state;
	assert_int_equal(trial.flag_count, 1);
	assert_string_equal(trial.flags[0].name, "clock-source");
	assert_int_equal(trial.flags[0].level, FLAG_NOTE);
	assert_true(trial_valid(&trial));
	trial_record_free(&trial);
	assert_true(latency_clock_is_cheap("kvm-clock"));
	assert_false(latency_clock_is_cheap("hpet"));
	assert_false(latency_clock_is_cheap(""));
}

/* Two trials' together are as if all had been recorded in one. */
static void a_cell_merges_its_trials(void **state)
{
	static struct latency all;
	struct trial_record trials[2];
	const struct trial_record *members[] = { &trials[0], &trials[1] };
	uint64_t value = 1;

	(void)state;
	memset(&all, 0, sizeof(all));
	for (unsigned trial = 0; trial < 2; trial++) {
		memset(latency, 0, sizeof(latency));
		for (unsigned i = 0; i < 3000; i++) {
			value = value * 6364136223846793005ull + 1442695040888963407ull;
			latency_record(&latency[TIMED_CLOSE], value >> (26 + i % 30));
			latency_record(&all, value >> (26 + i % 30));
		}
		trials[trial] = told_trial("tsc");
	}
	json_t *summary = latency_summary(members, 2), *alone = latency_call_json("close", &all);
	const json_t *call = json_array_get(field(summary, "calls"), 0);
	static const char *const keys[] = { "call", "count", "p50_nanoseconds", "p99_nanoseconds",
					    "p999_nanoseconds", "max_nanoseconds", NULL };
	assert_true(fields_equal(call, alone, keys));
	assert_true(field_number(summary, "trials") == 2);
	assert_true(fabs(field_number(call, "seconds") / field_number(alone, "seconds") - 1) < 1e-9);
	assert_true(field_number(summary, "cost_share") > 0);
	/* Of both trials the greatest stands for its own bucket, also where it is not full. */
	uint64_t counted = 0;
	const json_t *bucket;
	const char *key;
	json_object_foreach((json_t *)field(call, "buckets"), key, bucket)
		counted += (uint64_t)json_integer_value(bucket);
	assert_int_equal(counted, 6000);
	json_decref(summary);
	json_decref(alone);
	for (unsigned i = 0; i < 2; i++)
		trial_record_free(&trials[i]);
	summary = latency_summary(members, 0);
	assert_true(json_is_null(summary));
	json_decref(summary);
}

#define SETUP \
	"\"engine\":\"moss-2025\",\"strategy\":\"hardlink\",\"threads\":1,\"store\":\"3x2\","

/* Of two cells, only one of which was timed. */
static void a_table_tells_them(void **state)
{
	static const char wanted[] =
		"Latency of single calls in microseconds, and seconds of all together\n"
		"                               calls     p50     p99    p99.9       max  seconds\n"
		"ext4 remove hot, 2 trials; timing cost 40 ns a call, 0.5 % of the blit:\n"
		"  open_by_handle_at (asset)   123456    1.50   150.2    20000 123456789   12.000\n"
		"  close                            1    0.00    0.00     0.00      0.00    0.000\n"
		"\n"
		"All calls of a cell's valid trials. p99: 99 of 100 took at most so long, told\n"
		"up to 3 % too high; max is exact. seconds: over all threads and trials.\n";
	json_error_t error;
	json_t *report = json_loads(
		"{\"summary\":[{" SETUP "\"filesystem\":\"ext4\",\"operation\":\"remove\",\"cache\":\"cold\","
		"\"latency\":null},"
		"{" SETUP "\"filesystem\":\"ext4\",\"operation\":\"remove\",\"cache\":\"hot\",\"latency\":"
		"{\"trials\":2,\"cost_nanoseconds\":40.2,\"cost_share\":0.0049,\"calls\":["
		"{\"call\":\"open_by_handle_at (asset)\",\"count\":123456,\"seconds\":12.0,"
		"\"p50_nanoseconds\":1500,\"p99_nanoseconds\":150234,\"p999_nanoseconds\":19999999,"
		"\"max_nanoseconds\":123456789012},"
		"{\"call\":\"close\",\"count\":1,\"seconds\":0.0,\"p50_nanoseconds\":0,"
		"\"p99_nanoseconds\":0,\"p999_nanoseconds\":0,\"max_nanoseconds\":0}]}}]}",
		0, &error);
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	assert_non_null(report);
	assert_true(latency_recorded(field(report, "summary")));
	struct page page;
	assert_int_equal(page_build(&page, report), 0);
	table_latency(out, &page);
	page_free(&page);
	fclose(out);
	assert_string_equal(text, wanted);
	json_decref(report);
}

/* Journals come from anywhere. */
static void odd_latencies_are_no_crash(void **state)
{
	static const char *const odd[] = {
		"{\"latency\":7}",
		"{\"latency\":{\"calls\":{}}}",
		"{\"latency\":{\"calls\":[7,{\"call\":5},{\"call\":\"a\",\"buckets\":[3]},"
		"{\"call\":\"b\",\"buckets\":{\"-1\":2,\"1\":-2,\"x\":4,\"2\":[],\"3\":1e300,"
		"\"18446744073709551615\":9223372036854775807,\"7\":9223372036854775807},"
		"\"seconds\":\"x\"}]}}",
		"{\"latency\":{\"calls\":[{\"call\":\"a name that is longer than any name of a call "
		"could ever be in this program\"}],\"cost_seconds\":[]}}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LENGTH(odd); i++) {
		struct trial_record trial = { .seconds = 0, .cell.threads = 1 };
		const struct trial_record *member = &trial;

		trial.details = json_loads(odd[i], 0, NULL);
		assert_non_null(trial.details);
		json_t *cell = json_pack("{s:s,s:o}", "filesystem", "ext4", "latency",
					 latency_summary(&member, 1));
		json_t *report = json_pack("{s:[o]}", "summary", cell);
		FILE *out = fopen("/dev/full", "w");

		assert_int_equal(latency_recorded(field(report, "summary")), i >= 2);
		struct page page;
		assert_int_equal(page_build(&page, report), 0);
		table_latency(out, &page);
		page_free(&page);
		fclose(out);
		json_decref(report);
		trial_record_free(&trial);
	}
}

/* Every key, as in the test of the whole report. */
static void every_key_is_documented(void **state)
{
	latency_record(&latency[TIMED_CLOSE], 5);

	struct trial_record trial = told_trial("tsc");
	const struct trial_record *member = &trial;
	_cleanup_free_ char *document = sysfs_slurp("", "docs/report.md");
	json_t *summary = latency_summary(&member, 1);
	const json_t *const objects[] = { field(trial.details, "latency"), summary,
					  json_array_get(field(summary, "calls"), 0) };
	const json_t *value;
	const char *key;

	(void)state;
	assert_non_null(document);
	for (size_t i = 0; i < ARRAY_LENGTH(objects); i++) {
		assert_true(json_object_size(objects[i]) > 0);
		json_object_foreach((json_t *)objects[i], key, value) {
			char quoted[64];

			snprintf(quoted, sizeof(quoted), "`%s`", key);
			if (!strstr(document, quoted))
				fail_msg("docs/report.md does not know the key %s", key);
		}
	}
	json_decref(summary);
	trial_record_free(&trial);
}

#define latency_test(name) cmocka_unit_test_setup_teardown(name, set_up, remove_engine_test)

int main(void)
{
	const struct CMUnitTest tests[] = {
		latency_test(all_calls_of_all_threads_are_timed),
		latency_test(copies_are_timed),
		latency_test(nothing_is_timed_unasked),
		latency_test(errno_stays_the_calls),
		latency_test(a_trial_tells_them),
		latency_test(a_clock_that_needs_a_system_call_is_noted),
		latency_test(a_cell_merges_its_trials),
		latency_test(a_table_tells_them),
		latency_test(odd_latencies_are_no_crash),
		latency_test(every_key_is_documented),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
