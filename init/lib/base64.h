/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Base 64 (RFC 4648, section 4) without the padding: whoever reads it knows how long it is. */
#ifndef BLITBENCH_LIB_BASE64_H
#define BLITBENCH_LIB_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Letters for so many bytes / bytes in so many letters. */
#define BASE64_LETTERS(bytes) (((bytes) * 4 + 2) / 3)
#define BASE64_BYTES(letters) ((letters) * 3 / 4)

/* Writes BASE64_LETTERS(size) letters and a NUL. */
void base64_encode(char *letters, const uint8_t *bytes, size_t size);

/* Writes BASE64_BYTES(count) bytes and returns how many; -EINVAL where the letters are none, or no whole
 * number of bytes. */
int base64_decode(uint8_t *bytes, const char *letters, size_t count);

#endif
