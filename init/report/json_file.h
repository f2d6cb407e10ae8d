/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef BLITBENCH_REPORT_JSON_FILE_H
#define BLITBENCH_REPORT_JSON_FILE_H

#include <jansson.h>

/*
 * What a file of this value holds, a value a line and indented, with a newline at its end. It steers no
 * terminal: all control characters are escaped. Freed by the caller; NULL when memory is short. The value
 * must be free of circles, and nested as little as a report is (report/journal.h).
 */
char *json_file_text(const json_t *value);

#endif
