/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the runs before this one have left undone, by their journals on the results volume. */
#ifndef BLITBENCH_RUN_UNFINISHED_H
#define BLITBENCH_RUN_UNFINISHED_H

#include <jansson.h>

enum { UNFINISHED_NAME_BYTES = 32 };

struct unfinished {
	char newest[UNFINISHED_NAME_BYTES]; /* the newest run's folder, however it ended; "" = there
					       is none */
	char name[UNFINISHED_NAME_BYTES];   /* the same where it has no verdict; "" else */
	/* The PARTUUID of the target that the newest run which was to format one (neither refused
	 * nor dry) had opened, where it has no verdict; "" else. */
	char partuuid[40];
	/* Whose finished sessions may be gone on with, and its journal's lines, owned: that run, if
	 * it has no verdict or was stopped by somebody, or the one before it that it had not yet
	 * copied all sessions of. NULL where there is none. */
	char source[UNFINISHED_NAME_BYTES];
	json_t *lines;
	/* How many of the newest runs, one after the other, have no verdict and no session of their
	 * own that was finished: boots that led nowhere. */
	unsigned barren;
};

/* Looks below top ("runs/<id>"); newest by id, which begins with the time. Dry runs format nothing
 * and count as finished. */
void unfinished_find(const char *top, struct unfinished *unfinished);

void unfinished_free(struct unfinished *unfinished);

#endif
