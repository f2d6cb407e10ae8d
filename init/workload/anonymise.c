/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/anonymise.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/grow.h"
#include "workload/hash_index.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

/* SHORT_STEM_LIMIT: of the 2^20 stems of four bytes so many can be made up without long searching;
 * of longer ones STEM_LIMIT always can. */
enum {
	KEPT_NAME_BYTES = 3,
	EXTENSION_LIMIT_BYTES = 5,
	SHORT_STEM_LIMIT = 1 << 19,
	STEM_LIMIT = 1 << 23,
	TEXTS_LIMIT_BYTES = 1 << 30,
};

/* A stem is a name without its extension. */
struct stem {
	uint32_t original, replacement; /* offsets in texts, not terminated */
	uint8_t bytes;
};

struct anonymiser {
	struct stem *stems;
	size_t stem_count, stem_capacity, short_stem_count;
	struct hash_index by_original, by_replacement;
	char *texts;
	size_t texts_bytes, texts_capacity;
	uint64_t tried; /* made-up stems so far */
	char path[PATH_LIMIT_BYTES + 1], link_text[PATH_LIMIT_BYTES + 1];
};

struct stem_key {
	const struct anonymiser *anonymiser;
	const char *text;
	size_t bytes;
};

static bool same_original(const void *context, uint32_t element)
{
	const struct stem_key *key = context;
	const struct stem *stem = &key->anonymiser->stems[element];

	return stem->bytes == key->bytes &&
	       !memcmp(key->anonymiser->texts + stem->original, key->text, key->bytes);
}

static bool same_replacement(const void *context, uint32_t element)
{
	const struct stem_key *key = context;
	const struct stem *stem = &key->anonymiser->stems[element];

	return stem->bytes == key->bytes &&
	       !memcmp(key->anonymiser->texts + stem->replacement, key->text, key->bytes);
}

static uint32_t hash_of(const char *text, size_t bytes)
{
	return (uint32_t)XXH3_64bits(text, bytes);
}

/* How many of a name's bytes are replaced: from its beginning, or none. */
static size_t stem_bytes(const char *name, size_t bytes)
{
	const char *dot = memrchr(name, '.', bytes);
	size_t extension = dot && dot != name ? bytes - (size_t)(dot - name) : 0;

	if (bytes <= KEPT_NAME_BYTES)
		return 0;
	if (extension > EXTENSION_LIMIT_BYTES)
		extension = 0;
	/* Of a.png and b.png nothing else would be left to tell them apart. */
	return bytes - extension > KEPT_NAME_BYTES ? bytes - extension : 0;
}

/* Four bytes and more from these: over a million stems of each length. */
static void make_up(struct anonymiser *anonymiser, char *stem, size_t bytes)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
	uint64_t bits = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (i % 12 == 0) {
			uint64_t seed[] = { anonymiser->tried, i };

			bits = XXH3_64bits(seed, sizeof(seed));
		}
		stem[i] = letters[bits & 31];
		bits >>= 5;
	}
	anonymiser->tried++;
}

static int add_stem(struct anonymiser *anonymiser, const char *original, size_t bytes,
		    const struct stem **added)
{
	struct stem stem = { .original = (uint32_t)anonymiser->texts_bytes,
			     .replacement = (uint32_t)(anonymiser->texts_bytes + bytes),
			     .bytes = (uint8_t)bytes };
	uint32_t place = (uint32_t)anonymiser->stem_count;
	struct stem_key key = { .anonymiser = anonymiser, .bytes = bytes };
	char *replacement;
	int error;

	anonymiser->short_stem_count += bytes == KEPT_NAME_BYTES + 1;
	if (anonymiser->short_stem_count > SHORT_STEM_LIMIT || place >= STEM_LIMIT ||
	    anonymiser->texts_bytes + 2 * bytes > TEXTS_LIMIT_BYTES)
		return error_set(-EINVAL, "there are too many names to find others for; use a "
					  "smaller workload");
	error = GROW(anonymiser->stems, anonymiser->stem_capacity, place + (size_t)1);
	if (!error)
		error = GROW(anonymiser->texts, anonymiser->texts_capacity,
			     anonymiser->texts_bytes + 2 * bytes);
	if (!error)
		error = hash_index_add(&anonymiser->by_original, hash_of(original, bytes), place);
	if (error)
		return error;
	memcpy(anonymiser->texts + stem.original, original, bytes);
	key.text = replacement = anonymiser->texts + stem.replacement;
	do
		make_up(anonymiser, replacement, bytes);
	while (hash_index_find(&anonymiser->by_replacement, hash_of(replacement, bytes),
			       same_replacement, &key) != NOT_FOUND);
	error = hash_index_add(&anonymiser->by_replacement, hash_of(replacement, bytes), place);
	if (error)
		return error;
	anonymiser->texts_bytes += 2 * bytes;
	anonymiser->stems[anonymiser->stem_count++] = stem;
	*added = &anonymiser->stems[place];
	return 0;
}

static int replace_name(struct anonymiser *anonymiser, char *name, size_t name_bytes)
{
	size_t bytes = stem_bytes(name, name_bytes);
	struct stem_key key = { anonymiser, name, bytes };
	const struct stem *stem;
	uint32_t at;
	int error = 0;

	if (!bytes)
		return 0;
	at = hash_index_find(&anonymiser->by_original, hash_of(name, bytes), same_original, &key);
	stem = at == NOT_FOUND ? NULL : &anonymiser->stems[at];
	if (!stem)
		error = add_stem(anonymiser, name, bytes, &stem);
	if (!error)
		memcpy(name, anonymiser->texts + stem->replacement, bytes);
	return error;
}

/* Each name of a path, in place. */
static int replace_names(struct anonymiser *anonymiser, char *path)
{
	while (*path) {
		size_t bytes = strcspn(path, "/");
		/* A link text may have longer names than a path: they lead nowhere. */
		int error = replace_name(anonymiser, path,
					 bytes > NAME_LIMIT_BYTES ? NAME_LIMIT_BYTES : bytes);

		if (error)
			return error;
		path += bytes + (path[bytes] == '/');
	}
	return 0;
}

int anonymise(struct anonymiser *anonymiser, struct listed_entry *entry)
{
	int error;

	snprintf(anonymiser->path, sizeof(anonymiser->path), "%s", entry->path);
	entry->path = anonymiser->path;
	error = replace_names(anonymiser, anonymiser->path);
	if (error || entry->type != ENTRY_SYMLINK)
		return error;
	snprintf(anonymiser->link_text, sizeof(anonymiser->link_text), "%s", entry->link_text);
	entry->link_text = anonymiser->link_text;
	return replace_names(anonymiser, anonymiser->link_text);
}

struct anonymiser *anonymiser_new(void)
{
	struct anonymiser *anonymiser = calloc(1, sizeof(*anonymiser));

	if (!anonymiser)
		error_set(-ENOMEM, "out of memory for other names");
	return anonymiser;
}

void anonymiser_free(struct anonymiser *anonymiser)
{
	if (!anonymiser)
		return;
	hash_index_free(&anonymiser->by_original);
	hash_index_free(&anonymiser->by_replacement);
	free(anonymiser->stems);
	free(anonymiser->texts);
	free(anonymiser);
}
