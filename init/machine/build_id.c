/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/build_id.h"

#include "lib/cleanup.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Debian's kernel has some 500 bytes of notes. */
enum { NOTES_BYTES_MAX = 64 << 10 };

/* Names and descriptions begin at multiples of four bytes. */
static size_t padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

static void print_hexadecimal(char id[BUILD_ID_CHARACTERS], const unsigned char *bytes, size_t size)
{
	for (size_t i = 0; i < size && 2 * i + 2 < BUILD_ID_CHARACTERS; i++)
		snprintf(id + 2 * i, 3, "%02x", bytes[i]);
}

const char *build_id_of(char id[BUILD_ID_CHARACTERS], const unsigned char *notes, size_t size)
{
	Elf64_Nhdr note;

	id[0] = '\0';
	while (size >= sizeof(note)) {
		memcpy(&note, notes, sizeof(note));
		size_t name = padded(note.n_namesz),
		       all = sizeof(note) + name + padded(note.n_descsz);
		const unsigned char *named = notes + sizeof(note);

		if (sizeof(note) + name + note.n_descsz > size)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(named, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU))) {
			print_hexadecimal(id, named + name, note.n_descsz);
			break;
		}
		if (all > size)
			break;
		notes += all;
		size -= all;
	}
	return id;
}

const char *build_id_of_kernel(char id[BUILD_ID_CHARACTERS], const char *top)
{
	static unsigned char notes[NOTES_BYTES_MAX];
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/kernel/notes", top);
	_cleanup_fclose_ FILE *file = fopen(path, "re");
	size_t size = file ? fread(notes, 1, sizeof(notes), file) : 0;
	return build_id_of(id, notes, size);
}
