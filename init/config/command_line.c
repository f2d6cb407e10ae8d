/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's command line. Words are split as the kernel's own next_arg() does (lib/cmdline.c):
 * blanks inside double quotes do not end a word, and the quotes may stand around the value or
 * around the whole word (GRUB writes the latter).
 */
#include "config/values.h"
#include "lib/cleanup.h"
#include "lib/error.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static const char prefix[] = "blitbench.";

/* Drops the double quotes that enclose text, in place. */
static char *unquoted(char *text)
{
	size_t length = strlen(text);

	if (text[0] != '"')
		return text;
	if (length > 1 && text[length - 1] == '"')
		text[length - 1] = '\0';
	return text + 1;
}

static void take_word(struct config *config, char *word)
{
	/* A quote may stand before the name; its partner is then the word's last character. */
	char *name = unquoted(word), *value;

	if (strncmp(name, prefix, strlen(prefix)))
		return;
	if (!printable(name, strlen(name))) {
		source_mistake(
			config, SOURCE_COMMAND_LINE, 0,
			"a word that begins with %s holds bytes that are not printable UTF-8",
			prefix);
		return;
	}
	value = strchr(name, '=');
	if (!value) {
		source_mistake(config, SOURCE_COMMAND_LINE, 0,
			       "\"%s\" has no value; write %sKEY=VALUE", name, prefix);
		return;
	}
	*value++ = '\0';
	source_value(config, SOURCE_COMMAND_LINE, 0, name + strlen(prefix), unquoted(value));
}

void config_read_argument(struct config *config, const char *text)
{
	const char *value = strchr(text, '=');
	char name[CONFIG_WORD_BYTES];

	source_name(config, SOURCE_COMMAND_LINE, "the command line");
	paths_anywhere(config);
	if (!printable(text, strlen(text))) {
		source_mistake(config, SOURCE_COMMAND_LINE, 0,
			       "an argument holds bytes that are not printable UTF-8");
		return;
	}
	snprintf(name, sizeof(name), "%.*s", value ? (int)(value - text) : 0, text);
	if (!value)
		source_mistake(config, SOURCE_COMMAND_LINE, 0,
			       "\"%s\" has no value; write KEY=VALUE", text);
	else
		source_value(config, SOURCE_COMMAND_LINE, 0, name, value + 1);
}

int config_read_command_line(struct config *config, const char *text)
{
	_cleanup_free_ char *copy = strdup(text);
	if (!copy)
		return error_set(-ENOMEM, "no memory for the kernel command line");
	for (char *at = copy; *at;) {
		bool quoted = false;

		while (isspace((unsigned char)*at))
			at++;
		char *word = at;
		for (; *at && (quoted || !isspace((unsigned char)*at)); at++)
			quoted ^= *at == '"';
		if (quoted && strstr(word, prefix)) {
			source_mistake(config, SOURCE_COMMAND_LINE, 0,
				       "a double quote is not closed");
			return 0;
		}
		if (*at)
			*at++ = '\0';
		take_word(config, word);
	}
	return 0;
}
