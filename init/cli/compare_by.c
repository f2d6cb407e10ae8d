/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/compare_by.h"

#include "cli/command.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "report/by.h"
#include "report/json_file.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Folders of runs lie in runs/ on a stick, and sticks' contents in folders of machines. */
enum { DEPTH_MAX = 8, STATUS_TROUBLE = 2 };

static int add_report(struct by *by, const char *path)
{
	struct saved saved = { .name = NULL };
	int result = saved_read(&saved, path);

	if (!result)
		result = by_add(by, &saved);
	else if (result != -ENOMEM) {
		fprintf(stderr, "blitbench: left out: %s\n", error_text());
		result = by_leave_out(by, "no report that can be read, or no trial that counts");
	}
	saved_free(&saved);
	return result;
}

static int add_folder(struct by *by, const char *path, unsigned depth);

/* Reports by their name, and folders that are none through a link. */
static int add_entry(struct by *by, const char *folder, const char *name, unsigned depth)
{
	char path[PATH_MAX];
	struct stat status;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) >= sizeof(path))
		return error_set(-ENAMETOOLONG, "%s/%s: the path is too long", folder, name);
	if (lstat(path, &status))
		return error_set(-errno, "%s: %s", path, strerror(errno));
	if (S_ISDIR(status.st_mode))
		return add_folder(by, path, depth + 1);
	return S_ISREG(status.st_mode) && !strcmp(name, "report.json") ? add_report(by, path) : 0;
}

static int add_folder(struct by *by, const char *path, unsigned depth)
{
	struct dirent **entries;
	int count = depth < DEPTH_MAX ? scandir(path, &entries, NULL, alphasort) : 0;
	int result = 0;

	if (count < 0)
		return error_set(-errno, "%s: %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		if (!result && entries[i]->d_name[0] != '.')
			result = add_entry(by, path, entries[i]->d_name, depth);
		free(entries[i]);
	}
	if (count)
		free(entries);
	return result;
}

static int add(struct by *by, const char *name)
{
	struct stat status;

	if (stat(name, &status))
		return error_set(-errno, "%s: %s", name, strerror(errno));
	return S_ISDIR(status.st_mode) ? add_folder(by, name, 0) : add_report(by, name);
}

static int print(const struct by *by, bool json)
{
	json_t *table = by_json(by);
	_cleanup_free_ char *text = !table ? NULL : json ? json_file_text(table) : by_text(table);

	json_decref(table);
	if (!text)
		return error_set(-ENOMEM, "out of memory");
	fputs(text, stdout);
	return 0;
}

static int failed(void)
{
	command_failed();
	return STATUS_TROUBLE;
}

/* The key and the paths of the command line; the paths move to its beginning. */
static int parse(int argc, char **argv, const char **key, bool *json, int *count)
{
	for (int i = 1; i < argc; i++) {
		int status = 0;

		if (!strcmp(argv[i], "--by"))
			status = command_option("compare", key, "a key of a report, such as machine.cpu.model", argc,
						argv, &i);
		else if (!strcmp(argv[i], "--json"))
			*json = true;
		else if (argv[i][0] == '-')
			status = command_usage("compare", "'%s' does not go with --by", argv[i]);
		else
			argv[(*count)++] = argv[i];
		if (status)
			return status;
	}
	return *count ? 0 : command_usage("compare", "--by needs reports, or folders that have some");
}

int compare_by(int argc, char **argv)
{
	const char *key = NULL;
	bool json = false;
	int count = 0, result;
	struct by by;

	int status = parse(argc, argv, &key, &json, &count);
	if (status)
		return status;
	result = by_begin(&by, key);
	for (int i = 0; i < count && !result; i++)
		result = add(&by, argv[i]);
	if (!result && !by.reports)
		result = error_set(-ENOENT, "there is no report.json with a trial that counts in what was named");
	else if (!result && !by.told)
		result = error_set(-ENOENT, "none of the reports has the key '%s'; docs/report.md lists them", key);
	if (!result)
		result = print(&by, json);
	by_free(&by);
	return result ? failed() : 0;
}
