/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the configuration's strings mean: the plan of a run. Pure, but that it looks whether the
 * workload's files are there. */
#ifndef BLITBENCH_RUN_PLAN_H
#define BLITBENCH_RUN_PLAN_H

#include "blit/engine.h"
#include "config/config.h"
#include "disk/refuse.h"
#include "fs/filesystem.h"
#include "machine/boost.h"
#include "workload/populate.h"
#include "workload/workload.h"

#include <limits.h>

/* On bare metal; a virtual machine has nobody to wait for. */
enum { PLAN_COUNTDOWN_SECONDS = 10, PLAN_HOLD_SECONDS = 600 };

enum { PLAN_LIST_MAX = 8 };

/* The seed of all made contents, and of what ageing does with them. */
enum { CONTENT_SEED = 20250116 };

/* Where profiles and small workloads lie in the initramfs, and what is below the results volume. */
#define PLAN_PROFILES "/etc/blitbench/profiles"
#define PLAN_WORKLOADS "/usr/share/blitbench/workloads"

enum cache_state { CACHE_HOT, CACHE_COLD };
enum operation { OPERATION_REMOVE, OPERATION_INSTALL };
enum after { AFTER_POWEROFF, AFTER_REBOOT, AFTER_HOLD };

struct plan {
	const char *profile; /* strings belong to the configuration */
	const char *workload, *delta;
	const char *link_power; /* "" = left alone */
	char base_path[PATH_MAX], delta_path[PATH_MAX]; /* delta_path "" = none */
	const struct filesystem *filesystems[PLAN_LIST_MAX];
	unsigned filesystem_count;
	const struct engine *engines[PLAN_LIST_MAX];
	unsigned engine_count;
	enum strategy strategies[STRATEGIES];
	unsigned strategy_count;
	unsigned threads; /* of parallel engines */
	enum cache_state caches[2];
	unsigned cache_count;
	enum operation operations[2];
	unsigned operation_count;
	const struct fanout *stores[PLAN_LIST_MAX];
	unsigned store_count;
	const char *content;
	uint64_t cap_bytes; /* of each content; 0 = none */
	const char *order;
	unsigned writers;
	unsigned age, keep_states;
	bool cold_drop, cold_remount;
	unsigned rounds, trials;
	unsigned limit_minutes; /* after which no session begins; 0 = none */
	bool latency; /* of each call */
	bool redact;
	bool dry_run; /* nothing is formatted */
	bool resume;  /* the unfinished run is gone on with */
	char governors[PLAN_LIST_MAX][CONFIG_WORD_BYTES]; /* "" = as found */
	unsigned governor_count;
	const char *epp; /* "" = as found */
	enum boost boost;
	unsigned cool_down_seconds; /* at most; 0 = there is no waiting */
	unsigned countdown_seconds, hold_seconds;
	unsigned watchdog_seconds; /* 0 = none */
	bool pstore; /* the firmware keeps the kernel's last words */
	enum after after;
	struct target_wish wish; /* results, unfinished_partuuid and bytes_needed are still 0 */
};

const char *cache_state_name(enum cache_state cache);
const char *operation_name(enum operation operation);

/* The names that the values of some keys are made of (config_names). */
const char *plan_names(enum config_key key);

/*
 * Fills the plan of a configuration that knows plan_names; what cannot be meant is collected as
 * mistakes of the configuration. results_top is where the results volume is mounted, NULL where
 * there is none: workloads by path are looked for there. virtual_machine: no countdown and no hold by
 * default. -EINVAL where there are mistakes, its own or earlier ones.
 */
int plan_make(struct plan *plan, struct config *config, const char *results_top,
	      bool virtual_machine);

/*
 * The same for a person who asks on another machine what the image would do. workloads is a folder
 * that lies on a results volume as the image finds it, and has its own workloads too (NULL = none
 * is known). as_given: paths may also lie where the person says.
 */
int plan_make_ahead(struct plan *plan, struct config *config, const char *workloads, bool as_given);

/* A session of a round: places in the plan's filesystems and stores. */
struct plan_session {
	unsigned filesystem, store;
};

/* How many sessions a round has: one for each filesystem and store. */
unsigned plan_sessions(const struct plan *plan);

/* The session at that place (from 0) of a round (from 1). Filesystems and stores are both rotated
 * from round to round, so that none always comes first. */
struct plan_session plan_session(const struct plan *plan, unsigned round, unsigned place);

/* The engine whose trials come at that place (from 0) of a session in a round (from 1): rotated as
 * well, for a filesystem grows older from one engine's trials to the next one's. */
const struct engine *plan_engine(const struct plan *plan, unsigned round, unsigned place);

/* The governor that comes at that place within the trials of an engine; rotated too. */
const char *plan_governor(const struct plan *plan, unsigned round, unsigned place);

/* Where there is no cpufreq driver all governors come to the same, as found. */
void plan_forget_governors(struct plan *plan);

/*
 * The same for a directory of a mounted filesystem, whose row the caller adds. Names of workloads are
 * looked for in the folder workloads (NULL = none is known), paths where the person is. Without
 * control_machine the plan has no cold trials, keeps the clock speed as it is and waits for nothing to
 * cool. Keys that only the image knows are mistakes on the command line, and nothing in a profile.
 */
int plan_make_in_directory(struct plan *plan, struct config *config, const char *workloads,
			   bool control_machine);

/* Whether only a run that formats a target knows the key. */
bool plan_is_for_targets(enum config_key key);

/* An engine as the plan wants it; its strategy is a wish. */
struct blit_method plan_method(const struct plan *plan, const struct engine *engine,
			       enum strategy strategy);

bool plan_has_cache(const struct plan *plan, enum cache_state cache);

/* With how many strategies an engine is to be tried: one where it has no choice. */
unsigned plan_wishes(const struct plan *plan, const struct engine *engine);

/*
 * The ways in which an engine's trials blit on a filesystem, as engine_probe would settle them
 * where the kernel has all that it can do there: none twice. Returns how many there are.
 */
unsigned plan_methods(const struct plan *plan, const struct engine *engine,
		      const struct filesystem *fs, struct blit_method methods[STRATEGIES]);

/* The layout that an operation blits. */
const struct layout *plan_layout(const struct workload *workload, enum operation operation);

#endif
