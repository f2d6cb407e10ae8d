/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of the sources hand in. */
#ifndef BLITBENCH_CONFIG_VALUES_H
#define BLITBENCH_CONFIG_VALUES_H

#include "config/config.h"

/* The earlier wins. */
enum source { SOURCE_COMMAND_LINE, SOURCE_CONF, SOURCE_PROFILE, SOURCE_DEFAULT, SOURCES };

/* How messages call a source: "blitbench.conf", "profile seed". Set before anything is taken from
 * it. */
void source_name(struct config *config, enum source source, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* From here on paths may lie anywhere. */
void paths_anywhere(struct config *config);

/* Takes a value, or collects what is wrong with it. line 0 = the source has no lines. */
void source_value(struct config *config, enum source source, unsigned line, const char *name,
		  const char *value);

/* Collects a mistake that has no key. */
void source_mistake(struct config *config, enum source source, unsigned line, const char *format,
		    ...) __attribute__((format(printf, 4, 5)));

/* UTF-8 without control characters but tabs: fit to be shown and kept. */
bool printable(const char *text, size_t length);

#endif
