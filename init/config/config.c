/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/config.h"

#include "config/keys.h"
#include "config/values.h"
#include "lib/cleanup.h"
#include "lib/error.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>

enum { MISTAKES_MAX = 64, MISTAKE_BYTES = 768, ORIGIN_BYTES = 96 };

struct value {
	bool seen; /* also where it was wrong */
	bool set;
	unsigned line;
	char text[CONFIG_VALUE_BYTES];
	char origin[ORIGIN_BYTES];
};

struct mistake {
	enum source source;
	unsigned line;
	char text[MISTAKE_BYTES];
};

/* All in one piece, so that no mistake is lost for want of memory. */
struct config {
	config_names *known;
	bool paths_anywhere;
	char names[SOURCES][ORIGIN_BYTES];
	struct value values[SOURCES][CONFIG_KEYS];
	struct mistake mistakes[MISTAKES_MAX];
	unsigned mistake_count, mistakes_left_out;
	char report[MISTAKES_MAX * (MISTAKE_BYTES + 1) + 64];
};

struct config *config_new(config_names *names)
{
	struct config *config = calloc(1, sizeof(*config));

	if (!config)
		return NULL;
	config->known = names;
	source_name(config, SOURCE_COMMAND_LINE, "the kernel command line");
	source_name(config, SOURCE_DEFAULT, "default");
	for (enum config_key key = 0; key < CONFIG_KEYS; key++) {
		struct value *value = &config->values[SOURCE_DEFAULT][key];

		value->set = true;
		snprintf(value->text, sizeof(value->text), "%s", config_table[key].fallback);
		snprintf(value->origin, sizeof(value->origin), "%s", config->names[SOURCE_DEFAULT]);
	}
	return config;
}

void config_free(struct config *config)
{
	free(config);
}

static const struct value *effective(const struct config *config, enum config_key key,
				     enum source *source)
{
	for (*source = 0; !config->values[*source][key].set; (*source)++)
		;
	return &config->values[*source][key];
}

const char *config_get(const struct config *config, enum config_key key)
{
	enum source source;

	return effective(config, key, &source)->text;
}

const char *config_origin(const struct config *config, enum config_key key)
{
	enum source source;

	return effective(config, key, &source)->origin;
}

bool config_is_on_command_line(const struct config *config, enum config_key key)
{
	return config->values[SOURCE_COMMAND_LINE][key].set;
}

void config_fallback(struct config *config, enum config_key key, const char *value)
{
	if (config->values[SOURCE_COMMAND_LINE][key].set)
		return;
	for (enum source source = SOURCE_CONF; source < SOURCES; source++)
		config->values[source][key].set = false;
	struct value *fallback = &config->values[SOURCE_DEFAULT][key];
	fallback->set = true;
	snprintf(fallback->text, sizeof(fallback->text), "%s", value);
}

void paths_anywhere(struct config *config)
{
	config->paths_anywhere = true;
}

const char *config_key_name(enum config_key key)
{
	return config_table[key].name;
}

/* Every mistake on a line of its own, by place; made anew with each, so that config_mistakes can
 * hand it out as it is. */
static void write_report(struct config *config)
{
	char *end = config->report;

	for (unsigned i = 0; i < config->mistake_count; i++)
		end += sprintf(end, "%s\n", config->mistakes[i].text);
	if (config->mistakes_left_out)
		sprintf(end, "and %u more\n", config->mistakes_left_out);
}

static void add_mistake(struct config *config, enum source source, unsigned line, const char *text)
{
	unsigned at = config->mistake_count;

	if (at == MISTAKES_MAX) {
		config->mistakes_left_out++;
		write_report(config);
		return;
	}
	for (; at > 0; at--) {
		const struct mistake *before = &config->mistakes[at - 1];

		if (before->source < source || (before->source == source && before->line <= line))
			break;
		config->mistakes[at] = *before;
	}
	config->mistakes[at] = (struct mistake){ .source = source, .line = line };
	snprintf(config->mistakes[at].text, MISTAKE_BYTES, "%s", text);
	config->mistake_count++;
	write_report(config);
}

const char *config_mistakes(const struct config *config)
{
	return config->report;
}

static void place(const struct config *config, enum source source, unsigned line,
		  char buffer[ORIGIN_BYTES])
{
	if (line)
		snprintf(buffer, ORIGIN_BYTES, "%.70s, line %u", config->names[source], line);
	else
		snprintf(buffer, ORIGIN_BYTES, "%s", config->names[source]);
}

void source_name(struct config *config, enum source source, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(config->names[source], ORIGIN_BYTES, format, arguments);
	va_end(arguments);
}

