/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Builds layouts entry by entry: from manifests (strictly) or from the packages of an import (as a
 * package manager merges them). Parents that nobody lists are made, 0755 root:root.
 */
#ifndef BLITBENCH_WORKLOAD_LAYOUT_BUILD_H
#define BLITBENCH_WORKLOAD_LAYOUT_BUILD_H

#include "workload/contents.h"
#include "workload/hash_index.h"
#include "workload/mtree.h"

enum merge_rule {
	/* Refused: a second spelling of a path, a parent that is no directory, a directory with
	 * entries that becomes something else. */
	MERGE_STRICT,
	/* A directory replaces whatever stands where a parent is needed, and a directory with
	   entries stays one. */
	MERGE_PACKAGES,
};

struct build_node {
	uint32_t name, parent;
	uint32_t spelling; /* hash of the path as its source spelled it */
	uint32_t target; /* file: place in the contents or NO_ASSET; symlink: offset of its text */
	uint32_t uid, gid;
	uint32_t source; /* that listed it last; 0: made as a parent */
	uint16_t mode;
	uint8_t type, name_length;
	bool has_children;
};

struct build_content {
	uint64_t number, size;
	bool numbered;
};

struct layout_build {
	enum merge_rule rule;
	uint32_t source; /* of the entries that are added now, from 1 on */
	uint32_t listed; /* entries that this source has listed so far */

	struct build_node *nodes; /* nodes[0] is usr */
	size_t node_count, node_capacity;
	struct hash_index node_index;

	char *names;
	size_t names_bytes, names_capacity;

	struct build_content *contents;
	size_t content_count, content_capacity;
	struct hash_index content_index;

	/* The directory of the last entry: most often the next one lies in it too. */
	char last_directory[PATH_LIMIT_BYTES + 1];
	size_t last_directory_bytes;
	uint32_t last_directory_node;

	uint32_t replaced_parents,
		kept_directories; /* how often the two rules of MERGE_PACKAGES applied */
};

int layout_build_start(struct layout_build *build, enum merge_rule rule);

/*
 * Adds an entry, or replaces the one of the same path. The root ("." or "./") is ignored. -EINVAL
 * with a sentence, which does not name the entry, for what workload.h says is refused.
 */
int layout_build_add(struct layout_build *build, const struct listed_entry *entry);

/* How many of a normalised path's bytes, in whole names, are an entry already; 0 where not even usr
 * is. */
size_t layout_build_known_bytes(const struct layout_build *build, const char *path);

/* What is added from now on comes from another manifest or package, with its own way to spell
 * paths. */
void layout_build_next_source(struct layout_build *build);

/*
 * Makes the layout of all that was added so far; more may be added afterwards. Its names are NULL
 * and its assets are places in build->contents until layout_build_settle has settled both.
 */
int layout_build_finish(struct layout_build *build, struct layout *layout);

/*
 * After the last layout_build_finish: makes the contents that the layouts refer to, sorted by
 * number, points the assets there, and gives all layouts the one arena of names, which the caller
 * frees once. Contents without a number get theirs in the order in which the layouts are walked.
 */
int layout_build_settle(struct layout_build *build, struct layout *const layouts[],
			unsigned layout_count, struct contents *contents);

/* Hands all entries that were listed (not those that were made) to take, bytewise by path. */
int layout_build_each(const struct layout_build *build, take_entry *take, void *context);

void layout_build_free(struct layout_build *build);

#endif
