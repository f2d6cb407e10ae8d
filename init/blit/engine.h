/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Engines: the ways to blit. Each is one file and one row of the table; each makes exactly the
 * system calls that it is named for and declares, as a pure function, what it must leave behind.
 */
#ifndef BLITBENCH_BLIT_ENGINE_H
#define BLITBENCH_BLIT_ENGINE_H

#include "workload/layout.h"
#include "workload/store.h"

#include <stdbool.h>
#include <sys/types.h>

/* Where a blit stopped: which entry, which call, its errno. Formatted only after the timer. */
struct blit_failure {
	uint32_t entry; /* index in the layout */
	const char *call;
	int error;
};

/* One blit, all in memory before the timer starts. */
struct blit {
	const struct layout *layout;
	const char (*asset_paths)[STORE_PATH_BYTES]; /* below store_fd, by asset index */
	int store_fd;                                /* .moss/assets/v2 */
	int staging_fd;                              /* where "usr" is to be made */
	unsigned threads;
	struct blit_failure failure;
};

struct engine {
	const char *name;
	mode_t umask;         /* that of the process while it blits */
	bool parallel;        /* threads may be more than one */
	bool files_are_links; /* a file with content is the same inode as its asset */

	/* Whether kernel and filesystem can do it: 0, or -EOPNOTSUPP with a sentence. staging_fd
	 * may be written to and is left as found. */
	int (*probe)(int store_fd, int staging_fd);

	/* The timed region and nothing else. 0, or a negative errno with blit->failure filled in.
	 */
	int (*blit)(struct blit *blit);

	/* asset_modes, by asset index and & 07777: in, as they were; out, as the blit of this
	 * layout leaves them. */
	void (*expect_asset_modes)(const struct layout *layout, uint16_t *asset_modes);

	/* The mode of a directory or an empty file that the engine makes from a layout's mode. */
	uint16_t (*made_mode)(enum entry_type type, uint16_t mode);
};

/* NULL for a name that is not in the table. */
const struct engine *engine_find(const char *name);

/* "moss-2025", for messages. */
const char *engine_names(void);

#endif
