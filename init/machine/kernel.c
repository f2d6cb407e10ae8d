/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/kernel.h"

#include "lib/cleanup.h"
#include "lib/sysfs.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Debian's has some 300 KB. */
enum { CONFIG_BYTES_MAX = 4 << 20 };

/* The text of the kernel's configuration, freed by the caller. NULL where it does not tell. */
static char *read_config(const char *top)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/proc/config.gz", top);
	gzFile file = gzopen(path, "rb");
	if (!file)
		return NULL;
	char *text = malloc(CONFIG_BYTES_MAX + 1);
	int length = text ? gzread(file, text, CONFIG_BYTES_MAX) : -1;
	gzclose(file);
	if (length <= 0) {
		free(text);
		return NULL;
	}
	text[length] = '\0';
	return text;
}

static bool has_line(const char *text, const char *line)
{
	size_t length = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at += length)
		if ((at == text || at[-1] == '\n') && (at[length] == '\n' || !at[length]))
			return true;
	return false;
}

static bool configured(const char *config, const char *symbol)
{
	char line[64];

	snprintf(line, sizeof(line), "%s=y", symbol);
	return !config || has_line(config, line);
}

/* A line of /proc/filesystems ends with the name, after a tab. */
static bool knows_filesystem(const char *type, const char *top)
{
	_cleanup_free_ char *text = sysfs_slurp(top, "/proc/filesystems");
	size_t length = strlen(type);

	for (const char *at = text; at && (at = strstr(at, type)); at += length)
		if (at > text && at[-1] == '\t' && at[length] == '\n')
			return true;
	return false;
}

static void add(char words[KERNEL_LACKS_BYTES], const char *symbol, const char *purpose)
{
	size_t used = strlen(words);

	snprintf(words + used, KERNEL_LACKS_BYTES - used, "%s%s (%s)", used ? ", " : "", symbol, purpose);
}

const char *kernel_lacks(char words[KERNEL_LACKS_BYTES], const char *top)
{
	static const char *const needs[][2] = {
		{ "CONFIG_BLOCK", "disks" },
		{ "CONFIG_EFI_PARTITION", "GPT" },
		{ "CONFIG_NLS_CODEPAGE_437", "the results volume's file names" },
		{ "CONFIG_NLS_ISO8859_1", "the results volume's file names" },
	};
	_cleanup_free_ char *config = read_config(top);

	words[0] = '\0';
	for (size_t i = 0; i < ARRAY_LENGTH(needs); i++)
		if (!configured(config, needs[i][0]))
			add(words, needs[i][0], needs[i][1]);
	if (!configured(config, "CONFIG_VFAT_FS") || !knows_filesystem("vfat", top))
		add(words, "CONFIG_VFAT_FS", "the results volume");
	return words;
}

static const char *symbol_of(char symbol[40], const char *type)
{
	int length = snprintf(symbol, 40, "CONFIG_%.24s_FS", type);

	for (int i = 0; i < length; i++)
		symbol[i] = (char)toupper((unsigned char)symbol[i]);
	return symbol;
}

const char *kernel_lacks_for(char words[KERNEL_LACKS_BYTES], const char *const *types, size_t count, bool cold,
			     const char *top)
{
	_cleanup_free_ char *config = read_config(top);
	_cleanup_free_ char *slabs = cold ? sysfs_slurp(top, "/proc/slabinfo") : NULL;
	char symbol[40];

	words[0] = '\0';
	for (size_t i = 0; i < count; i++) {
		symbol_of(symbol, types[i]);
		if ((!configured(config, symbol) || !knows_filesystem(types[i], top)) && !strstr(words, symbol))
			add(words, symbol, types[i]);
	}
	if (cold && !slabs)
		add(words, "CONFIG_SLUB_DEBUG", "/proc/slabinfo, which proves that caches are cold");
	return words;
}
