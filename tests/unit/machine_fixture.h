/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hand-written machines: a folder with sys/ and proc/ as the kernel would show them. */
#ifndef BLITBENCH_TESTS_MACHINE_FIXTURE_H
#define BLITBENCH_TESTS_MACHINE_FIXTURE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "scratch.h"

#include "lib/cleanup.h"
#include "lib/tree.h"

#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CPU "/sys/devices/system/cpu/"

static char top[64];

static inline int make_top(void **state)
{
	(void)state;
	return scratch_make(top, "machine");
}

static inline int remove_top(void **state)
{
	(void)state;
	return tree_remove(AT_FDCWD, top);
}

/* A path of the tree, whose folders are then there. */
static inline void path_in_top(char path[PATH_MAX], const char *name)
{
	snprintf(path, PATH_MAX, "%s%s", top, name);
	for (char *slash = path + strlen(top) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static inline void put(const char *name, const char *text)
{
	char path[PATH_MAX];

	path_in_top(path, name);
	unlink(path);
	_cleanup_fclose_ FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
}

static inline void put_link(const char *name, const char *target)
{
	char path[PATH_MAX];

	path_in_top(path, name);
	assert_int_equal(symlink(target, path), 0);
}

static inline const char *text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text ? text : "(no text)";
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_top, remove_top)

#endif
