/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/layout_build.h"

#include "lib/error.h"
#include "workload/grow.h"
#include "workload/path.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

/* Of all names and link texts together. */
#define NAMES_LIMIT_BYTES (UINT64_C(512) << 20)

/* An entry can have one content in each of the two layouts. */
#define CONTENT_LIMIT (2 * ENTRY_LIMIT)

static const char *type_name(uint8_t type)
{
	static const char *const names[] = {
		[ENTRY_FILE] = "a file",
		[ENTRY_SYMLINK] = "a symlink",
		[ENTRY_DIRECTORY] = "a directory",
	};

	return names[type];
}

static int add_text(struct layout_build *build, const char *text, size_t length, uint32_t *offset)
{
	int error;

	if (build->names_bytes + length + 1 > NAMES_LIMIT_BYTES)
		return error_set(-EINVAL,
				 "the names up to here take over %" PRIu64
				 " bytes; use a smaller workload",
				 NAMES_LIMIT_BYTES);
	error = GROW(build->names, build->names_capacity, build->names_bytes + length + 1);
	if (error)
		return error;
	memcpy(build->names + build->names_bytes, text, length);
	build->names[build->names_bytes + length] = '\0';
	*offset = (uint32_t)build->names_bytes;
	build->names_bytes += length + 1;
	return 0;
}

/* --- nodes --- */

struct node_key {
	const struct layout_build *build;
	const char *name;
	size_t name_length;
	uint32_t parent;
};

static uint32_t node_hash(const struct node_key *key)
{
	return (uint32_t)XXH3_64bits_withSeed(key->name, key->name_length, key->parent);
}

static bool same_node(const void *context, uint32_t element)
{
	const struct node_key *key = context;
	const struct build_node *node = &key->build->nodes[element];

	return node->parent == key->parent && node->name_length == key->name_length &&
	       !memcmp(key->build->names + node->name, key->name, key->name_length);
}

/* Finds or makes the child of a directory; a made one is a directory until an entry says otherwise.
 */
static int reach_child(struct layout_build *build, uint32_t parent, const char *name, size_t length,
		       uint32_t *child)
{
	struct node_key key = { build, name, length, parent };
	struct build_node node = { .parent = parent,
				   .type = ENTRY_DIRECTORY,
				   .mode = 0755,
				   .name_length = (uint8_t)length };
	uint32_t hash = node_hash(&key);
	int error;

	*child = hash_index_find(&build->node_index, hash, same_node, &key);
	if (*child != NOT_FOUND)
		return 0;
	if (build->node_count >= ENTRY_LIMIT)
		return error_set(-EINVAL,
				 "there are over %" PRIu32 " entries; use a smaller workload",
				 ENTRY_LIMIT);
	error = GROW(build->nodes, build->node_capacity, build->node_count + 1);
	if (!error)
		error = add_text(build, name, length, &node.name);
	if (!error)
		error = hash_index_add(&build->node_index, hash, (uint32_t)build->node_count);
	if (error)
		return error;
	*child = (uint32_t)build->node_count;
	build->nodes[build->node_count++] = node;
	build->nodes[parent].has_children = true;
	return 0;
}

/* --- paths --- */

/* All but the last name of a path must be directories. */
static int pass_through(struct layout_build *build, uint32_t index)
{
	struct build_node *node = &build->nodes[index];

	if (node->type == ENTRY_DIRECTORY)
		return 0;
	if (build->rule == MERGE_STRICT)
		return error_set(
			-EINVAL,
			"\"%s\" above it is %s, and only a directory can hold entries; list it as "
			"one "
			"or leave this entry out",
			build->names + node->name, type_name(node->type));
	node->type = ENTRY_DIRECTORY;
	node->mode = 0755;
	node->uid = node->gid = 0;
	build->replaced_parents++;
	return 0;
}

