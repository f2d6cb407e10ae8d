/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/mtree_line.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/escape.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

char *mtree_next_word(char **rest)
{
	char *word = *rest, *end;

	while (mtree_is_space(*word))
		word++;
	if (!*word)
		return NULL;
	for (end = word; *end && !mtree_is_space(*end); end++)
		;
	*rest = *end ? end + 1 : end;
	*end = '\0';
	return word;
}

static bool octal(char digit)
{
	return digit >= '0' && digit <= '7';
}

/* The byte that an escape stands for; *used is the length after the backslash. -1 where it stands
 * for none. */
static int escaped_byte(const char *text, size_t *used)
{
	static const char letters[] = "abfnrstv\\#", bytes[] = "\a\b\f\n\r \t\v\\#";
	const char *letter;

	if (text[0] >= '0' && text[0] <= '3' && octal(text[1]) && octal(text[2])) {
		*used = 3;
		return (text[0] - '0') << 6 | (text[1] - '0') << 3 | (text[2] - '0');
	}
	*used = 1;
	letter = *text ? strchr(letters, *text) : NULL;
	return letter ? bytes[letter - letters] : -1;
}

int mtree_unescape(char *word)
{
	char shown[SENTENCE_NAME_BYTES];
	char *out = strchr(word, '\\');

	if (!out)
		return 0;
	for (const char *in = out; *in;) {
		size_t used;
		int byte;

		if (*in != '\\') {
			*out++ = *in++;
			continue;
		}
		byte = escaped_byte(in + 1, &used);
		if (byte < 0)
			return error_set(
				-EINVAL,
				"\"%s\" begins with no escape that mtree knows; write other bytes "
				"as \\ooo",
				escape_for_sentence(shown, in));
		if (!byte)
			return error_set(-EINVAL,
					 "a name with \\000 in it cannot exist; correct it");
		*out++ = (char)byte;
		in += 1 + used;
	}
	*out = '\0';
	return 0;
}

/* --- values --- */

static int parse_type(struct mtree_keywords *keywords, enum mtree_keyword keyword, char *value)
{
	static const char *const names[] = {
		[ENTRY_FILE] = "file",
		[ENTRY_SYMLINK] = "link",
		[ENTRY_DIRECTORY] = "dir",
	};
	static const char *const specials[] = { "char", "block", "fifo", "socket" };
	char shown[SENTENCE_NAME_BYTES];

	(void)keyword;
	keywords->special = false;
	for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
		if (!strcmp(value, names[i])) {
			keywords->type = (enum entry_type)i;
			return 0;
		}
	}
	for (size_t i = 0; i < ARRAY_LENGTH(specials); i++)
		keywords->special |= !strcmp(value, specials[i]);
	if (keywords->special)
		return 0;
	return error_set(-EINVAL, "type=%s is no type that an entry can have; leave the entry out",
			 escape_for_sentence(shown, value));
}

static int parse_number(const char *key, const char *value, unsigned base, uint64_t limit,
			uint64_t *number)
{
	char shown[SENTENCE_NAME_BYTES];
	const char *at = value;
	uint64_t sum = 0;

	for (; *at >= '0' && *at < (char)('0' + base); at++) {
		unsigned digit = (unsigned)(*at - '0');

		if (sum > (limit - digit) / base)
			return error_set(-EINVAL, "%s=%s is too large; correct it", key,
					 escape_for_sentence(shown, value));
		sum = sum * base + digit;
	}
	if (*value == '-')
		return error_set(-EINVAL, "%s=%s is negative; correct it", key,
				 escape_for_sentence(shown, value));
	if (at == value || *at)
		return error_set(-EINVAL, "%s=%s is not %s number; correct it", key,
				 escape_for_sentence(shown, value),
				 base == 8 ? "an octal" : "a decimal");
	*number = sum;
	return 0;
}

static int parse_link(struct mtree_keywords *keywords, enum mtree_keyword keyword, char *value)
{
	(void)keyword;
	keywords->link_text = value;
	return mtree_unescape(value);
}

static int parse_mode(struct mtree_keywords *keywords, enum mtree_keyword keyword, char *value)
{
	return parse_number("mode", value, 8, 07777, &keywords->numbers[keyword]);
}

static int parse_decimal(struct mtree_keywords *keywords, enum mtree_keyword keyword, char *value);

