/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/details.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/values.h"
#include "report/columns.h"
#include "report/fields.h"
#include "report/pieces.h"

static void print_pieces(FILE *out, const char *label, struct pieces *pieces)
{
	if (*pieces_words(pieces))
		columns_wrap(out, label, 16, "%s", pieces_words(pieces));
}

static void add_cooling_result(struct pieces *pieces, const char *result)
{
	static const char *const words[][2] = {
		{ "cool", "cool and idle" },
		{ "limit", "not cool, or not idle" },
		{ "unknown", "idle, its temperature is not known" },
	};

	for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
		if (!strcmp(result, words[i][0]))
			add_words(pieces, "%s", words[i][1]);
}

static void add_number(struct pieces *pieces, const char *before, double value, const char *behind)
{
	if (isfinite(value))
		add_words(pieces, "%s%.0f%s", before, value, behind);
}

/* "31 C before, 33 C after, wear 3 %, 1.50 GiB written meanwhile, 120 hours on" */
static void print_drive(FILE *out, const json_t *drive)
{
	_cleanup_pieces_ struct pieces words = pieces_begin();
	double before = field_number(drive, "before.written_bytes");
	double after = field_number(drive, "after.written_bytes");

	add_number(&words, "", field_number(drive, "before.temperature_celsius"), " C before");
	add_number(&words, "", field_number(drive, "after.temperature_celsius"), " C after");
	add_number(&words, "wear ", field_number(drive, "after.wear_percent"), " %");
	if (after >= before)
		add_words(&words, "%.2f GiB written meanwhile", (after - before) / (1 << 30));
	add_number(&words, "", field_number(drive, "after.power_on_hours"), " hours on");
	print_pieces(out, "  drive", &words);
}

static void print_session(FILE *out, const json_t *session)
{
	_cleanup_pieces_ struct pieces title = pieces_begin(), mkfs = pieces_begin();
	_cleanup_pieces_ struct pieces command = pieces_begin(), mount = pieces_begin();
	_cleanup_pieces_ struct pieces features = pieces_begin(), populate = pieces_begin();
	_cleanup_pieces_ struct pieces discard = pieces_begin(), fsck = pieces_begin();
	_cleanup_pieces_ struct pieces ageing = pieces_begin(), cooling = pieces_begin();

	add_piece(&title, "Round ", session, "round", "");
	add_piece(&title, "", session, "filesystem", "");
	add_piece(&title, "variant ", session, "variant", "");
	add_piece(&title, "store ", session, "store", "");
	if (field_number(session, "age") > 0)
		add_piece(&title, "aged ", session, "age", "");
	else if (field_number(session, "age") == 0)
		add_words(&title, "fresh");
	add_piece(&title, "", session, "status", "");
	add_piece(&title, "", session, "reason", "");
	columns_wrap(out, "", 0, "%s", pieces_words(&title));
	add_cooling_result(&cooling, field_text(session, "cooling.result", ""));
	add_piece(&cooling, "after ", session, "cooling.seconds", " s");
	add_piece(&cooling, "processor ", session, "cooling.package_celsius", " C");
	add_piece(&cooling, "drive ", session, "cooling.drive_celsius", " C");
	print_pieces(out, "  machine", &cooling);
	add_piece(&discard, "", session, "discard.result", "");
	add_piece(&discard, "", session, "discard.detail", "");
	add_piece(&discard, "", session, "discard.seconds", " s");
	print_pieces(out, "  discard", &discard);
	add_piece(&mkfs, "", session, "mkfs.version", "");
	add_piece(&mkfs, "", session, "mkfs.seconds", " s");
	add_piece(&mkfs, "it said: ", session, "mkfs.output", "");
	print_pieces(out, "  mkfs", &mkfs);
	add_piece(&command, "", session, "mkfs.argv", "");
	print_pieces(out, "  command", &command);
	add_piece(&features, "", session, "features", "");
	print_pieces(out, "  features", &features);
	add_piece(&mount, "type ", session, "mount.type", "");
	add_piece(&mount, "options ", session, "mount.options", "");
	add_piece(&mount, "in effect ", session, "mount.effective", "");
	print_pieces(out, "  mount", &mount);
	add_count(&populate, session, "populate.assets", "asset");
	add_piece(&populate, "", session, "populate.directories", " directories");
	add_size(&populate, "", session, "populate.bytes", "");
	add_piece(&populate, "", session, "populate.seconds", " s");
	add_piece(&populate, "order ", session, "populate.order", "");
	add_count(&populate, session, "populate.writers", "writer");
	print_pieces(out, "  store filled", &populate);
	add_count(&ageing, session, "ageing.kept_states", "old state");
	add_count(&ageing, session, "ageing.assets_written", "asset");
	add_size(&ageing, "", session, "ageing.bytes_written", " written");
	add_piece(&ageing, "", session, "ageing.assets_removed", " removed");
	add_piece(&ageing, "", session, "ageing.seconds", " s");
	print_pieces(out, "  ageing", &ageing);
	add_piece(&fsck, "", session, "fsck.status", "");
	add_piece(&fsck, "exit status ", session, "fsck.exit_status", "");
	add_piece(&fsck, "", session, "fsck.seconds", " s");
	if (strcmp(field_text(session, "fsck.status", ""), "clean"))
		add_piece(&fsck, "it said: ", session, "fsck.output", "");
	print_pieces(out, "  fsck", &fsck);
	print_drive(out, field(session, "drive"));
}