static int reach_directory(struct layout_build *build, const char *path, size_t bytes,
			   uint32_t *directory)
{
	uint32_t at = 0;

	if (bytes == build->last_directory_bytes && !memcmp(path, build->last_directory, bytes)) {
		*directory = build->last_directory_node;
		return pass_through(build, *directory);
	}
	for (size_t start = strlen("usr"); start < bytes;) {
		size_t length;
		int error;

		start++;
		length = strcspn(path + start, "/");
		error = reach_child(build, at, path + start, length, &at);
		if (!error)
			error = pass_through(build, at);
		if (error)
			return error;
		start += length;
	}
	memcpy(build->last_directory, path, bytes);
	build->last_directory_bytes = bytes;
	build->last_directory_node = at;
	*directory = at;
	return 0;
}

size_t layout_build_known_bytes(const struct layout_build *build, const char *path)
{
	size_t known = strlen("usr");
	uint32_t at = 0;

	if (!path_below_usr(path))
		return 0;
	while (path[known] == '/') {
		const char *name = path + known + 1;
		struct node_key key = { build, name, strcspn(name, "/"), at };

		at = hash_index_find(&build->node_index, node_hash(&key), same_node, &key);
		if (at == NOT_FOUND)
			break;
		known += 1 + key.name_length;
	}
	return known;
}

static int reach_entry(struct layout_build *build, const char *path, size_t bytes, uint32_t *index)
{
	const char *slash = memrchr(path, '/', bytes);
	uint32_t directory;
	int error;

	if (!path_below_usr(path))
		return error_set(
			-EINVAL,
			"the path does not lie below usr/; only what does is part of a workload");
	if (!slash) {
		*index = 0;
		return 0;
	}
	error = reach_directory(build, path, (size_t)(slash - path), &directory);
	if (error)
		return error;
	return reach_child(build, directory, slash + 1, bytes - (size_t)(slash + 1 - path), index);
}

/* --- contents --- */

struct number_key {
	const struct layout_build *build;
	uint64_t number;
};

static bool same_number(const void *context, uint32_t element)
{
	const struct number_key *key = context;

	return key->build->contents[element].number == key->number;
}

static int add_content(struct layout_build *build, const struct listed_entry *entry,
		       uint32_t *place)
{
	struct number_key key = { build, entry->number };
	uint32_t hash = (uint32_t)XXH3_64bits(&entry->number, sizeof(entry->number));
	int error;

	*place = NO_ASSET;
	if (!entry->size && !entry->numbered)
		return 0;
	if (entry->size > SIZE_LIMIT_BYTES)
		return error_set(-EINVAL,
				 "a size of %" PRIu64 " bytes is over the limit of %" PRIu64
				 "; correct it",
				 entry->size, SIZE_LIMIT_BYTES);
	if (entry->numbered && entry->number >= FIRST_OWN_NUMBER)
		return error_set(-EINVAL,
				 "inode=%" PRIu64
				 " is not below 2^62; give a smaller number or none",
				 entry->number);
	*place = entry->numbered ? hash_index_find(&build->content_index, hash, same_number, &key)
				 : NOT_FOUND;
	if (*place != NOT_FOUND) {
		if (build->contents[*place].size == entry->size)
			return 0;
		return error_set(
			-EINVAL,
			"inode=%" PRIu64 " means one content, but has size=%" PRIu64 " here and "
			"size=%" PRIu64 " before; give different contents different numbers",
			entry->number, entry->size, build->contents[*place].size);
	}
	if (build->content_count >= CONTENT_LIMIT)
		return error_set(-EINVAL,
				 "there are over %" PRIu32 " contents; use a smaller workload",
				 CONTENT_LIMIT);
	error = GROW(build->contents, build->content_capacity, build->content_count + 1);
	if (!error && entry->numbered)
		error = hash_index_add(&build->content_index, hash, (uint32_t)build->content_count);
	if (error)
		return error;
	*place = (uint32_t)build->content_count;
	build->contents[build->content_count++] =
		(struct build_content){ entry->number, entry->size, entry->numbered };
	return 0;
}

