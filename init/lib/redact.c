/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/redact.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/values.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

/* LONG_TEXT: shorter ones were not cut by any of our buffers. */
enum { SECRET_MIN = 4, LONG_TEXT = 200 };

static int out_of_memory(void)
{
	return error_set(-ENOMEM, "out of memory for leaving serial numbers out");
}

static int add(struct redactor *redactor, const char *secret)
{
	size_t length = strlen(secret);

	if (length < SECRET_MIN || !strpbrk(secret, "0123456789"))
		return 0;
	for (size_t i = 0; i < redactor->count; i++)
		if (!strcasecmp(redactor->secrets[i], secret))
			return 0;
	char **larger = realloc(redactor->secrets, (redactor->count + 1) * sizeof(*larger));
	if (!larger)
		return out_of_memory();
	redactor->secrets = larger;
	char *copy = strdup(secret);
	if (!copy)
		return out_of_memory();
	redactor->secrets[redactor->count++] = copy;
	return 0;
}

int redactor_learn(struct redactor *redactor, const char *secret)
{
	/* In JSON it stands with what is no UTF-8 replaced. */
	json_t *text = json_text(secret);
	int result = text ? add(redactor, secret) : out_of_memory();

	if (!result)
		result = add(redactor, json_string_value(text));
	json_decref(text);
	return result;
}

void redactor_free(struct redactor *redactor)
{
	for (size_t i = 0; i < redactor->count; i++)
		free(redactor->secrets[i]);
	free(redactor->secrets);
	*redactor = (struct redactor){ .secrets = NULL };
}

static bool is_word(char byte)
{
	return isalnum((unsigned char)byte);
}

/* The pattern's length where the text begins with it ('x': a hexadecimal digit), else 0. */
static size_t fits(const char *text, const char *pattern)
{
	size_t i = 0;

	for (; pattern[i]; i++)
		if (pattern[i] == 'x' ? !isxdigit((unsigned char)text[i]) : text[i] != pattern[i])
			return 0;
	return is_word(text[i]) ? 0 : i;
}

/* How much of the secret is at the end of a text that was cut; 0 = none. */
static size_t cut_secret(const char *secret, const char *text)
{
	size_t same = 0;

	while (secret[same] &&
	       tolower((unsigned char)secret[same]) == tolower((unsigned char)text[same]))
		same++;
	return same >= SECRET_MIN && (!text[same] || !strcmp(text + same, "...")) ? same : 0;
}

/* The length of the secret that begins here, 0 where none does. */
static size_t secret_at(const struct redactor *redactor, const char *text, bool may_be_cut)
{
	static const char *const patterns[] = { "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
						"xx:xx:xx:xx:xx:xx" };
	size_t longest = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(patterns) && !longest; i++)
		longest = fits(text, patterns[i]);
	for (size_t i = 0; i < redactor->count; i++) {
		const char *secret = redactor->secrets[i];
		size_t whole = strlen(secret);

		if (!strncasecmp(text, secret, whole) && !is_word(text[whole]))
			longest = whole > longest ? whole : longest;
		size_t cut = may_be_cut ? cut_secret(secret, text) : 0;
		longest = cut > longest ? cut : longest;
	}
	return longest;
}

static bool may_be_cut(const char *text)
{
	size_t length = strlen(text);

	return length >= LONG_TEXT || (length > 3 && !strcmp(text + length - 3, "..."));
}

char *redact_text(const struct redactor *redactor, const char *text)
{
	bool cut = may_be_cut(text);
	/* The shortest secret is half as long as what replaces it. */
	char *fresh = malloc(strlen(text) * 2 + sizeof(REDACTED)), *end = fresh;

	if (!fresh) {
		out_of_memory();
		return NULL;
	}
	for (const char *at = text; *at;) {
		bool begins = at == text || !is_word(at[-1]) || !is_word(*at);
		size_t length = begins ? secret_at(redactor, at, cut) : 0;

		if (length) {
			memcpy(end, REDACTED, strlen(REDACTED));
			end += strlen(REDACTED);
			at += length;
		} else {
			*end++ = *at++;
		}
	}
	*end = '\0';
	return fresh;
}

void redact_buffer(const struct redactor *redactor, char *buffer, size_t size)
{
	_cleanup_free_ char *fresh = redact_text(redactor, buffer);

	snprintf(buffer, size, "%s", fresh ? fresh : REDACTED);
}

static bool is_secret_key(const char *key)
{
	return !strcmp(key, "serial") || !strcmp(key, "partuuid");
}

/* What is to stand in the place of one value of an array or object; *fresh is NULL where it stays, which is
 * the case of all but strings. Below it all is done. */
static int redact_member(const struct redactor *redactor, const char *key, json_t *value,
			 json_t **fresh)
{
	const char *text = json_string_value(value);

	*fresh = NULL;
	if (!text)
		return redact_json(redactor, value);
	if (key && is_secret_key(key) && *text) {
		*fresh = json_string(REDACTED);
		return *fresh ? 0 : out_of_memory();
	}
	_cleanup_free_ char *redacted = redact_text(redactor, text);
	if (!redacted)
		return -ENOMEM;
	/* A secret may end within a character, where texts were cut. */
	if (strcmp(redacted, text))
		*fresh = json_text(redacted);
	return 0;
}

int redact_json(const struct redactor *redactor, json_t *value)
{
	json_t *member, *fresh;
	const char *key;
	size_t index;
	void *next;

	json_object_foreach_safe(value, next, key, member) {
		int result = redact_member(redactor, key, member, &fresh);

		if (!result && fresh && json_object_set_new(value, key, fresh))
			result = out_of_memory();
		if (result)
			return result;
	}
	json_array_foreach(value, index, member) {
		int result = redact_member(redactor, NULL, member, &fresh);

		if (!result && fresh && json_array_set_new(value, index, fresh))
			result = out_of_memory();
		if (result)
			return result;
	}
	return 0;
}
