/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/setup.h"

#include <math.h>
#include <string.h>

#include "report/columns.h"
#include "report/fields.h"
#include "report/pieces.h"

const char *const subject_keys[] = { "filesystem", "variant", NULL };

const char *const setup_keys[] = {
	"engine", "strategy", "threads", "store", "governor", NULL
};

const char *const line_keys[] = {
	"filesystem", "variant", "engine", "strategy", "threads", "store", "governor", "operation",
	NULL
};

const char *const cell_keys[] = {
	"filesystem", "variant", "engine", "strategy", "threads", "store", "governor", "cache",
	"operation", NULL
};

static const char *const engine_keys[] = { "engine", NULL };
static const char *const engine_strategy_keys[] = { "engine", "strategy", NULL };
static const char *const method_keys[] = { "engine", "strategy", "threads", NULL };
static const char *const store_keys[] = { "store", NULL };
static const char *const governor_keys[] = { "governor", NULL };

bool first_with(const json_t *summary, size_t index, const char *const *keys)
{
	for (size_t i = 0; i < index; i++)
		if (fields_equal(json_array_get(summary, i), json_array_get(summary, index), keys))
			return false;
	return true;
}

static bool common(const json_t *summary, const char *const *keys)
{
	const json_t *cell;
	size_t index;

	json_array_foreach(summary, index, cell)
		if (!fields_equal(cell, json_array_get(summary, 0), keys))
			return false;
	return true;
}

void filesystem_label(char *text, size_t size, const json_t *cell)
{
	const char *variant = field_text(cell, "variant", "default");
	bool told = strcmp(variant, "default");

	snprintf(text, size, "%s%s%s", field_text(cell, "filesystem", ""), told ? "-" : "",
		 told ? variant : "");
}

static bool several_strategies(const json_t *summary, const json_t *cell)
{
	const json_t *other;
	size_t index;

	json_array_foreach(summary, index, other)
		if (fields_equal(cell, other, engine_keys) &&
		    !fields_equal(cell, other, engine_strategy_keys))
			return true;
	return false;
}

static void add_method(struct pieces *pieces, const json_t *summary, const json_t *cell)
{
	const char *strategy = field_text(cell, "strategy", "hardlink");
	bool told = strcmp(strategy, "hardlink") || several_strategies(summary, cell);
	double threads = field_number(cell, "threads");

	add_words(pieces, "%s%s%s", field_text(cell, "engine", "unknown engine"), told ? " " : "",
		  told ? strategy : "");
	if (isfinite(threads))
		add_words(pieces, "%.0f thread%s", threads, threads == 1 ? "" : "s");
}

void setup_label(char *text, size_t size, const json_t *summary, const json_t *cell)
{
	_cleanup_pieces_ struct pieces pieces = pieces_begin();

	if (!common(summary, method_keys))
		add_method(&pieces, summary, cell);
	if (!common(summary, store_keys))
		add_piece(&pieces, "store ", cell, "store", "");
	if (!common(summary, governor_keys))
		add_words(&pieces, "governor %s", field_text(cell, "governor", "as found"));
	snprintf(text, size, "%s", pieces_words(&pieces));
}

void setup_print_common(FILE *out, const json_t *summary)
{
	_cleanup_pieces_ struct pieces pieces = pieces_begin();
	const json_t *cell = json_array_get(summary, 0);

	if (cell && common(summary, method_keys))
		add_method(&pieces, summary, cell);
	if (cell && common(summary, store_keys))
		add_piece(&pieces, "store ", cell, "store", "");
	if (cell && common(summary, governor_keys))
		add_piece(&pieces, "governor ", cell, "governor", "");
	if (*pieces_words(&pieces))
		columns_wrap(out, "", 0, "All rows: %s.", pieces_words(&pieces));
}

void setup_heading(FILE *out, const json_t *summary, const json_t *cell)
{
	char label[192];

	setup_label(label, sizeof(label), summary, cell);
	if (!*label)
		return;
	fputc('\n', out);
	columns_wrap(out, "", 0, "%s:", label);
}

const json_t *cell_with_cache(const json_t *summary, const json_t *cell, const char *cache)
{
	const json_t *other;
	size_t index;

	json_array_foreach(summary, index, other)
		if (!strcmp(field_text(other, "cache", ""), cache) &&
		    fields_equal(cell, other, line_keys))
			return other;
	return NULL;
}
