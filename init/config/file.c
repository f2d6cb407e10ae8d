/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blitbench.conf and profiles: INI, read with inih. inih is fed line by line and only with lines
 * that it cannot misunderstand, for its limits are silent and depend on how it was built: a longer
 * line is cut, an indented one continues the one before, and of several bad lines only the first is
 * told.
 */
#include "config/values.h"
#include "lib/cleanup.h"
#include "lib/error.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <string.h>

/* ini.h: a line, its CR, its LF and the closing NUL fit into INI_MAX_LINE. */
enum { FILE_BYTES_MAX = 64 * 1024, LINE_BYTES_MAX = INI_MAX_LINE - 3 };

static const char section_name[] = "blitbench";

struct reading {
	struct config *config;
	enum source source;
	const char *at, *end;
	unsigned line;
	bool expects_pair; /* inih was given something that must be KEY = VALUE, and has not told it
			      yet */
};

#define MISTAKE(reading, ...) \
	source_mistake((reading)->config, (reading)->source, (reading)->line, __VA_ARGS__)

static int take_pair(void *context, const char *section, const char *name, const char *value)
{
	struct reading *reading = context;

	if (!name[0])
		return 1; /* "= 3" is no pair either */
	reading->expects_pair = false;
	if (!section[0])
		MISTAKE(reading, "\"%s\" stands before the line [%s]; move it below", name,
			section_name);
	else if (!strcmp(section, section_name))
		source_value(reading->config, reading->source, reading->line, name, value);
	/* Another section was a mistake on its own line; what stands in it is not told again. */
	return 1;
}

static void check_section(struct reading *reading, const char *line, size_t length)
{
	const char *close = memchr(line, ']', length);

	if (!close)
		MISTAKE(reading, "the ] of a section's name is missing");
	else if ((size_t)(close - line) != sizeof(section_name) ||
		 strncmp(line + 1, section_name, sizeof(section_name) - 1))
		MISTAKE(reading, "\"%.*s\" is not a section; the only one is [%s]",
			(int)(close - line + 1), line, section_name);
}

/* Is this a line for inih? Otherwise it gets an empty one in its place, and lines still count
 * right. */
static bool check_line(struct reading *reading, const char *line, size_t length)
{
	if (memchr(line, '\0', length)) {
		MISTAKE(reading, "holds a NUL byte; is the file damaged, or not plain text?");
		return false;
	}
	if (!length || line[0] == '#' || line[0] == ';')
		return false;
	if (!printable(line, length))
		MISTAKE(reading, "holds bytes that are not printable UTF-8");
	else if (length > LINE_BYTES_MAX)
		MISTAKE(reading, "is longer than %d bytes", LINE_BYTES_MAX);
	else
		return true;
	return false;
}

/* What inih was given and did not understand. */
static void finish_line(struct reading *reading)
{
	if (reading->expects_pair)
		MISTAKE(reading, "is not of the form KEY = VALUE");
	reading->expects_pair = false;
}

/* An ini_reader: as fgets, one line a call. */
static char *next_line(char *buffer, int size, void *context)
{
	struct reading *reading = context;

	finish_line(reading);
	if (reading->at >= reading->end)
		return NULL;
	const char *line = reading->at;
	const char *newline = memchr(line, '\n', (size_t)(reading->end - line));
	const char *end = newline ? newline : reading->end;
	reading->at = newline ? newline + 1 : reading->end;
	reading->line++;
	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	while (line < end && isspace((unsigned char)*line))
		line++;
	size_t length = (size_t)(end - line);
	if (!check_line(reading, line, length))
		length = 0;
	else if (line[0] == '[')
		check_section(reading, line, length);
	else
		reading->expects_pair = true;
	snprintf(buffer, (size_t)size, "%.*s\n", (int)length, line);
	return buffer;
}

static int read_file(struct config *config, enum source source, const char *path)
{
	static const char byte_order_mark[] = "\xef\xbb\xbf";

	_cleanup_fclose_ FILE *file = fopen(path, "re");
	if (!file)
		return error_set(-errno, "cannot open %s: %s", path, strerror(errno));
	_cleanup_free_ char *text = malloc(FILE_BYTES_MAX + 1);
	if (!text)
		return error_set(-ENOMEM, "no memory for %s", path);
	errno = 0;
	size_t size = fread(text, 1, FILE_BYTES_MAX + 1, file);
	if (ferror(file))
		return error_set(errno ? -errno : -EIO, "cannot read %s: %s", path,
				 strerror(errno ? errno : EIO));
	struct reading reading = {
		.config = config, .source = source, .at = text, .end = text + size
	};
	if (size > FILE_BYTES_MAX) {
		source_mistake(config, source, 0, "is larger than %d bytes; is it the right file?",
			       FILE_BYTES_MAX);
		return 0;
	}
	if (size >= 2 && (!memcmp(text, "\xff\xfe", 2) || !memcmp(text, "\xfe\xff", 2))) {
		source_mistake(config, source, 0, "is UTF-16; save it as plain text in UTF-8");
		return 0;
	}
	if (size >= 3 && !memcmp(text, byte_order_mark, 3))
		reading.at += 3;
	/* Its result names the first bad line only; finish_line has told them all. */
	if (ini_parse_stream(next_line, &reading, take_pair, &reading) < 0)
		return error_set(-ENOMEM, "no memory to read %s", path);
	return 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

int config_read_conf(struct config *config, const char *path)
{
	source_name(config, SOURCE_CONF, "%s", base_name(path));
	return read_file(config, SOURCE_CONF, path);
}

int config_read_profile(struct config *config, const char *path)
{
	const char *name = base_name(path);

	source_name(config, SOURCE_PROFILE, "profile %.*s", (int)strcspn(name, "."), name);
	return read_file(config, SOURCE_PROFILE, path);
}
