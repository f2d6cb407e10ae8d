/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/unfinished.h"

#include "lib/cleanup.h"
#include "report/journal.h"

#include <limits.h>
#include <string.h>

/* The second is of a folder that run/save.h has made beside the run's own. */
enum { ID_CHARACTERS = 20, NAME_CHARACTERS = ID_CHARACTERS + 2 };

/* As run_find_results names them: 20250116-120000-1a2b. Anybody can make folders on a stick, with
 * names of three times NAME_MAX bytes. */
static bool is_run(const char *name)
{
	size_t length = strlen(name);

	return (length == ID_CHARACTERS || (length == NAME_CHARACTERS && name[ID_CHARACTERS] == '-')) &&
	       name[8] == '-' && name[15] == '-' && strspn(name, "0123456789abcdef-") == length;
}

static void newest_run(const char *top, char newest[NAME_CHARACTERS + 1])
{
	char path[PATH_MAX];

	newest[0] = '\0';
	snprintf(path, sizeof(path), "%s/runs", top);
	_cleanup_closedir_ DIR *directory = opendir(path);
	if (!directory)
		return;
	for (const struct dirent *entry; (entry = readdir(directory));)
		if (is_run(entry->d_name) && strcmp(entry->d_name, newest) > 0)
			strcpy(newest, entry->d_name);
}

void unfinished_partuuid(const char *top, char partuuid[40])
{
	char newest[NAME_CHARACTERS + 1], path[PATH_MAX];
	const char *status = NULL, *formatting = NULL;
	unsigned damaged;
	bool dry = false;
	json_t *lines, *line;
	size_t index;

	partuuid[0] = '\0';
	newest_run(top, newest);
	snprintf(path, sizeof(path), "%s/runs/%s/journal.jsonl", top, newest);
	if (!newest[0] || journal_read(path, &lines, &damaged))
		return;
	json_array_foreach(lines, index, line)
	{
		const char *record = json_string_value(json_object_get(line, "record"));

		if (record && !strcmp(record, "verdict"))
			status = json_string_value(json_object_get(line, "status"));
		/* A dry run tells what it does not format. */
		dry |= record && !strcmp(record, "run") &&
		       json_is_true(json_object_get(line, "dry_run"));
		if (record && !strcmp(record, "target"))
			formatting = json_string_value(json_object_get(line, "partuuid"));
	}
	if (!dry && status && !strcmp(status, run_status_name(RUN_INCOMPLETE)) && formatting)
		snprintf(partuuid, 40, "%s", formatting);
	json_decref(lines);
}
