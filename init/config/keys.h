/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of keys: one row each, from which the parser, the commented conf and the documentation
 * come. */
#ifndef BLITBENCH_CONFIG_KEYS_H
#define BLITBENCH_CONFIG_KEYS_H

#include "config/config.h"

#include <stdint.h>

struct key {
	const char *name;
	const char *fallback;     /* the default */
	const char *comment;      /* one line, for a person */
	const char *allowed; /* "a number from 1 to 100": completes "must be ...", together with the
				names that others keep */
	bool (*valid)(const struct key *key, const char *value);
	const char *const *words; /* the words that are known; NULL where others know them */
	uint32_t minimum, maximum; /* of a number */
	bool path;                /* or a name */
	bool automatic;           /* "auto" is allowed too */
	bool lower;               /* kept in lower case */
};

extern const struct key config_table[CONFIG_KEYS];

/* The key of this name; CONFIG_KEYS where there is none. */
enum config_key key_find(const char *name);

/* The known name that is most like this one; NULL where none is near. */
const char *key_nearest(const char *name);

#endif
