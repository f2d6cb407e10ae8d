/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fsck.fat, which looks at a FAT before it is mounted, and repairs what a power cut or a pulled stick
 * has left. */
#ifndef BLITBENCH_DISK_FAT_CHECK_H
#define BLITBENCH_DISK_FAT_CHECK_H

#include <stddef.h>

/*
 * Checks and repairs the FAT of the device node or file, which nobody may have mounted. told: what was
 * wrong, as one line, "" = nothing was. An error where damage is left, or where it could not look.
 */
int fat_check(const char *node, char *told, size_t size);

#endif
