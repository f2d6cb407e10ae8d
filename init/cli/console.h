/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A report out of what a serial console printed (report/wire.h). */
#ifndef BLITBENCH_CLI_CONSOLE_H
#define BLITBENCH_CLI_CONSOLE_H

#include <jansson.h>

/*
 * Reads the log of a console ("-" = the standard input). The caller owns the report, and the journal's text,
 * which is NULL where it is not whole. Of several runs in one log the last one counts. What is missing is
 * told on the standard error; where there is neither report nor journal, that is the error.
 */
int console_load(const char *path, json_t **report, char **journal);

#endif
