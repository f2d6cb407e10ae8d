/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lib/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ERROR_BYTES = 4096 };

static _Thread_local char text[ERROR_BYTES];

int error_set(int code, const char *format, ...)
{
	/* An argument may be the old sentence itself, so it is formatted aside first. */
	char fresh[ERROR_BYTES];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(fresh, sizeof(fresh), format, arguments);
	va_end(arguments);
	memcpy(text, fresh, sizeof(text));
	return code;
}

int error_prefix(int code, const char *format, ...)
{
	char fresh[ERROR_BYTES];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(fresh, sizeof(fresh), format, arguments);
	va_end(arguments);
	if (length >= 0 && (size_t)length < sizeof(fresh))
		snprintf(fresh + length, sizeof(fresh) - (size_t)length, ": %.*s",
			 (int)(sizeof(fresh) - (size_t)length) - 3, text);
	memcpy(text, fresh, sizeof(text));
	return code;
}

const char *error_text(void)
{
	return text[0] ? text : "no error";
}
