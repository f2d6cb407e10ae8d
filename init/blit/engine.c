/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/engine.h"

#include "blit/rows.h"
#include "lib/cleanup.h"
#include "lib/error.h"

#include <errno.h>
#include <string.h>

static const struct engine *const engines[] = {
	&engine_moss2025, &engine_moss2025_parallel, &engine_moss2026, &engine_primed,
	&engine_handle,
};

static const char *const strategies[STRATEGIES] = {
	[STRATEGY_AUTO] = "auto",
	[STRATEGY_HARDLINK] = "hardlink",
	[STRATEGY_REFLINK] = "reflink",
	[STRATEGY_COPY] = "copy",
};

const struct engine *engine_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LENGTH(engines); i++)
		if (!strcmp(engines[i]->name, name))
			return engines[i];
	return NULL;
}

const char *engine_names(void)
{
	static char names[256];

	names[0] = '\0';
	for (size_t i = 0; i < ARRAY_LENGTH(engines); i++) {
		strcat(names, i ? ", " : "");
		strcat(names, engines[i]->name);
	}
	return names;
}

const char *strategy_name(enum strategy strategy)
{
	return strategies[strategy];
}

bool strategy_find(const char *name, enum strategy *strategy)
{
	for (unsigned i = 0; i < STRATEGIES; i++) {
		*strategy = (enum strategy)i;
		if (!strcmp(strategies[i], name))
			return true;
	}
	return false;
}

bool engine_chooses(const struct engine *engine)
{
	return engine->strategies & (engine->strategies - 1);
}

int engine_probe(struct blit_method *method, int store_fd, int staging_fd)
{
	const struct engine *engine = method->engine;

	for (unsigned i = 0; i < STRATEGIES && !engine_chooses(engine); i++)
		if (engine->strategies == 1u << i && method->strategy == STRATEGY_AUTO)
			method->strategy = (enum strategy)i;
	if (method->strategy != STRATEGY_AUTO && !(engine->strategies & 1u << method->strategy))
		return error_set(-EOPNOTSUPP, "%s knows no strategy %s", engine->name,
				 strategies[method->strategy]);
	return engine->probe(&method->strategy, store_fd, staging_fd);
}
