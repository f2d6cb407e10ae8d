/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of engines share: a site, every method in turn, and a tree told in words. */
#ifndef BLITBENCH_TESTS_ENGINE_FIXTURE_H
#define BLITBENCH_TESTS_ENGINE_FIXTURE_H

#include "mounted_fixture.h"

#include "config/config.h"
#include "run/transaction.h"
#include "run/verify.h"
#include "workload/digest.h"

#include <math.h>

enum { MANY_THREADS = 4 };

static struct workload workload;
static struct site site;

/* How many of each the layout without the delta has; calls are counted against them. */
static unsigned directories __attribute__((unused)), symlinks __attribute__((unused)),
	empties __attribute__((unused)), files __attribute__((unused)),
	assets __attribute__((unused));

__attribute__((unused)) static void count_entries(void)
{
	const struct layout *layout = &workload.remove;

	directories = layout->directory_count;
	symlinks = layout->symlink_count;
	empties = layout->empty_file_count;
	files = layout->file_count - empties;
	assets = workload.contents.count;
}

/* A site in a directory that may hold other things, its store filled. */
__attribute__((unused)) static void make_site(const char *path)
{
	static char kept[PATH_MAX];
	struct populate_result populated;

	snprintf(kept, sizeof(kept), "%s", path);
	mkdir(kept, 0755);
	if (site_create(&site, -1, kept, NULL, &workload, fanout_find("3x2")) ||
	    site_fill(&site, &workload.contents, 1, 2, NULL, &populated) ||
	    site_learn_assets(&site))
		fail_msg("%s", error_text());
}

__attribute__((unused)) static int make_engine_test(void **state)
{
	site = SITE_CLOSED;
	umask(022);
	return make_top(state);
}

/* Also where a test stopped half-way. */
__attribute__((unused)) static int remove_engine_test(void **state)
{
	site_free(&site);
	workload_free(&workload);
	unmount_fresh();
	return remove_top(state);
}

/* Calls what for each method that works between the site's store and its staging: each engine of
 * the table, by each strategy that it knows, on one thread and, where it can, on several. How many.
 */
__attribute__((unused)) static unsigned each_method(void (*what)(const struct blit_method *method))
{
	const char *cursor = engine_names();
	char name[CONFIG_WORD_BYTES];
	unsigned count = 0;

	while (config_next_word(&cursor, name, sizeof(name))) {
		const struct engine *engine = engine_find(name);

		assert_non_null(engine);
		for (unsigned i = STRATEGY_HARDLINK; i < STRATEGIES; i++) {
			struct blit_method method = { engine, (enum strategy)i, 1 };

			if (engine_probe(&method, site.store_fd, site.staging_fd))
				continue;
			assert_int_equal(method.strategy, i);
			for (; method.threads <= (engine->parallel ? MANY_THREADS : 1);
			     method.threads += MANY_THREADS - 1) {
				what(&method);
				count++;
			}
		}
	}
	return count;
}

/* --- a tree in words --- */

static const char *told_top;
static FILE *told;

static int tell_entry(const char *path, const struct stat *status)
{
	const char *name = path + strlen(told_top);
	_cleanup_free_ char *bytes = NULL;
	char text[PATH_MAX] = "";
	size_t size = 0;
	ssize_t length;

	if (S_ISREG(status->st_mode)) {
		bytes = get_bytes(path, &size);
		fprintf(told, "%s file %zu %016llx\n", name, size,
			(unsigned long long)XXH3_64bits(bytes, size));
	} else if (S_ISLNK(status->st_mode)) {
		length = readlink(path, text, sizeof(text) - 1);
		assert_true(length > 0);
		text[length] = '\0';
		fprintf(told, "%s link %s\n", name, text);
	} else {
		assert_true(S_ISDIR(status->st_mode));
		fprintf(told, "%s directory\n", name);
	}
	return 0;
}

static void tell_directory(const char *path)
{
	struct dirent **names;
	int count = scandir(path, &names, NULL, alphasort);

	assert_true(count >= 2);
	for (int i = 0; i < count; i++) {
		char below[PATH_MAX];
		struct stat status;

		snprintf(below, sizeof(below), "%s/%s", path, names[i]->d_name);
		if (strcmp(names[i]->d_name, ".") && strcmp(names[i]->d_name, "..")) {
			assert_int_equal(lstat(below, &status), 0);
			tell_entry(below, &status);
			if (S_ISDIR(status.st_mode))
				tell_directory(below);
		}
		free(names[i]);
	}
	free(names);
}

/* Names, types, link texts, sizes and digests of contents of all below; freed by the caller. */
__attribute__((unused)) static char *tree_in_words(const char *path)
{
	char *text = NULL;
	size_t size;

	told_top = path;
	told = open_memstream(&text, &size);
	tell_directory(path);
	fclose(told);
	return text;
}

/* --- what must be as it was --- */

__attribute__((unused)) static unsigned count_names_in(const char *path)
{
	unsigned count = 0;
	_cleanup_closedir_ DIR *directory = opendir(path);

	assert_non_null(directory);
	while (readdir(directory))
		count++;
	return count;
}

__attribute__((unused)) static unsigned threads_now(void)
{
	return count_names_in("/proc/self/task") - 2;
}

__attribute__((unused)) static unsigned descriptors_now(void)
{
	return count_names_in("/proc/self/fd");
}

#endif
