/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of workloads share: a folder of their own, files in it, workloads loaded from
 * text. */
#ifndef BLITBENCH_TESTS_WORKLOAD_FIXTURE_H
#define BLITBENCH_TESTS_WORKLOAD_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/tree.h"
#include "workload/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static char top[64];

__attribute__((unused)) static int make_top(void **state)
{
	(void)state;
	return scratch_make(top, "workload");
}

__attribute__((unused)) static int remove_top(void **state)
{
	(void)state;
	return tree_remove(AT_FDCWD, top);
}

/* The path of a file in the test's folder. Eight may be in use at a time. */
__attribute__((unused)) static const char *in_top(const char *name)
{
	static char paths[8][PATH_MAX];
	static unsigned turn;
	char *path = paths[turn++ % 8];

	snprintf(path, PATH_MAX, "%s/%s", top, name);
	return path;
}

__attribute__((unused)) static const char *put_bytes(const char *name, const void *bytes,
						     size_t count)
{
	const char *path = in_top(name);
	_cleanup_fclose_ FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	return path;
}

__attribute__((unused)) static const char *put_text(const char *name, const char *text)
{
	return put_bytes(name, text, strlen(text));
}

/* The whole file, NUL-terminated, freed by the caller. */
__attribute__((unused)) static char *get_bytes(const char *path, size_t *count)
{
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	char *bytes;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*count = (size_t)ftell(file);
	rewind(file);
	bytes = calloc(1, *count + 1);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, *count, file), *count);
	return bytes;
}

/* Reads manifests and names their contents. */
__attribute__((unused)) static int workload_load(struct workload *workload, const char *name,
						 const char *base_path, const char *delta_path,
						 uint64_t seed, const struct progress *progress)
{
	int error = workload_read(workload, name, base_path, delta_path, progress);

	if (error)
		return error;
	error = contents_name(&workload->contents, seed, 2, progress);
	if (error)
		workload_free(workload);
	return error;
}

/* Loads manifests given as text; delta may be NULL. */
__attribute__((unused)) static int load_text(struct workload *workload, const char *base,
					     const char *delta)
{
	put_text("base.mtree", base);
	if (delta)
		put_text("delta.mtree", delta);
	return workload_load(workload, "test", in_top("base.mtree"),
			     delta ? in_top("delta.mtree") : NULL, 1, NULL);
}

__attribute__((unused)) static void must_load(struct workload *workload, const char *base,
					      const char *delta)
{
	int error = load_text(workload, base, delta);

	if (error)
		fail_msg("%s", error_text());
}

/* The place of an entry in a layout, by its path; the test fails where there is none. */
__attribute__((unused)) static uint32_t find_entry(const struct layout *layout, const char *path)
{
	char buffer[PATH_MAX];

	for (uint32_t i = 0; i < layout->entry_count; i++)
		if (!strcmp(layout_path(layout, i, buffer, sizeof(buffer)), path))
			return i;
	fail_msg("there is no entry %s", path);
	return 0;
}

__attribute__((unused)) static void assert_sentence(const char *part)
{
	if (!strstr(error_text(), part))
		fail_msg("\"%s\" is not in the sentence: %s", part, error_text());
}

#endif
