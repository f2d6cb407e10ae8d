/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "disk/fat_check.h"

#include "disk/words.h"
#include "lib/child.h"
#include "lib/cleanup.h"
#include "lib/error.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define PROGRAM "/sbin/fsck.fat"

/* A stick of 256 GB full of files takes minutes where it is slow. */
enum { LIMIT_SECONDS = 300, LINES_SHOWN = 12 };

/* fsck.fat(8): 0 nothing found; 1 errors found, and all of them corrected unless it says so. */
enum { STATUS_CLEAN, STATUS_REPAIRED };

/* Its name, its summary, and how the boot sector's copy differs byte by byte: that the flag of a volume in
 * use is not in the copy is all that is ever normal there. */
static bool is_noise(const char *line, const char *node)
{
	static const char *const noise[] = {
		"fsck.fat ", "There are differences between boot sector", "This is mostly harmless",
		"Not automatically fixing", "*** Filesystem was changed", "Writing changes",
	};

	if (!*line || *line == ',' || isdigit((unsigned char)*line) ||
	    (!strncmp(line, node, strlen(node)) && line[strlen(node)] == ':'))
		return true;
	for (size_t i = 0; i < ARRAY_LENGTH(noise); i++)
		if (!strncmp(line, noise[i], strlen(noise[i])))
			return true;
	return false;
}

/* The first of its lines as one; names of files that are damaged may hold anything. */
static void tell(const char *output, const char *node, char *told, size_t size)
{
	struct words words = words_start(told, size);
	unsigned shown = 0, more = 0;

	told[0] = '\0';
	for (const char *at = output; *at;) {
		char line[256];
		size_t length = strcspn(at, "\n");
		const char *text = at + strspn(at, " ");

		snprintf(line, sizeof(line), "%.*s", (int)(at + length - text), text);
		at += length + (at[length] == '\n');
		if (is_noise(line, node))
			continue;
		if (shown < LINES_SHOWN)
			words_add(&words, "%s%s", shown++ ? " / " : "", line);
		else
			more++;
	}
	if (more)
		words_add(&words, " / and %u more such lines", more);
}

int fat_check(const char *node, char *told, size_t size)
{
	const char *const argv[] = { PROGRAM, "-a", node, NULL };
	struct child_result child;
	char left[512];

	told[0] = '\0';
	int result = child_run(argv, LIMIT_SECONDS, &child);
	if (child.exit_status == STATUS_CLEAN && !result)
		return 0;
	if (child.exit_status != STATUS_REPAIRED || child.timed_out)
		return result;
	tell(child.output, node, told, size);
	/* What cannot be read at all ends with the same status as what was repaired. */
	result = child_run(argv, LIMIT_SECONDS, &child);
	if (!result)
		return 0;
	tell(child.output, node, left, sizeof(left));
	return error_set(-EUCLEAN, "it is damaged, and fsck.fat cannot repair it: %s; copy what you need "
				   "off it and write the image to the stick anew",
			 *left ? left : error_text());
}
