/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/keys.h"

#include "lib/cleanup.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

/* Letters, digits and . _ - + : what file names and names of engines, governors and modes are made
 * of. */
static bool plain_word(const char *word)
{
	if (!isalnum((unsigned char)word[0]) || strlen(word) >= CONFIG_WORD_BYTES)
		return false;
	for (; *word; word++)
		if (!isalnum((unsigned char)*word) && !strchr("._-+", *word))
			return false;
	return true;
}

static bool known_word(const struct key *key, const char *word)
{
	if (!plain_word(word))
		return false;
	for (const char *const *known = key->words; known; known++) {
		if (!*known)
			return false;
		if (!strcmp(*known, word))
			return true;
	}
	return true;
}

static bool valid_word(const struct key *key, const char *value)
{
	return known_word(key, value);
}

/* One word or more, none of them twice. */
static bool valid_list(const struct key *key, const char *value)
{
	/* One more than a word may have, so that one that is too long is seen as such. */
	char word[CONFIG_WORD_BYTES + 1], earlier[CONFIG_WORD_BYTES + 1];
	const char *cursor = value;
	unsigned count = 0;

	for (; config_next_word(&cursor, word, sizeof(word)); count++) {
		const char *before = value;

		if (!known_word(key, word))
			return false;
		for (unsigned i = 0;
		     i < count && config_next_word(&before, earlier, sizeof(earlier)); i++)
			if (!strcmp(word, earlier))
				return false;
	}
	return count > 0;
}

static bool valid_list_or_none(const struct key *key, const char *value)
{
	return !strcmp(value, "none") || valid_list(key, value);
}

static bool in_range(const struct key *key, const char *digits)
{
	char *end;

	if (!isdigit((unsigned char)digits[0]))
		return false;
	errno = 0;
	unsigned long long number = strtoull(digits, &end, 10);
	return !errno && !*end && number >= key->minimum && number <= key->maximum;
}

static bool valid_number(const struct key *key, const char *value)
{
	return (key->automatic && !strcmp(value, "auto")) || in_range(key, value);
}

static bool valid_limit(const struct key *key, const char *value)
{
	return !strcmp(value, "none") || in_range(key, value);
}

static bool valid_content(const struct key *key, const char *value)
{
	static const char capped[] = "capped:";

	if (!strcmp(value, "full"))
		return true;
	return !strncmp(value, capped, strlen(capped)) && in_range(key, value + strlen(capped));
}

/* What comes here is printable UTF-8 already. */
static bool valid_text(const struct key *key, const char *value)
{
	(void)key;
	return strlen(value) < 128;
}

/* A name of ours or a path on the results volume, which cannot be left. */
static bool valid_path(const struct key *key, const char *value)
{
	(void)key;
	if (!value[0] || value[0] == '/')
		return false;
	for (const char *part = value; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (!strncmp(part, "..", 2) && (!part[2] || part[2] == '/'))
			return false;
	}
	return true;
}

