/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/unfinished.h"

#include "lib/cleanup.h"
#include "report/journal.h"

#include <limits.h>
#include <string.h>

enum { ID_CHARACTERS = 20 };

/* As run_find_results names them: 20250116-120000-1a2b. Anybody can make folders on a stick, with
 * names of three times NAME_MAX bytes. */
static bool is_run_id(const char *name)
{
	return strlen(name) == ID_CHARACTERS && name[8] == '-' && name[15] == '-' &&
	       strspn(name, "0123456789abcdef-") == ID_CHARACTERS;
}

static void newest_run(const char *top, char newest[ID_CHARACTERS + 1])
{
	char path[PATH_MAX];

	newest[0] = '\0';
	snprintf(path, sizeof(path), "%s/runs", top);
	_cleanup_closedir_ DIR *directory = opendir(path);
	if (!directory)
		return;
	for (const struct dirent *entry; (entry = readdir(directory));)
		if (is_run_id(entry->d_name) && strcmp(entry->d_name, newest) > 0)
			memcpy(newest, entry->d_name, ID_CHARACTERS + 1);
}

void unfinished_partuuid(const char *top, char partuuid[40])
{
	char newest[ID_CHARACTERS + 1], path[PATH_MAX];
	const char *status = NULL, *formatting = NULL;
	unsigned damaged;
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
		if (record && !strcmp(record, "target"))
			formatting = json_string_value(json_object_get(line, "partuuid"));
	}
	if (status && !strcmp(status, run_status_name(RUN_INCOMPLETE)) && formatting)
		snprintf(partuuid, 40, "%s", formatting);
	json_decref(lines);
}