void source_mistake(struct config *config, enum source source, unsigned line, const char *format,
		    ...)
{
	char text[MISTAKE_BYTES], where[ORIGIN_BYTES];
	va_list arguments;

	place(config, source, line, where);
	int used = snprintf(text, sizeof(text), "%s: ", where);
	va_start(arguments, format);
	vsnprintf(text + used, sizeof(text) - (size_t)used, format, arguments);
	va_end(arguments);
	add_mistake(config, source, line, text);
}

void config_mistake(struct config *config, enum config_key key, const char *format, ...)
{
	char words[MISTAKE_BYTES / 2];
	enum source source;
	const struct value *value = effective(config, key, &source);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(words, sizeof(words), format, arguments);
	va_end(arguments);
	source_mistake(config, source, value->line, "%s = \"%s\": %s", config_key_name(key),
		       value->text, words);
}

static void unknown_key(struct config *config, enum source source, unsigned line, const char *name)
{
	const char *nearest = key_nearest(name);
	char all[MISTAKE_BYTES / 2] = "";

	if (nearest) {
		source_mistake(config, source, line, "\"%s\" is not a key; did you mean %s?", name,
			       nearest);
		return;
	}
	for (enum config_key key = 0; key < CONFIG_KEYS; key++) {
		size_t used = strlen(all);

		snprintf(all + used, sizeof(all) - used, "%s%s", key ? " " : "",
			 config_key_name(key));
	}
	source_mistake(config, source, line, "\"%s\" is not a key; the keys are: %s", name, all);
}

static bool all_known(const char *names, const char *value)
{
	char word[CONFIG_WORD_BYTES], name[CONFIG_WORD_BYTES];

	while (config_next_word(&value, word, sizeof(word))) {
		const char *rest = names;

		do {
			if (!config_next_word(&rest, name, sizeof(name)))
				return false;
		} while (strcmp(name, word));
	}
	return true;
}

static bool valid(const struct config *config, enum source source, enum config_key found,
		  const char *text)
{
	const struct key *key = &config_table[found];
	const char *known = config->known(found);

	/* A blitbench.conf speaks of the volume that it lies on, whoever reads it. */
	if (key->path && config->paths_anywhere && source != SOURCE_CONF)
		return *text;
	return key->valid(key, text) && (!known || all_known(known, text));
}

void source_value(struct config *config, enum source source, unsigned line, const char *name,
		  const char *text)
{
	enum config_key found = key_find(name);

	if (found == CONFIG_KEYS) {
		unknown_key(config, source, line, name);
		return;
	}
	const struct key *key = &config_table[found];
	struct value *value = &config->values[source][found];
	char where[ORIGIN_BYTES];
	if (source == SOURCE_PROFILE && found == KEY_PROFILE) {
		source_mistake(
			config, source, line,
			"profile = \"%s\": a profile cannot name another one; take the line out",
			text);
		return;
	}
	/* Lines count: the kernel lets the last of two words win, a file has no business to say two
	 * things. */
	if (line && value->seen) {
		source_mistake(config, source, line,
			       "%s = \"%s\": line %u has this key already; take one of the two out",
			       name, text, value->line);
		return;
	}
	value->seen = true;
	value->line = line;
	if (strlen(text) >= sizeof(value->text)) {
		source_mistake(config, source, line, "%s: its value is longer than %zu bytes", name,
			       sizeof(value->text) - 1);
		return;
	}
	if (!valid(config, source, found, text)) {
		const char *known = config->known(found);

		source_mistake(config, source, line, "%s = \"%s\": must be %s%s", name, text,
			       key->allowed, known ? known : "");
		return;
	}
	value->set = true;
	for (size_t i = 0; i <= strlen(text); i++)
		value->text[i] = key->lower ? (char)tolower((unsigned char)text[i]) : text[i];
	place(config, source, line, where);
	memcpy(value->origin, where, sizeof(where));
}

bool printable(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text[i],
			      next = i + 1 < length ? (unsigned char)text[i + 1] : 0;

		/* C1, the second set of control characters, is 0xc2 and 0x80 to 0x9f in UTF-8. */
		if ((byte < ' ' && byte != '\t') || byte == 0x7f ||
		    (byte == 0xc2 && next >= 0x80 && next <= 0x9f))
			return false;
	}
	json_t *judged = json_stringn(text, length);
	json_decref(judged);
	return judged != NULL;
}

bool config_next_word(const char **cursor, char *word, size_t size)
{
	static const char separators[] = " \t,";
	const char *start = *cursor + strspn(*cursor, separators);
	size_t length = strcspn(start, separators);

	*cursor = start + length;
	if (!length)
		return false;
	snprintf(word, size, "%.*s", (int)length, start);
	return true;
}

bool config_has_word(const struct config *config, enum config_key key, const char *word)
{
	const char *cursor = config_get(config, key);
	char next[CONFIG_WORD_BYTES];

	while (config_next_word(&cursor, next, sizeof(next)))
		if (!strcmp(next, word))
			return true;
	return false;
}