static const struct {
	const char *name;
	int (*parse)(struct mtree_keywords *keywords, enum mtree_keyword keyword, char *value);
	uint64_t limit; /* of a decimal number */
} table[KEYWORD_COUNT] = {
	[KEYWORD_TYPE] = { "type", parse_type, 0 },
	[KEYWORD_MODE] = { "mode", parse_mode, 0 },
	/* The highest number means "leave as it is" to chown. */
	[KEYWORD_UID] = { "uid", parse_decimal, UINT32_MAX - 1 },
	[KEYWORD_GID] = { "gid", parse_decimal, UINT32_MAX - 1 },
	[KEYWORD_SIZE] = { "size", parse_decimal, UINT64_MAX },
	[KEYWORD_LINK] = { "link", parse_link, 0 },
	[KEYWORD_INODE] = { "inode", parse_decimal, UINT64_MAX },
};

static int parse_decimal(struct mtree_keywords *keywords, enum mtree_keyword keyword, char *value)
{
	return parse_number(table[keyword].name, value, 10, table[keyword].limit,
			    &keywords->numbers[keyword]);
}

/* --- keywords --- */

static enum mtree_keyword find_keyword(const char *name)
{
	for (enum mtree_keyword i = 0; i < KEYWORD_COUNT; i++)
		if (!strcmp(name, table[i].name))
			return i;
	return KEYWORD_COUNT;
}

static bool is_flag(const char *word)
{
	return !strcmp(word, "optional") || !strcmp(word, "nochange") || !strcmp(word, "ignore");
}

int mtree_keywords_parse(struct mtree_keywords *keywords, char *rest)
{
	char shown[SENTENCE_NAME_BYTES];
	char *word;

	while ((word = mtree_next_word(&rest))) {
		char *equals = strchr(word, '=');
		enum mtree_keyword keyword;
		int error;

		if (!equals && is_flag(word))
			continue;
		if (!equals)
			return error_set(
				-EINVAL,
				"\"%s\" is not of the form keyword=value; this line is no mtree",
				escape_for_sentence(shown, word));
		*equals = '\0';
		keyword = find_keyword(word);
		if (keyword == KEYWORD_COUNT)
			continue;
		error = table[keyword].parse(keywords, keyword, equals + 1);
		if (error)
			return error;
		keywords->present |= 1u << keyword;
	}
	return 0;
}

static bool has(const struct mtree_keywords *keywords, enum mtree_keyword keyword)
{
	return keywords->present & 1u << keyword;
}

int mtree_keywords_set(struct mtree_keywords *keywords, char *rest)
{
	int error = mtree_keywords_parse(keywords, rest);

	if (!error && has(keywords, KEYWORD_LINK))
		return error_set(
			-EINVAL,
			"/set has link=, which no two entries share; give it on the entry's line");
	return error;
}

void mtree_keywords_unset(struct mtree_keywords *keywords, char *rest)
{
	char *word;

	while ((word = mtree_next_word(&rest))) {
		enum mtree_keyword keyword = find_keyword(word);

		if (!strcmp(word, "all"))
			keywords->present = 0;
		else if (keyword != KEYWORD_COUNT)
			keywords->present &= ~(1u << keyword);
	}
}

static uint64_t number_or(const struct mtree_keywords *keywords, enum mtree_keyword keyword,
			  uint64_t otherwise)
{
	return has(keywords, keyword) ? keywords->numbers[keyword] : otherwise;
}

int mtree_keywords_entry(const struct mtree_keywords *keywords, const char *path,
			 struct listed_entry *entry)
{
	static const uint16_t modes[] = {
		[ENTRY_FILE] = 0644, [ENTRY_SYMLINK] = 0777, [ENTRY_DIRECTORY] = 0755
	};

	if (!has(keywords, KEYWORD_TYPE))
		return error_set(-EINVAL, "type= is missing; add type=file, link or dir");
	if (keywords->type == ENTRY_FILE && !has(keywords, KEYWORD_SIZE))
		return error_set(-EINVAL, "size= is missing; a file needs its size in bytes");
	*entry = (struct listed_entry){
		.path = path,
		.link_text = has(keywords, KEYWORD_LINK) ? keywords->link_text : NULL,
		.size = number_or(keywords, KEYWORD_SIZE, 0),
		.number = number_or(keywords, KEYWORD_INODE, 0),
		.numbered = has(keywords, KEYWORD_INODE),
		.type = keywords->type,
		.uid = (uint32_t)number_or(keywords, KEYWORD_UID, 0),
		.gid = (uint32_t)number_or(keywords, KEYWORD_GID, 0),
		.mode = (uint16_t)number_or(keywords, KEYWORD_MODE, modes[keywords->type]),
	};
	return 0;
}