void details_sessions(FILE *out, const json_t *report)
{
	const json_t *session;
	size_t index;

	json_array_foreach(field(report, "sessions"), index, session)
		print_session(out, session);
}

/* "ext4 remove cold, round 1 trial 2"; the setup as well where that alone would be ambiguous. */
static void name_trial(char *name, size_t size, const char *setup, const json_t *trial)
{
	char filesystem[64];

	filesystem_label(filesystem, sizeof(filesystem), trial);
	snprintf(name, size, "%s %s %s%s%s, round %.0f trial %.0f", filesystem,
		 field_text(trial, "operation", ""),
		 field_text(trial, "cache", ""), *setup ? ", " : "", setup,
		 field_number(trial, "round"), field_number(trial, "number"));
}

/* The value under the key, made where it is missing. */
static json_t *under(json_t *object, const char *key, json_t *(*make)(void))
{
	if (!json_object_get(object, key))
		json_object_set_new(object, key, make());
	return json_object_get(object, key);
}

/* Into {flag: {detail: [trials]}}. */
static void collect(json_t *flags, const char *flag, const char *detail, const char *setup,
		    const json_t *trial)
{
	json_t *details = under(flags, flag, json_object);
	char name[320];

	name_trial(name, sizeof(name), setup, trial);
	json_array_append_new(under(details, detail, json_array), json_text(name));
}

static bool has_invalid_flag(const json_t *trial)
{
	const json_t *flag;
	size_t index;

	json_array_foreach(field(trial, "flags"), index, flag)
		if (!strcmp(field_text(flag, "level", ""), "invalid"))
			return true;
	return false;
}

bool trial_counts(const json_t *trial)
{
	return json_is_true(field(trial, "verified")) && !has_invalid_flag(trial) &&
	       isfinite(field_number(trial, "seconds"));
}

const char *trial_reason_without_flag(const json_t *trial)
{
	return json_is_true(field(trial, "verified")) ? "no time was measured" :
							"the tree was not verified";
}

/* A flag that hit many trials for the same reason is told once. */
static json_t *collect_flags(const struct page *page, const char *level)
{
	bool invalid = !strcmp(level, "invalid");
	json_t *flags = json_object();
	const json_t *trial, *flag;
	size_t trial_index, flag_index;

	json_array_foreach(field(page->report, "trials"), trial_index, trial) {
		const struct page_cell *cell = page->cell_of[trial_index];
		const char *setup = cell ? page->setups.labels[cell->setup] : "";

		json_array_foreach(field(trial, "flags"), flag_index, flag)
			if (!strcmp(field_text(flag, "level", ""), level))
				collect(flags, field_text(flag, "name", ""),
					field_text(flag, "detail", ""), setup, trial);
		/* Out of the figures without a flag that says so. */
		if (invalid && !trial_counts(trial) && !has_invalid_flag(trial))
			collect(flags, "not counted", trial_reason_without_flag(trial), setup, trial);
	}
	return flags;
}

static void print_flags(FILE *out, const struct page *page, const char *level, const char *heading)
{
	json_t *flags = collect_flags(page, level), *details, *trials, *trial;
	const char *name, *detail;
	size_t index;

	columns_wrap(out, "", 0, "%s%s", heading, json_object_size(flags) ? ":" : ": none");
	json_object_foreach(flags, name, details) {
		json_object_foreach(details, detail, trials) {
			_cleanup_pieces_ struct pieces list = pieces_begin();

			columns_wrap(out, "", 2, "%s%s%s", name, *detail ? ": " : "", detail);
			json_array_foreach(trials, index, trial)
				add_words(&list, "[%s]", json_string_value(trial));
			columns_wrap(out, "", 6, "%s", pieces_words(&list));
		}
	}
	json_decref(flags);
}

void details_flags(FILE *out, const struct page *page)
{
	print_flags(out, page, "invalid", "invalid (the trial is kept, and out of the figures)");
	print_flags(out, page, "note", "note (the trial counts)");
}

static void print_cell_values(FILE *out, const struct page_cell *cell)
{
	_cleanup_free_ char *words = NULL;
	double round = NAN;
	size_t size;
	char filesystem[64], name[128];
	FILE *values = open_memstream(&words, &size);

	if (!values)
		return;
	for (size_t i = 0; i < cell->trial_count; i++) {
		const json_t *trial = cell->trials[i];
		double seconds = field_number(trial, "seconds");

		if (!isnan(round) && round != field_number(trial, "round"))
			fputs("| ", values);
		round = field_number(trial, "round");
		if (isfinite(seconds))
			fprintf(values, "%.3f%s ", seconds, trial_counts(trial) ? "" : "!");
		else
			fputs("-! ", values);
	}
	fclose(values);
	filesystem_label(filesystem, sizeof(filesystem), cell->cell);
	snprintf(name, sizeof(name), "%s %s %s", filesystem,
		 field_text(cell->cell, "operation", ""), field_text(cell->cell, "cache", ""));
	columns_wrap(out, name, 26, "%s", words);
}

void details_values(FILE *out, const struct page *page)
{
	fputs("| stands between sessions; ! marks what is out of the figures.\n", out);
	for (size_t setup = 0; setup < page->setups.by.count; setup++) {
		setups_heading(out, &page->setups, setup);
		for (size_t i = 0; i < page->cell_count; i++)
			if (page->cells[i].setup == setup)
				print_cell_values(out, &page->cells[i]);
	}
}
