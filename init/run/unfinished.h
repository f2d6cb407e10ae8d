/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the newest run on the results volume left undone. */
#ifndef BLITBENCH_RUN_UNFINISHED_H
#define BLITBENCH_RUN_UNFINISHED_H

/*
 * Where the last verdict of the newest run below top ("runs/<id>") is still "incomplete": the
 * PARTUUID of the target that it had opened to format, else "". Newest by id, which begins with the
 * time.
 */
void unfinished_partuuid(const char *top, char partuuid[40]);

#endif
