/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking into a directory, and removing a tree of files. */
#ifndef BLITBENCH_LIB_TREE_H
#define BLITBENCH_LIB_TREE_H

enum { TREE_NAME_BYTES = 256 };

/* How many names the open directory holds; first, where it is not NULL, gets one of them, or "". A
 * negative errno, without a sentence, where it cannot be read. */
long tree_names(int fd, char first[TREE_NAME_BYTES]);

/* Removes name below the open directory parent with all it holds; never follows a symlink, never
 * enters what is mounted there: -EBUSY. -ENOENT, ... with a sentence that names what could not be
 * removed. What others remove meanwhile is no error. */
int tree_remove(int parent, const char *name);

/* The same, where there may be nothing of that name. */
int tree_clear(int parent, const char *name);

#endif
