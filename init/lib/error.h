/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors: a function returns 0 or a negative errno and leaves one sentence for a person: what
 * failed, on which object, why, and what to do where that is known. Nothing is printed where the
 * error happens; only main and the commands decide to stop.
 */
#ifndef BLITBENCH_LIB_ERROR_H
#define BLITBENCH_LIB_ERROR_H

/* Remembers the sentence for this thread and returns code, so that callers write: return
 * error_set(-ENOENT, ...). */
int error_set(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts words and a colon in front of the remembered sentence; returns code. */
int error_prefix(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The sentence of the last error of this thread, never NULL; valid until the next error_set in it.
 */
const char *error_text(void);

#endif
