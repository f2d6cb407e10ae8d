/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A site: a mounted filesystem that moss would work on. usr is the live tree; .moss/assets/v2 the
 * store; .moss/root/staging where the next tree is blitted; .moss/root/<id>/usr an archived one.
 */
#ifndef BLITBENCH_RUN_SITE_H
#define BLITBENCH_RUN_SITE_H

#include "blit/engine.h"
#include "measure/others.h"
#include "run/quiet.h"
#include "workload/populate.h"
#include "workload/workload.h"

#include <sys/types.h>

/* Assets that go together. */
struct asset_list {
	char (*paths)[STORE_PATH_BYTES]; /* as store_path makes them; NULL = none */
	uint32_t count;
};

struct site {
	const char *path;      /* where the filesystem is mounted; borrowed */
	int directory_fd;      /* where it lies in place of path, which is then but its name; -1 =
				  path is opened; borrowed */
	const char *stat_path; /* of its partition in sysfs, NULL where no device stands behind it;
				  borrowed */
	const struct others *others; /* whose work beside ours is counted, NULL = nobody's; borrowed */
	const struct workload *workload;
	const struct fanout *fanout;
	int root_fd, store_fd, states_fd, staging_fd; /* -1 while closed */
	/* The root once more, for looking: what is read below it keeps its access time, as far as
	 * this process may have that (CAP_SYS_ADMIN). -1 while closed. */
	int view_fd;
	bool view_leaves_traces;
	bool made;          /* .moss, so that it is ours */
	bool settled;       /* and nothing was changed since; quiet tells since when */
	struct quiet quiet; /* of the partition, where stat_path is one */
	char (*asset_paths)[STORE_PATH_BYTES];
	ino_t *asset_inodes;   /* as found when the store was filled */
	uint16_t *asset_modes; /* as the blits so far leave them, perhaps with MODE_ANY_LISTED */
	const struct engine *prepared_for; /* the store as it is; NULL = none */
	uint64_t state;                    /* id of the live tree; 0 = there is none */
	uint64_t oldest_state; /* of the archived ones, whose ids go on to that of the live tree */
	/* By id: the assets that no state after it refers to, which go when it is pruned. Ids from
	 * last_count on have none. */
	struct asset_list *last_needed;
	uint64_t last_count;
	uint64_t assets_removed; /* by pruning, so far */
	unsigned keep_states;    /* archived ones that stay when a transaction prunes; 0 at first */
	struct latency *latency; /* NULL, or where blits add how long calls took (blit/blit.h);
				    borrowed */
	bool can_freeze; /* set by whoever owns the whole filesystem: others would stand still with
			    it */
};

#define SITE_CLOSED                                                           \
	((struct site){ .directory_fd = -1,                                   \
			.root_fd = -1,                                        \
			.store_fd = -1,                                       \
			.states_fd = -1,                                      \
			.staging_fd = -1,                                     \
			.view_fd = -1 })

/* Makes the skeleton on an empty filesystem and opens it. directory_fd and path as in struct site. */
int site_create(struct site *site, int directory_fd, const char *path, const char *stat_path,
		const struct workload *workload, const struct fanout *fanout);

/* Puts contents into the store: the workload's, or what precedes them. */
int site_fill(struct site *site, const struct contents *contents, uint64_t seed, unsigned writers,
	      const struct progress *progress, struct populate_result *populated);

/* Looks at each of the workload's assets, which must all be in the store: its size, the inode that
 * links must share, its mode. Before the first transaction that is verified. */
int site_learn_assets(struct site *site);

/* Closes the descriptors, so that the filesystem can be unmounted; and opens them again. */
void site_close(struct site *site);
int site_open(struct site *site);

/* Everything written, the log empty, background work done as far as freezing does it: syncfs,
 * freeze, thaw. From then on it is settled, until a transaction begins. */
int site_settle(struct site *site);

/* Freeze (FIFREEZE) and thaw (FITHAW) apart, for those who time the first. Only where can_freeze.
 */
int site_freeze(const struct site *site);
int site_thaw(const struct site *site);

void site_free(struct site *site);

#endif
