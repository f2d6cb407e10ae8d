/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By which build of a kernel the machine runs: two of the same release may be anything. */
#ifndef BLITBENCH_MACHINE_BUILD_ID_H
#define BLITBENCH_MACHINE_BUILD_ID_H

#include <stddef.h>

enum { BUILD_ID_CHARACTERS = 41 };

/*
 * The GNU build id among ELF notes (elf(5), "Notes"; little-endian), in hexadecimal: of its bytes
 * as many as fit, which is all of the 20 that the linker makes. "" where there is none, or what is
 * there is no notes.
 */
const char *build_id_of(char id[BUILD_ID_CHARACTERS], const unsigned char *notes, size_t size);

/* That of the running kernel, from /sys/kernel/notes below top. */
const char *build_id_of_kernel(char id[BUILD_ID_CHARACTERS], const char *top);

#endif
