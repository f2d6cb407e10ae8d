/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of journal and report share: a folder of their own, and an artificial trial. */
#ifndef BLITBENCH_TESTS_JOURNAL_FIXTURE_H
#define BLITBENCH_TESTS_JOURNAL_FIXTURE_H

#include "scratch.h"

#include "lib/cleanup.h"
#include "lib/sysfs.h"
#include "lib/tree.h"
#include "lib/values.h"
#include "report/record.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct folder {
	char path[64], journal[96];
	int fd;
};

static inline int folder_make(void **state)
{
	struct folder *folder = calloc(1, sizeof(*folder));

	if (!folder)
		return -1;
	*state = folder;
	if (scratch_make(folder->path, "journal"))
		return -1;
	snprintf(folder->journal, sizeof(folder->journal), "%s/journal.jsonl", folder->path);
	folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return folder->fd < 0 ? -1 : 0;
}

static inline int folder_remove(void **state)
{
	struct folder *folder = *state;
	int result = tree_remove(AT_FDCWD, folder->path);

	close(folder->fd);
	free(folder);
	return result;
}

static inline struct trial_record example_trial(void)
{
	struct trial_record trial = {
		.round = 1,
		.number = 2,
		.cell = {
			.filesystem = "ext4", .variant = "default", .engine = "moss-2025",
			.store = "3x2", .cache = "hot", .operation = "remove", .threads = 1,
		},
		.at_seconds = NAN,
		.entries = 1000,
		.seconds = 0.5,
		.durable_seconds = 1.25,
		.quiesced_seconds = 1.5,
		.swap_seconds = 0.0625,
		.archive_seconds = 0.03125,
		.prune_seconds = NAN,
		.io = { .reads = 3, .read_bytes = 12288, .writes = 7, .write_bytes = 28672 },
		.cpu = {
			.user_seconds = 0.125, .system_seconds = 0.25, .machine_busy_seconds = 0.75,
		},
		.verified = true,
	};

	return trial;
}

#endif
