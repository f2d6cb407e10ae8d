/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes out of texts what names one machine among all: serial numbers that were learned, and whatever
 * has the form of a UUID or of a MAC address.
 */
#ifndef BLITBENCH_LIB_REDACT_H
#define BLITBENCH_LIB_REDACT_H

#include <jansson.h>
#include <stddef.h>

/* What stands in its place. */
#define REDACTED "redacted"

struct redactor {
	char **secrets;
	size_t count;
};

/*
 * Learns a serial number. One of fewer than four characters, or without any digit, is not looked for in
 * sentences: too many words would fit. 0 or -ENOMEM with a sentence.
 */
int redactor_learn(struct redactor *redactor, const char *secret);
void redactor_free(struct redactor *redactor);

/*
 * The text without them; caller frees, NULL where memory is short. A secret counts where neither letter
 * nor digit stands beside it, in upper or lower case; where a long text, or one that ends in "...", has
 * been cut within a secret, what is left of it goes too.
 */
char *redact_text(const struct redactor *redactor, const char *text);

/* The same in a buffer of this size; what it then cannot hold is cut off. */
void redact_buffer(const struct redactor *redactor, char *buffer, size_t size);

/* All strings of a value, in place; those of the keys "serial" and "partuuid" whole. 0 or -ENOMEM with a
 * sentence, and then the value is not to be used. */
int redact_json(const struct redactor *redactor, json_t *value);

#endif
