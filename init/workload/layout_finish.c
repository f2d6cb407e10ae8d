/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second half of layout_build.h: from the nodes to layouts, contents and lists. */
#include "workload/layout_build.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/grow.h"

#include <string.h>

static int compare_names(const struct layout_build *build, const struct build_node *a,
			 const struct build_node *b)
{
	size_t shorter = a->name_length < b->name_length ? a->name_length : b->name_length;
	int order = memcmp(build->names + a->name, build->names + b->name, shorter);

	return order ? order : a->name_length - b->name_length;
}

static int by_name(const void *a, const void *b, void *context)
{
	const struct layout_build *build = context;

	return compare_names(build, &build->nodes[*(const uint32_t *)a],
			     &build->nodes[*(const uint32_t *)b]);
}

/* All nodes but usr, by parent and then by name: those of node n are children[first[n]] to
 * children[first[n + 1] - 1]. */
struct families {
	uint32_t *children, *first;
};

static void families_free(struct families *families)
{
	free(families->children);
	free(families->first);
}

static int families_make(struct families *families, struct layout_build *build)
{
	size_t count = build->node_count;
	uint32_t sum = 0;

	families->children = calloc(count, sizeof(*families->children));
	/* While the families are filled, first[n + 1] is the next free place of n's; when they are
	 * full, its end. */
	families->first = calloc(count + 2, sizeof(*families->first));
	if (!families->children || !families->first)
		return error_set(-ENOMEM, "out of memory for a layout of %zu entries", count);
	for (size_t i = 1; i < count; i++)
		families->first[build->nodes[i].parent + 2]++;
	for (size_t i = 2; i < count + 2; i++) {
		sum += families->first[i];
		families->first[i] = sum;
	}
	for (uint32_t i = 1; i < count; i++)
		families->children[families->first[build->nodes[i].parent + 1]++] = i;
	for (size_t i = 0; i < count; i++)
		qsort_r(families->children + families->first[i],
			families->first[i + 1] - families->first[i], sizeof(*families->children),
			by_name, build);
	return 0;
}

static void count_entry(struct layout *layout, const struct layout_build *build,
			const struct entry *entry)
{
	switch (entry->type) {
	case ENTRY_DIRECTORY:
		layout->directory_count++;
		break;
	case ENTRY_SYMLINK:
		layout->symlink_count++;
		break;
	default:
		layout->file_count++;
		if (entry->asset == NO_ASSET)
			layout->empty_file_count++;
		else
			/* At most 2^22 entries of at most 2^40 bytes, and usr is none of them: no
			 * overflow. */
			layout->bytes += build->contents[entry->asset].size;
	}
}

int layout_build_finish(struct layout_build *build, struct layout *layout)
{
	struct families families = { 0 };
	_cleanup_free_ uint32_t *node_of = calloc(build->node_count, sizeof(*node_of));
	uint32_t placed = 1;
	int error = families_make(&families, build);

	*layout = (struct layout){ .entry_count = (uint32_t)build->node_count };
	layout->entries = calloc(build->node_count, sizeof(*layout->entries));
	if (!error && (!node_of || !layout->entries))
		error = error_set(-ENOMEM, "out of memory for a layout of %zu entries",
				  build->node_count);
	if (error) {
		families_free(&families);
		layout_free(layout);
		return error;
	}
	/* Level by level: the children of each directory get the next free places in the array. */
	for (uint32_t i = 0; i < layout->entry_count; i++) {
		const struct build_node *node = &build->nodes[node_of[i]];
		struct entry *entry = &layout->entries[i];

		entry->name = node->name;
		entry->name_length = node->name_length;
		entry->type = node->type;
		entry->mode = node->mode;
		entry->uid = node->uid;
		entry->gid = node->gid;
		entry->asset = node->target;
		if (node->type == ENTRY_DIRECTORY) {
			uint32_t first = families.first[node_of[i]],
				 end = families.first[node_of[i] + 1];

			entry->first_child = placed;
			entry->child_count = end - first;
			for (; first < end; first++) {
				layout->entries[placed].parent = i;
				node_of[placed++] = families.children[first];
			}
		}
		count_entry(layout, build, entry);
	}
	families_free(&families);
	return 0;
}

struct numbering {
	struct layout_build *build;
	bool *used;
	uint64_t next;
	uint32_t used_count;
};

static int number_content(void *context, const struct layout *layout, uint32_t index)
{
	struct numbering *numbering = context;
	const struct entry *entry = &layout->entries[index];
	struct build_content *content;

	if (entry->type != ENTRY_FILE || entry->asset == NO_ASSET || numbering->used[entry->asset])
		return 0;
	numbering->used[entry->asset] = true;
	numbering->used_count++;
	content = &numbering->build->contents[entry->asset];
	if (!content->numbered)
		content->number = numbering->next++;
	return 0;
}

static int by_number(const void *a, const void *b, void *context)
{
	const struct build_content *contents = context;
	uint64_t left = contents[*(const uint32_t *)a].number,
		 right = contents[*(const uint32_t *)b].number;

	return left < right ? -1 : left > right;
}

