/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration: one table of keys gives the parser, the commented blitbench.conf and the
 * documentation. Values are kept as strings with the place each came from; what they mean is
 * run/plan's business. The earlier source wins: command line, blitbench.conf, profile, default. All
 * mistakes are collected and told at once.
 */
#ifndef BLITBENCH_CONFIG_CONFIG_H
#define BLITBENCH_CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum config_key {
	KEY_PROFILE,
	KEY_WORKLOAD,
	KEY_DELTA,
	KEY_FILESYSTEMS,
	KEY_ENGINES,
	KEY_STRATEGY,
	KEY_THREADS,
	KEY_STORE,
	KEY_CONTENT,
	KEY_ORDER,
	KEY_WRITERS,
	KEY_AGE,
	KEY_KEEP_STATES,
	KEY_CACHES,
	KEY_COLD,
	KEY_OPERATIONS,
	KEY_ROUNDS,
	KEY_TRIALS,
	KEY_LIMIT_MINUTES,
	KEY_LATENCY,
	KEY_GOVERNOR,
	KEY_EPP,
	KEY_BOOST,
	KEY_COOL_DOWN,
	KEY_LINK_POWER,
	KEY_PARTLABEL,
	KEY_PARTUUID,
	KEY_MODEL,
	KEY_SERIAL,
	KEY_OVERWRITE,
	KEY_SAME_DISK,
	KEY_DRY_RUN,
	KEY_RESUME,
	KEY_REDACT,
	KEY_COUNTDOWN,
	KEY_HOLD,
	KEY_WATCHDOG,
	KEY_PSTORE,
	KEY_AFTER,
	KEY_REPORT,
	CONFIG_KEYS
};

struct config;

/* No value and no word of a list is longer, the closing NUL counted: longer ones are mistakes. */
enum { CONFIG_VALUE_BYTES = 192, CONFIG_WORD_BYTES = 32 };

/*
 * Some values are names that others keep, such as those of filesystems: all names of a key, as in
 * "ext4, xfs, f2fs"; NULL for the other keys. Given by whoever knows them (run/plan.h).
 */
typedef const char *config_names(enum config_key key);

/* NULL when out of memory. */
struct config *config_new(config_names *names);
void config_free(struct config *config);

/*
 * Each takes what it can and collects the mistakes it finds; negative (with a sentence) only where
 * the source cannot be read at all. The order of the calls does not matter, and each source is read
 * once. A value with a mistake is not taken. On the command line the last of two wins, as for the
 * kernel; in a file, a key given twice is a mistake.
 */
int config_read_command_line(struct config *config,
			     const char *text); /* blitbench.KEY=VALUE among other words */
int config_read_conf(struct config *config,
		     const char *path); /* INI, section [blitbench]; CRLF and a BOM are fine */
int config_read_profile(struct config *config,
			const char *path); /* INI as well, the weakest but for defaults */

/*
 * One argument KEY=VALUE of a person's command line, in the place of the kernel's. Paths may then lie
 * anywhere: who starts a command may read what they may read.
 */
void config_read_argument(struct config *config, const char *text);

/* The effective value; never NULL, valid as long as config is. "auto" and "" are handed on as they
 * are. */
const char *config_get(const struct config *config, enum config_key key);
const char *config_key_name(enum config_key key);

/* Where the effective value came from: "blitbench.conf, line 7", "the kernel command line",
 * "profile seed, line 3", "default". */
const char *config_origin(const struct config *config, enum config_key key);

/* Whether a person's argument or the kernel's command line gave it. */
bool config_is_on_command_line(const struct config *config, enum config_key key);

/* Sets what a key is where the command line does not say: it wins over all other sources. */
void config_fallback(struct config *config, enum config_key key, const char *value);

/* Collects one more mistake about a key's effective value; run/plan uses it for what only it can
 * judge. */
void config_mistake(struct config *config, enum config_key key, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* All mistakes, one a line: place, key, what is wrong, what is allowed; "" where there are none.
 * Owned by config. */
const char *config_mistakes(const struct config *config);

/*
 * A list value ("ext4 xfs f2fs": blanks and commas) is walked word by word: copies the next word,
 * false at the end. size is at least CONFIG_WORD_BYTES; lists that came through the parser have no
 * longer words.
 */
bool config_next_word(const char **cursor, char *word, size_t size);

/* Whether a list value has the word. */
bool config_has_word(const struct config *config, enum config_key key, const char *word);

/* The commented blitbench.conf: every key with its default, values and one line of comment, all
 * commented out. */
void config_print_conf(FILE *out, config_names *names);

/* The same table as a page of documentation: docs/config.md is exactly this. */
void config_print_markdown(FILE *out, config_names *names);

#endif
