/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/engine.h"

#include "blit/moss2025.h"
#include "lib/cleanup.h"

#include <string.h>

static const struct engine *const engines[] = {
	&engine_moss2025,
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
