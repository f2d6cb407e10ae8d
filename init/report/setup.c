/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/setup.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
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

void filesystem_label(char *text, size_t size, const json_t *cell)
{
	const char *variant = field_text(cell, "variant", "default");
	bool told = strcmp(variant, "default");

	snprintf(text, size, "%s%s%s", field_text(cell, "filesystem", ""), told ? "-" : "",
		 told ? variant : "");
}

static bool common(const json_t *ways, const char *const *keys)
{
	const json_t *way;
	size_t index;

	json_array_foreach(ways, index, way)
		if (!fields_equal(way, json_array_get(ways, 0), keys))
			return false;
	return true;
}

static bool several_strategies(const json_t *ways, const json_t *cell)
{
	const json_t *other;
	size_t index;

	json_array_foreach(ways, index, other)
		if (fields_equal(cell, other, engine_keys) &&
		    !fields_equal(cell, other, engine_strategy_keys))
			return true;
	return false;
}

static void add_method(struct pieces *pieces, const json_t *ways, const json_t *cell)
{
	const char *strategy = field_text(cell, "strategy", "hardlink");
	bool told = strcmp(strategy, "hardlink") || several_strategies(ways, cell);
	double threads = field_number(cell, "threads");

	add_words(pieces, "%s%s%s", field_text(cell, "engine", "unknown engine"), told ? " " : "",
		  told ? strategy : "");
	if (isfinite(threads))
		add_words(pieces, "%.0f thread%s", threads, threads == 1 ? "" : "s");
}

/* What the first cells of all setups have in common goes into one text, the rest into their labels. */
static void name_setups(struct setups *setups, const json_t *ways)
{
	bool method = common(ways, method_keys), store = common(ways, store_keys);
	bool governor = common(ways, governor_keys);
	_cleanup_pieces_ struct pieces shared = pieces_begin();
	const json_t *way;
	size_t index;

	json_array_foreach(ways, index, way) {
		_cleanup_pieces_ struct pieces own = pieces_begin();

		if (!method || !index)
			add_method(method ? &shared : &own, ways, way);
		if (!store || !index)
			add_piece(store ? &shared : &own, "store ", way, "store", "");
		if (!governor)
			add_words(&own, "governor %s", field_text(way, "governor", "as found"));
		else if (!index)
			add_piece(&shared, "governor ", way, "governor", "");
		snprintf(setups->labels[index], SETUP_LABEL_BYTES, "%s", pieces_words(&own));
	}
	snprintf(setups->common, SETUP_LABEL_BYTES, "%s", pieces_words(&shared));
}

int setups_make(struct setups *setups, const json_t *cells)
{
	json_t *ways = json_array();
	int error = ways ? 0 : -ENOMEM;

	*setups = (struct setups){ .cells = cells };
	error = numbering_make(&setups->by, cells, setup_keys) ?: error;
	setups->labels = calloc(setups->by.count + 1, sizeof(*setups->labels));
	if (!setups->labels)
		error = -ENOMEM;
	for (size_t i = 0; !error && i < setups->by.count; i++)
		if (json_array_append(ways, json_array_get(cells, setups->by.first[i])))
			error = -ENOMEM;
	if (!error)
		name_setups(setups, ways);
	json_decref(ways);
	return error;
}

void setups_free(struct setups *setups)
{
	numbering_free(&setups->by);
	free(setups->labels);
	*setups = (struct setups){ 0 };
}

void setups_print_common(FILE *out, const struct setups *setups)
{
	if (*setups->common)
		columns_wrap(out, "", 0, "All rows: %s.", setups->common);
}

void setups_heading(FILE *out, const struct setups *setups, size_t setup)
{
	if (!*setups->labels[setup])
		return;
	fputc('\n', out);
	columns_wrap(out, "", 0, "%s:", setups->labels[setup]);
}