static void point_assets(struct layout *layout, const uint32_t *place_of)
{
	for (uint32_t i = 0; i < layout->entry_count; i++) {
		struct entry *entry = &layout->entries[i];

		if (entry->type == ENTRY_FILE && entry->asset != NO_ASSET)
			entry->asset = place_of[entry->asset];
	}
}

static int make_contents(struct layout_build *build, struct layout *const layouts[],
			 unsigned layout_count, struct contents *contents)
{
	/* One more than needed, so that a workload without contents is no special case. */
	_cleanup_free_ bool *used = calloc(build->content_count + 1, sizeof(*used));
	_cleanup_free_ uint32_t *order = calloc(build->content_count + 1, sizeof(*order));
	_cleanup_free_ uint32_t *place_of = calloc(build->content_count + 1, sizeof(*place_of));
	struct numbering numbering = { .build = build, .used = used, .next = FIRST_OWN_NUMBER };
	uint32_t count = 0;

	*contents = (struct contents){ 0 };
	if (!used || !order || !place_of)
		return error_set(-ENOMEM, "out of memory for %zu contents", build->content_count);
	for (unsigned i = 0; i < layout_count; i++)
		layout_walk(layouts[i], number_content, &numbering);
	for (uint32_t i = 0; i < build->content_count; i++)
		if (used[i])
			order[count++] = i;
	qsort_r(order, count, sizeof(*order), by_number, build->contents);

	contents->list = calloc((size_t)count + 1, sizeof(*contents->list));
	if (!contents->list)
		return error_set(-ENOMEM, "out of memory for %u contents", count);
	contents->count = count;
	for (uint32_t i = 0; i < count; i++) {
		contents->list[i].number = build->contents[order[i]].number;
		contents->list[i].size = build->contents[order[i]].size;
		contents->bytes += contents->list[i].size;
		if (contents->bytes > CONTENTS_BYTES_MAX)
			return error_set(-EINVAL, "the sizes of all contents add up to over a "
						  "pebibyte; correct them");
		place_of[order[i]] = i;
	}
	for (unsigned i = 0; i < layout_count; i++)
		point_assets(layouts[i], place_of);
	return 0;
}

int layout_build_settle(struct layout_build *build, struct layout *const layouts[],
			unsigned layout_count, struct contents *contents)
{
	int error = make_contents(build, layouts, layout_count, contents);
	char *names;

	if (error)
		return error;
	names = realloc(build->names, build->names_bytes);
	build->names = names ? names : build->names;
	for (unsigned i = 0; i < layout_count; i++) {
		layouts[i]->names = build->names;
		layouts[i]->names_bytes = build->names_bytes;
	}
	build->names = NULL;
	return 0;
}

/* --- the list of all that was listed --- */

struct path_of_node {
	const char *path;
	uint32_t node;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct path_of_node *)a)->path,
		      ((const struct path_of_node *)b)->path);
}

/* The length of a node's path, and the path itself where it is wanted. */
static size_t node_path(const struct layout_build *build, uint32_t index, char *path)
{
	const struct build_node *node = &build->nodes[index];
	size_t length = node->name_length, end;

	for (uint32_t at = index; at; at = build->nodes[at].parent)
		length += 1u + build->nodes[build->nodes[at].parent].name_length;
	if (!path)
		return length;
	path[length] = '\0';
	end = length;
	for (uint32_t at = index;; at = build->nodes[at].parent) {
		node = &build->nodes[at];
		end -= node->name_length;
		memcpy(path + end, build->names + node->name, node->name_length);
		if (!at)
			return length;
		path[--end] = '/';
	}
}

static void describe_node(const struct layout_build *build, const struct build_node *node,
			  struct listed_entry *entry)
{
	entry->type = node->type;
	entry->mode = node->mode;
	entry->uid = node->uid;
	entry->gid = node->gid;
	if (node->type == ENTRY_SYMLINK)
		entry->link_text = build->names + node->target;
	if (node->type == ENTRY_FILE && node->target != NO_ASSET) {
		entry->size = build->contents[node->target].size;
		entry->number = build->contents[node->target].number;
		entry->numbered = build->contents[node->target].numbered;
	}
}

int layout_build_each(const struct layout_build *build, take_entry *take, void *context)
{
	_cleanup_free_ struct path_of_node *list = calloc(build->node_count, sizeof(*list));
	_cleanup_free_ char *paths = NULL;
	size_t count = 0, bytes = 0;
	char *path;

	for (uint32_t i = 0; i < build->node_count; i++)
		if (build->nodes[i].source)
			bytes += node_path(build, i, NULL) + 1;
	path = paths = malloc(bytes + 1);
	if (!list || !paths)
		return error_set(-ENOMEM, "out of memory for a list of %zu entries",
				 build->node_count);
	for (uint32_t i = 0; i < build->node_count; i++) {
		if (!build->nodes[i].source)
			continue;
		list[count++] = (struct path_of_node){ path, i };
		path += node_path(build, i, path) + 1;
	}
	qsort(list, count, sizeof(*list), by_path);
	for (size_t i = 0; i < count; i++) {
		struct listed_entry entry = { .path = list[i].path };
		int error;

		describe_node(build, &build->nodes[list[i].node], &entry);
		error = take(context, &entry);
		if (error)
			return error;
	}
	return 0;
}