/* As GPT writes them, or nothing: 01234567-89ab-cdef-0123-456789abcdef */
static bool valid_uuid(const struct key *key, const char *value)
{
	static const char pattern[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

	(void)key;
	if (!value[0])
		return true;
	if (strlen(value) != strlen(pattern))
		return false;
	for (size_t i = 0; pattern[i]; i++)
		if (pattern[i] == '-' ? value[i] != '-' : !isxdigit((unsigned char)value[i]))
			return false;
	return true;
}

static const char *const words_strategy[] = { "auto", "hardlink", "reflink", "copy", NULL };
static const char *const words_order[] = { "moss", "linear", NULL };
static const char *const words_caches[] = { "hot", "cold", NULL };
static const char *const words_cold[] = { "drop", "remount", "drop+remount", NULL };
static const char *const words_operations[] = { "remove", "install", NULL };
static const char *const words_link_power[] = {
	"max_performance", "medium_power", "med_power_with_dipm", "min_power_with_partial",
	"min_power", "keep", NULL
};
static const char *const words_yes_no[] = { "yes", "no", NULL };
static const char *const words_report[] = { "lava", "serial", NULL };
static const char *const words_boost[] = { "keep", "on", "off", NULL };
static const char *const words_after[] = { "poweroff", "reboot", "hold", NULL };

/* In the order in which they are printed. */
const struct key config_table[CONFIG_KEYS] = {
	[KEY_PROFILE] = {
		.name = "profile", .fallback = "quick", .valid = valid_word,
		.comment = "A ready-made set of the keys below; what is set here wins over it.",
		.allowed = "the name of a profile, such as quick or seed",
	},
	[KEY_WORKLOAD] = {
		.name = "workload", .fallback = "small", .valid = valid_path, .path = true,
		.comment = "The tree that is laid out: one of ours, or an mtree manifest on this volume.",
		.allowed = "the name of a workload, or a path on BLITRESULTS without .. in it",
	},
	[KEY_DELTA] = {
		.name = "delta", .fallback = "auto", .valid = valid_path, .path = true,
		.comment = "What \"install\" adds. auto: the workload's own (small-nano for small). none, and auto for a "
			   "path: the same tree as remove.",
		.allowed = "auto, none, the name of a delta, or a path on BLITRESULTS without .. in it",
	},
	[KEY_FILESYSTEMS] = {
		.name = "filesystems", .fallback = "ext4 xfs f2fs", .valid = valid_list,
		.comment = "Which filesystems, in the order of the first round.",
		.allowed = "a list, each once, of: ",
	},
	[KEY_ENGINES] = {
		.name = "engines", .fallback = "moss-2025", .valid = valid_list,
		.comment = "Which ways of blitting.",
		.allowed = "a list, each once, of: ",
	},
	[KEY_STRATEGY] = {
		.name = "strategy", .fallback = "auto",
		.valid = valid_list, .words = words_strategy,
		.comment = "How moss-2026 makes a file from its asset, one after the other. auto: what moss would choose there.",
		.allowed = "a list, each once, of: auto hardlink reflink copy",
	},
	[KEY_THREADS] = {
		.name = "threads", .fallback = "auto",
		.valid = valid_number, .minimum = 1, .maximum = 256, .automatic = true,
		.comment = "How many threads the parallel engines blit with. auto: one for each logical CPU, as moss.",
		.allowed = "auto, or a number from 1 to 256",
	},
	[KEY_STORE] = {
		.name = "store", .fallback = "3x2", .valid = valid_list,
		.comment = "The fan-outs of the store, each on a fresh filesystem of its own: 3x2 is moss's aa/bb/cc.",
		.allowed = "a list, each once, of: ",
	},
	[KEY_CONTENT] = {
		.name = "content", .fallback = "full",
		.valid = valid_content, .minimum = 1, .maximum = 1000 * 1000 * 1000,
		.comment = "How much of each file's content is written into the store: all of it, or only so many bytes.",
		.allowed = "full, or capped:BYTES with a number of bytes from 1 to 1000000000, such as capped:4096",
	},
	[KEY_ORDER] = {
		.name = "order", .fallback = "moss", .valid = valid_word, .words = words_order,
		.comment = "How the store is filled: moss takes several packages at once, linear one after the other.",
		.allowed = "one of: moss linear",
	},
	[KEY_WRITERS] = {
		.name = "writers", .fallback = "auto",
		.valid = valid_number, .minimum = 1, .maximum = 64, .automatic = true,
		.comment = "How many packages are written into the store at once. auto: 8 as in moss, 1 with order = linear.",
		.allowed = "auto, or a number from 1 to 64",
	},
	[KEY_AGE] = {
		.name = "age", .fallback = "0", .valid = valid_number, .maximum = 1000,
		.comment = "Updates that each fresh filesystem goes through before the trials, so that it is no longer fresh.",
		.allowed = "a number from 0 to 1000",
	},
	[KEY_KEEP_STATES] = {
		.name = "keep_states", .fallback = "auto",
		.valid = valid_number, .maximum = 1000, .automatic = true,
		.comment = "Old states that stay beside the live one; older ones are pruned. auto: as many as age says.",
		.allowed = "auto, or a number from 0 to 1000",
	},
	[KEY_CACHES] = {
		.name = "caches", .fallback = "hot cold",
		.valid = valid_list, .words = words_caches,
		.comment = "Trials with everything in memory (hot), or with nothing of the filesystem in memory (cold).",
		.allowed = "a list, each once, of: hot cold",
	},
	[KEY_COLD] = {
		.name = "cold", .fallback = "drop", .valid = valid_word, .words = words_cold,
		.comment = "How the caches are made cold.",
		.allowed = "one of: drop remount drop+remount",
	},
	[KEY_OPERATIONS] = {
		.name = "operations", .fallback = "remove install",
		.valid = valid_list, .words = words_operations,
		.comment = "remove lays out the workload, install the workload with the delta.",
		.allowed = "a list, each once, of: remove install",
	},
	[KEY_ROUNDS] = {
		.name = "rounds", .fallback = "1",
		.valid = valid_number, .minimum = 1, .maximum = 100,
		.comment = "Passes over all filesystems; each makes them anew. Six or more give an interval.",
		.allowed = "a number from 1 to 100",
	},
	[KEY_TRIALS] = {
		.name = "trials", .fallback = "3",
		.valid = valid_number, .minimum = 1, .maximum = 100,
		.comment = "Timed transactions of each kind on each fresh filesystem.",
		.allowed = "a number from 1 to 100",
	},
	[KEY_LIMIT_MINUTES] = {
		.name = "limit_minutes", .fallback = "none",
		.valid = valid_limit, .minimum = 1, .maximum = 100000,
		.comment = "Once the sessions have taken so many minutes no other begins; what is left of the rounds is left out, and the run partial.",
		.allowed = "none, or a number of minutes from 1 to 100000",
	},
	[KEY_LATENCY] = {
		.name = "latency", .fallback = "no", .valid = valid_word, .words = words_yes_no,
		.comment = "Times every single call of a blit as well; the report tells what that costs.",
		.allowed = "yes or no",
	},
	[KEY_GOVERNOR] = {
		.name = "governor", .fallback = "performance", .valid = valid_list,
		.comment = "The CPU frequency governors; the trials are made under each. keep leaves it as it was found.",
		.allowed = "a list, each once, of keep and governors that the CPU's driver offers, such as performance",
	},
	[KEY_EPP] = {
		.name = "epp", .fallback = "keep", .valid = valid_word,
		.comment = "The energy performance preference under these governors; keep leaves it as it was found.",
		.allowed = "keep, or a preference that the CPU's driver offers, such as balance_performance",
	},
	[KEY_BOOST] = {
		.name = "boost", .fallback = "keep", .valid = valid_word, .words = words_boost,
		.comment = "Whether CPUs may run faster than their nominal clock; keep leaves it as it was found.",
		.allowed = "one of: keep on off",
	},
	[KEY_COOL_DOWN] = {
		.name = "cool_down", .fallback = "60", .valid = valid_number, .maximum = 3600,
		.comment = "Seconds that each session waits at most until processor and disk are cool and idle; 0: not at all.",
		.allowed = "a number of seconds from 0 to 3600",
	},
	[KEY_LINK_POWER] = {
		.name = "link_power", .fallback = "max_performance",
		.valid = valid_word, .words = words_link_power,
		.comment = "Whether the link of a SATA disk may sleep while measuring; keep leaves it alone.",
		.allowed = "one of: max_performance medium_power med_power_with_dipm min_power_with_partial min_power keep",
	},
	[KEY_PARTLABEL] = {
		.name = "partlabel", .fallback = "blitbench-target", .valid = valid_text,
		.comment = "The GPT label of the partition that is FORMATTED. Exactly one may have it.",
		.allowed = "the GPT label of a partition, under 128 bytes, or nothing where partuuid is given",
	},
	[KEY_PARTUUID] = {
		.name = "partuuid", .fallback = "", .valid = valid_uuid, .lower = true,
		.comment = "Names the target by its GPT partition UUID; where partlabel is set as well, both must match.",
		.allowed = "a UUID such as 01234567-89ab-cdef-0123-456789abcdef, or nothing",
	},
	[KEY_MODEL] = {
		.name = "model", .fallback = "", .valid = valid_text,
		.comment = "The target's disk must be of this model.",
		.allowed = "a disk's model under 128 bytes, or nothing for any",
	},
	[KEY_SERIAL] = {
		.name = "serial", .fallback = "", .valid = valid_text,
		.comment = "The target's disk must have this serial number.",
		.allowed = "a disk's serial number under 128 bytes, or nothing for any",
	},
	[KEY_OVERWRITE] = {
		.name = "overwrite", .fallback = "no", .valid = valid_word, .words = words_yes_no,
		.comment = "Format the target even where it holds something that blitbench did not make.",
		.allowed = "yes or no",
	},
	[KEY_SAME_DISK] = {
		.name = "same_disk", .fallback = "no", .valid = valid_word, .words = words_yes_no,
		.comment = "Allow a target on the disk that holds the results or the running image.",
		.allowed = "yes or no",
	},
	[KEY_DRY_RUN] = {
		.name = "dry_run", .fallback = "no", .valid = valid_word, .words = words_yes_no,
		.comment = "Goes as far as choosing the target and telling what would be formatted; nothing is written to it.",
		.allowed = "yes or no",
	},
	[KEY_RESUME] = {
		.name = "resume", .fallback = "no", .valid = valid_word, .words = words_yes_no,
		.comment = "Goes on with the last run, refused and dry ones aside, if that was cut short or stopped and all else is the same; else, begins anew.",
		.allowed = "yes or no",
	},
	[KEY_REDACT] = {
		.name = "redact", .fallback = "no", .valid = valid_word, .words = words_yes_no,
		.comment = "Leaves serial numbers, PARTUUIDs and MAC addresses out of the results and of what is shown.",
		.allowed = "yes or no",
	},
	[KEY_COUNTDOWN] = {
		.name = "countdown", .fallback = "auto",
		.valid = valid_number, .maximum = 3600, .automatic = true,
		.comment = "Seconds in which a key stops the run before anything is written. auto: 10, in a virtual machine 0.",
		.allowed = "auto, or a number of seconds from 0 to 3600",
	},
	[KEY_HOLD] = {
		.name = "hold", .fallback = "auto",
		.valid = valid_number, .maximum = 86400, .automatic = true,
		.comment = "Seconds that the machine stays on after a refusal, to be read. auto: 600, in a virtual machine 0.",
		.allowed = "auto, or a number of seconds from 0 to 86400",
	},
	[KEY_WATCHDOG] = {
		.name = "watchdog", .fallback = "600", .valid = valid_number, .maximum = 65535,
		.comment = "Seconds without progress, a single blit included, after which a watchdog resets the machine. 0: never.",
		.allowed = "a number of seconds from 0 to 65535",
	},
	[KEY_PSTORE] = {
		.name = "pstore", .fallback = "no", .valid = valid_word, .words = words_yes_no,
		.comment = "Has UEFI firmware keep what the kernel says in a panic, for the next run's folder.",
		.allowed = "yes or no",
	},
	[KEY_AFTER] = {
		.name = "after", .fallback = "poweroff", .valid = valid_word, .words = words_after,
		.comment = "What happens when everything is done and saved.",
		.allowed = "one of: poweroff reboot hold",
	},
	[KEY_REPORT] = {
		.name = "report", .fallback = "none", .valid = valid_list_or_none, .words = words_report,
		.comment = "What is printed on serial consoles after the run. lava: signals for a LAVA lab. serial: report and "
			   "journal, for a machine without a stick too.",
		.allowed = "none, or a list, each once, of: lava serial",
	},
};

enum config_key key_find(const char *name)
{
	enum config_key key = 0;

	while (key < CONFIG_KEYS && strcmp(config_table[key].name, name))
		key++;
	return key;
}

/* How many characters must be added, dropped or changed to make one of the other (Levenshtein). */
static size_t edit_distance(const char *left, const char *right)
{
	size_t row[CONFIG_WORD_BYTES], width = strlen(right);

	if (width >= ARRAY_LENGTH(row))
		return SIZE_MAX;
	for (size_t i = 0; i <= width; i++)
		row[i] = i;
	for (; *left; left++) {
		size_t diagonal = row[0]++;

		for (size_t i = 1; i <= width; i++) {
			size_t best = diagonal + (*left != right[i - 1]);

			if (row[i] + 1 < best)
				best = row[i] + 1;
			if (row[i - 1] + 1 < best)
				best = row[i - 1] + 1;
			diagonal = row[i];
			row[i] = best;
		}
	}
	return row[width];
}

const char *key_nearest(const char *name)
{
	const char *nearest = NULL;
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < CONFIG_KEYS; i++) {
		size_t distance = edit_distance(name, config_table[i].name);

		if (distance < least) {
			least = distance;
			nearest = config_table[i].name;
		}
	}
	/* Half of the name must be right, or it is no help. */
	return nearest && least * 2 <= strlen(nearest) ? nearest : NULL;
}
