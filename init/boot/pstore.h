/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's last words before a panic, which UEFI firmware keeps in its variables over a restart
 * (pstore). Those are somebody's too: only where a run asks for it. */
#ifndef BLITBENCH_BOOT_PSTORE_H
#define BLITBENCH_BOOT_PSTORE_H

#define PSTORE_PREFIX "last-words-"

/* Has the kernel leave its last words in the firmware from here on, and makes those of earlier
 * boots readable. -ENODEV and a sentence where the firmware keeps none. */
int pstore_open(void);

/* Moves what is in the folder from (PSTORE_FOLDER) as new files PSTORE_PREFIX... into the
 * directory: each is taken from the firmware once it is flushed. Returns how many; or an error, and
 * then what was not moved stays. */
#define PSTORE_FOLDER "/sys/fs/pstore"
int pstore_take(const char *from, int directory_fd);

#endif
