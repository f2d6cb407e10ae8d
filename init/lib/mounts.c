/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/mounts.h"

#include "lib/cleanup.h"
#include "lib/sysfs.h"

#include <errno.h>
#include <string.h>
#include <sys/sysmacros.h>

void mounts_unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		unsigned value;

		if (from[0] == '\\' && sscanf(from + 1, "%3o", &value) == 1 &&
		    strspn(from + 1, "01234567") >= 3) {
			*to++ = (char)value;
			from += 4;
		} else {
			*to++ = *from++;
		}
	}
	*to = '\0';
}

/* "" behind the end of the line. */
static char *next_field(char **rest)
{
	static char none[1];

	return *rest ? strsep(rest, " ") : none;
}

static dev_t device_number(const char *text)
{
	unsigned major_number, minor_number;

	return sscanf(text, "%u:%u", &major_number, &minor_number) == 2
		       ? makedev(major_number, minor_number)
		       : 0;
}

/* "36 35 98:0 /root /mount/point options optional... - type source options" */
static bool visit_line(char *line, bool (*visit)(void *context, const struct mounted *mounted),
		       void *context)
{
	struct mounted mounted = { .id = atoi(next_field(&line)) };
	char options[4096], *where, *of_mount, *source;

	next_field(&line); /* the mount that it is on */
	mounted.number = device_number(next_field(&line));
	next_field(&line); /* what of the filesystem is mounted */
	where = next_field(&line);
	of_mount = next_field(&line);
	while (line && strcmp(next_field(&line), "-"))
		;
	mounted.type = next_field(&line);
	source = next_field(&line);
	const char *more = strchr(next_field(&line), ',');
	snprintf(options, sizeof(options), "%s%s", of_mount, more ? more : "");
	mounts_unescape(where);
	mounts_unescape(source);
	mounted.where = where;
	mounted.source = source;
	mounted.options = options;
	return visit(context, &mounted);
}

int mounts_each(const char *root, bool (*visit)(void *context, const struct mounted *mounted),
		void *context)
{
	_cleanup_free_ char *text = sysfs_slurp(root, "/proc/self/mountinfo");
	char *rest = text, *line;

	if (!text)
		return errno ? -errno : -EIO;
	while ((line = strsep(&rest, "\n")))
		if (*line && visit_line(line, visit, context))
			break;
	return 0;
}
