/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The walk that all engines share: it makes a layout's tree, and asks the engine for the files with
 * content. A directory is mkdirat, openat(O_RDONLY | O_DIRECTORY), its children, close; a symlink
 * is symlinkat; an empty file openat(O_CREAT | O_WRONLY | O_TRUNC), close.
 *
 * One thread goes in moss's order: depth-first, bytewise by name. Several share out the children of
 * each directory, as moss's do: whoever has nothing left takes the second half of what another has
 * not begun yet, of the directory highest up. One takes from others only once all it had is done,
 * so that what is open are the directories above the one that each thread works in: their
 * descriptors are at most the layout's depth times the threads. Whoever makes a directory's last
 * child closes it. In all this nothing is allocated.
 */
#ifndef BLITBENCH_BLIT_WALK_H
#define BLITBENCH_BLIT_WALK_H

#include "blit/blit.h"

/* What is made before the timer: for each directory its descriptor, for each thread the ranges of
 * children that it has not begun. -ENOMEM with a sentence. */
int walk_new(struct walk **walk, struct blit *blit);
void walk_free(struct walk **walk);

/* Makes a file with content: 0, or what blit_failed returned. Called by several threads at once. */
typedef int (*walk_file)(struct blit *blit, int parent, const struct entry *entry,
			 const char *name);

/*
 * Makes the tree; stripped are the mode bits that empty files are not given. 0, or the negative
 * errno of the first failure, which stops all threads and leaves no descriptor open.
 */
int walk_tree(struct blit *blit, walk_file make_file, mode_t stripped);

#endif