/* --- entries --- */

/* Sets *target to what the entry points at. */
static int make_target(struct layout_build *build, const struct listed_entry *entry,
		       uint32_t *target)
{
	size_t length;
	int error;

	switch (entry->type) {
	case ENTRY_DIRECTORY:
		*target = 0;
		return 0;
	case ENTRY_SYMLINK:
		length = entry->link_text ? strlen(entry->link_text) : 0;
		if (!length || length > PATH_LIMIT_BYTES)
			return error_set(
				-EINVAL,
				"a symlink with a text of %zu bytes cannot be made; give link= "
				"with 1 to "
				"%d bytes",
				length, PATH_LIMIT_BYTES);
		return add_text(build, entry->link_text, length, target);
	default:
		/* Even the empty content is remembered, so that its number cannot get a second
		 * size. */
		error = add_content(build, entry, target);
		if (!error && !entry->size)
			*target = NO_ASSET;
		return error;
	}
}

static int check_replacement(const struct layout_build *build, const struct build_node *node,
			     const struct listed_entry *entry, uint32_t spelling)
{
	if (build->rule == MERGE_PACKAGES)
		return 0;
	if (node->source == build->source && node->spelling != spelling)
		return error_set(
			-EINVAL,
			"the same path stands in another spelling further up; keep one of them");
	if (entry->type != ENTRY_DIRECTORY && node == build->nodes)
		return error_set(-EINVAL, "usr is %s, but must be a directory; correct its type",
				 type_name(entry->type));
	if (entry->type != ENTRY_DIRECTORY && node->has_children)
		return error_set(
			-EINVAL,
			"it is %s here, but entries below it make it a directory; correct one of "
			"them",
			type_name(entry->type));
	return 0;
}

int layout_build_add(struct layout_build *build, const struct listed_entry *entry)
{
	char path[PATH_LIMIT_BYTES + 1];
	size_t path_bytes;
	uint32_t index, target, spelling = (uint32_t)XXH3_64bits(entry->path, strlen(entry->path));
	struct build_node *node;
	int error = path_normalise(path, &path_bytes, entry->path);

	if (error || !path_bytes)
		return error;
	error = reach_entry(build, path, path_bytes, &index);
	if (!error)
		error = check_replacement(build, &build->nodes[index], entry, spelling);
	if (!error)
		error = make_target(build, entry, &target);
	if (error)
		return error;
	node = &build->nodes[index];
	build->listed++;
	if (entry->type != ENTRY_DIRECTORY && (node->has_children || !index)) {
		build->kept_directories++;
		return 0;
	}
	node->source = build->source;
	node->spelling = spelling;
	node->target = target;
	node->type = (uint8_t)entry->type;
	node->mode = entry->mode & 07777;
	node->uid = entry->uid;
	node->gid = entry->gid;
	return 0;
}

int layout_build_start(struct layout_build *build, enum merge_rule rule)
{
	struct build_node usr = { .type = ENTRY_DIRECTORY, .mode = 0755, .name_length = 3 };
	int error;

	*build = (struct layout_build){ .rule = rule, .source = 1 };
	error = GROW(build->nodes, build->node_capacity, 1);
	if (!error)
		error = add_text(build, "usr", 3, &usr.name);
	if (error)
		return error;
	build->nodes[build->node_count++] = usr;
	memcpy(build->last_directory, "usr", 3);
	build->last_directory_bytes = 3;
	return 0;
}

void layout_build_next_source(struct layout_build *build)
{
	build->source++;
	build->listed = 0;
}

void layout_build_free(struct layout_build *build)
{
	free(build->nodes);
	free(build->names);
	free(build->contents);
	hash_index_free(&build->node_index);
	hash_index_free(&build->content_index);
	*build = (struct layout_build){ 0 };
}
