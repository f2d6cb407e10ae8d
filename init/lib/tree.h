/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removing a tree of files. */
#ifndef BLITBENCH_LIB_TREE_H
#define BLITBENCH_LIB_TREE_H

/* Removes name below the open directory parent with all it holds; never follows a symlink, never
 * leaves the filesystem's tree below name. -ENOENT, ... with a sentence that names what could not
 * be removed. */
int tree_remove(int parent, const char *name);

/* The same, where there may be nothing of that name. */
int tree_clear(int parent, const char *name);

#endif
