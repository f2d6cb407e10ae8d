/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/unfinished.h"

#include "lib/cleanup.h"
#include "report/journal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The second is of a folder that run/save.h has made beside the run's own. */
enum { ID_CHARACTERS = 20, NAME_CHARACTERS = ID_CHARACTERS + 2 };

/* What is counted needs no more of them, and a chain of copies that is longer is none of ours. */
enum { LOOKED_AT_MAX = 4 };

/* Runs that formatted nothing are passed over; whoever has seen so many is not going on with
 * anything. */
enum { PASSED_OVER_MAX = 64 };

/* As run_name names them: 20250116-120000-1a2b. Anybody can make folders on a stick, with
 * names of three times NAME_MAX bytes. */
static bool is_run(const char *name)
{
	size_t length = strlen(name);

	return (length == ID_CHARACTERS ||
		(length == NAME_CHARACTERS && name[ID_CHARACTERS] == '-')) &&
	       name[8] == '-' && name[15] == '-' && strspn(name, "0123456789abcdef-") == length;
}

/* The newest run that is older than the one called before, which may be "" for none. "" where there
 * is none. */
static void newest_run(const char *top, const char *before, char newest[UNFINISHED_NAME_BYTES])
{
	char path[PATH_MAX], found[UNFINISHED_NAME_BYTES] = "";

	snprintf(path, sizeof(path), "%s/runs", top);
	_cleanup_closedir_ DIR *directory = opendir(path);
	for (const struct dirent *entry; directory && (entry = readdir(directory));)
		if (is_run(entry->d_name) && strcmp(entry->d_name, found) > 0 &&
		    (!*before || strcmp(entry->d_name, before) < 0))
			strcpy(found, entry->d_name);
	strcpy(newest, found);
}

/* What a journal says of its run. */
struct account {
	char name[UNFINISHED_NAME_BYTES], partuuid[40], copied_from[UNFINISHED_NAME_BYTES];
	bool verdict, aborted, refused, dry;
	json_int_t finished, copied; /* sessions */
	json_t *lines;
};

static void account_free(struct account *account)
{
	json_decref(account->lines);
	account->lines = NULL;
}

static const char *text_of(const json_t *line, const char *key)
{
	const char *text = json_string_value(json_object_get(line, key));

	return text ? text : "";
}

static void take_line(struct account *account, const json_t *line)
{
	const char *record = text_of(line, "record");

	if (!strcmp(record, "verdict")) {
		account->verdict = strcmp(text_of(line, "status"), run_status_name(RUN_INCOMPLETE));
		account->aborted = !strcmp(text_of(line, "status"), run_status_name(RUN_ABORTED));
		account->refused = !strcmp(text_of(line, "status"), run_status_name(RUN_REFUSED));
	} else if (!strcmp(record, "run")) {
		account->dry |= json_is_true(json_object_get(line, "dry_run"));
	} else if (!strcmp(record, "target")) {
		snprintf(account->partuuid, sizeof(account->partuuid), "%s",
			 text_of(line, "partuuid"));
	} else if (!strcmp(record, "session")) {
		account->finished += !strcmp(text_of(line, "status"), "complete");
	} else if (!strcmp(record, "resume")) {
		account->copied = json_integer_value(json_object_get(line, "sessions"));
		snprintf(account->copied_from, sizeof(account->copied_from), "%s",
			 text_of(line, "run"));
	}
}

/* False where there is no journal that can be read: nothing is known of such a run. */
static bool account_read(struct account *account, const char *top, const char *name)
{
	char path[PATH_MAX];
	unsigned damaged;
	const json_t *line;
	size_t index;

	*account = (struct account){ .lines = NULL };
	snprintf(path, sizeof(path), "%s/runs/%s/journal.jsonl", top, name);
	snprintf(account->name, sizeof(account->name), "%s", name);
	if (!*name || journal_read(path, &account->lines, &damaged))
		return false;
	json_array_foreach(account->lines, index, line) take_line(account, line);
	return true;
}

/* A run that was cut short while it copied the sessions of another has fewer than that: then it is
 * the other. */
static void find_source(struct account *account, const char *top)
{
	struct account other;

	for (int i = 0; i < LOOKED_AT_MAX && account->finished < account->copied; i++) {
		if (!is_run(account->copied_from) ||
		    !account_read(&other, top, account->copied_from))
			return;
		account_free(account);
		*account = other;
	}
}

static unsigned count_barren(const char *top)
{
	char name[UNFINISHED_NAME_BYTES] = "";
	struct account account;
	unsigned count = 0;

	while (count < LOOKED_AT_MAX) {
		newest_run(top, name, name);
		bool read = account_read(&account, top, name);
		bool barren = read && !account.verdict && !account.dry &&
			      account.finished <= account.copied;

		account_free(&account);
		if (!barren)
			break;
		count++;
	}
	return count;
}

static void note_newest(struct unfinished *unfinished, const struct account *account)
{
	if (!account->verdict && !account->dry)
		strcpy(unfinished->name, account->name);
}

/* The newest run that had a target and was to format it; the newest of all is noted on the way. */
static bool read_newest_that_formatted(struct account *account, struct unfinished *unfinished,
				       const char *top)
{
	char name[UNFINISHED_NAME_BYTES];

	strcpy(name, unfinished->newest);
	for (int i = 0; i < PASSED_OVER_MAX; i++, newest_run(top, name, name)) {
		if (!account_read(account, top, name))
			return false;
		if (i == 0)
			note_newest(unfinished, account);
		if (*account->partuuid && !account->dry && !account->refused)
			return true;
		account_free(account);
	}
	return false;
}

void unfinished_find(const char *top, struct unfinished *unfinished)
{
	struct account account;

	*unfinished = (struct unfinished){ .barren = count_barren(top) };
	newest_run(top, "", unfinished->newest);
	if (!read_newest_that_formatted(&account, unfinished, top))
		return;
	if (!account.verdict)
		strcpy(unfinished->partuuid, account.partuuid);
	if (account.verdict && !account.aborted) {
		account_free(&account);
		return;
	}
	find_source(&account, top);
	strcpy(unfinished->source, account.name);
	unfinished->lines = account.lines;
}

void unfinished_free(struct unfinished *unfinished)
{
	json_decref(unfinished->lines);
	unfinished->lines = NULL;
}
