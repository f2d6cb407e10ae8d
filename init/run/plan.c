/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/plan.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "workload/workers.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const char *cache_state_name(enum cache_state cache)
{
	return cache == CACHE_HOT ? "hot" : "cold";
}

const char *operation_name(enum operation operation)
{
	return operation == OPERATION_REMOVE ? "remove" : "install";
}

const struct layout *plan_layout(const struct workload *workload, enum operation operation)
{
	return operation == OPERATION_REMOVE ? &workload->remove : &workload->install;
}

unsigned plan_sessions(const struct plan *plan)
{
	return plan->filesystem_count * plan->store_count;
}

struct plan_session plan_session(const struct plan *plan, unsigned round, unsigned place)
{
	return (struct plan_session){
		.filesystem = (place / plan->store_count + round - 1) % plan->filesystem_count,
		.store = (place % plan->store_count + round - 1) % plan->store_count,
	};
}

const struct engine *plan_engine(const struct plan *plan, unsigned round, unsigned place)
{
	return plan->engines[(place + round - 1) % plan->engine_count];
}

const char *plan_governor(const struct plan *plan, unsigned round, unsigned place)
{
	return plan->governors[(place + round - 1) % plan->governor_count];
}

void plan_forget_governors(struct plan *plan)
{
	plan->governors[0][0] = '\0';
	plan->governor_count = 1;
}

struct blit_method plan_method(const struct plan *plan, const struct engine *engine,
			       enum strategy strategy)
{
	return (struct blit_method){
		.engine = engine,
		.strategy = engine_chooses(engine) ? strategy : STRATEGY_AUTO,
		.threads = engine->parallel ? plan->threads : 1,
	};
}

bool plan_has_cache(const struct plan *plan, enum cache_state cache)
{
	for (unsigned i = 0; i < plan->cache_count; i++)
		if (plan->caches[i] == cache)
			return true;
	return false;
}

/* What a wish comes to with store and trees on one filesystem; AUTO where it cannot be done. */
static enum strategy settled(enum strategy wish, const struct filesystem *fs)
{
	switch (wish) {
	case STRATEGY_AUTO:
		return fs->reflinks ? STRATEGY_REFLINK : STRATEGY_HARDLINK;
	case STRATEGY_REFLINK:
		return fs->reflinks ? STRATEGY_REFLINK : STRATEGY_AUTO;
	case STRATEGY_HARDLINK:
		return STRATEGY_HARDLINK;
	default:
		return STRATEGY_AUTO;
	}
}

unsigned plan_wishes(const struct plan *plan, const struct engine *engine)
{
	return engine_chooses(engine) ? plan->strategy_count : 1;
}

unsigned plan_methods(const struct plan *plan, const struct engine *engine,
		      const struct filesystem *fs, struct blit_method methods[STRATEGIES])
{
	unsigned tried = 0, count = 0;

	for (unsigned i = 0; i < plan_wishes(plan, engine); i++) {
		struct blit_method method = plan_method(plan, engine, plan->strategies[i]);

		method.strategy =
			engine_chooses(engine) ? settled(method.strategy, fs) : STRATEGY_HARDLINK;
		if (method.strategy == STRATEGY_AUTO || tried & 1u << method.strategy)
			continue;
		tried |= 1u << method.strategy;
		methods[count++] = method;
	}
	return count;
}

/* The next word of a key's list, of which count are taken already. That it is one too many becomes a
 * mistake. */
static bool next_name(struct config *config, enum config_key key, unsigned count,
		      const char **cursor, char word[CONFIG_WORD_BYTES])
{
	if (!*cursor)
		*cursor = config_get(config, key);
	if (!config_next_word(cursor, word, CONFIG_WORD_BYTES))
		return false;
	if (count < PLAN_LIST_MAX)
		return true;
	config_mistake(config, key, "at most %d names are allowed", PLAN_LIST_MAX);
	return false;
}

const char *plan_names(enum config_key key)
{
	switch (key) {
	case KEY_FILESYSTEMS:
		return filesystem_names();
	case KEY_ENGINES:
		return engine_names();
	case KEY_STORE:
		return fanout_names();
	default:
		return NULL;
	}
}

static void plan_filesystems(struct plan *plan, struct config *config)
{
	const char *cursor = NULL;
	char word[CONFIG_WORD_BYTES];

	while (next_name(config, KEY_FILESYSTEMS, plan->filesystem_count, &cursor, word))
		plan->filesystems[plan->filesystem_count++] = filesystem_find(word);
}

static void plan_engines(struct plan *plan, struct config *config)
{
	const char *cursor = NULL;
	char word[CONFIG_WORD_BYTES];

	while (next_name(config, KEY_ENGINES, plan->engine_count, &cursor, word))
		plan->engines[plan->engine_count++] = engine_find(word);
}

static void plan_strategies(struct plan *plan, const struct config *config)
{
	const char *cursor = config_get(config, KEY_STRATEGY);
	char word[CONFIG_WORD_BYTES];

	while (plan->strategy_count < STRATEGIES && config_next_word(&cursor, word, sizeof(word)))
		if (strategy_find(word, &plan->strategies[plan->strategy_count]))
			plan->strategy_count++;
}

static void plan_caches(struct plan *plan, const struct config *config)
{
	const char *cursor = config_get(config, KEY_CACHES);
	char word[16];

	while (plan->cache_count < 2 && config_next_word(&cursor, word, sizeof(word)))
		plan->caches[plan->cache_count++] = strcmp(word, "cold") ? CACHE_HOT : CACHE_COLD;
	const char *cold = config_get(config, KEY_COLD);
	plan->cold_drop = strstr(cold, "drop");
	plan->cold_remount = strstr(cold, "remount");
}

static void plan_operations(struct plan *plan, const struct config *config)
{
	const char *cursor = config_get(config, KEY_OPERATIONS);
	char word[16];

	while (plan->operation_count < 2 && config_next_word(&cursor, word, sizeof(word)))
		plan->operations[plan->operation_count++] =
			strcmp(word, "install") ? OPERATION_REMOVE : OPERATION_INSTALL;
}

/* Where workloads are looked for. */
struct places {
	const char *folders[2];  /* of names; NULL = none */
	bool as_given;           /* paths may be a person's own */
	const char *paths_below; /* where else paths are looked for; NULL = nowhere */
	const char *missing;     /* a sentence, where it is in none of them */
};

/* A name is looked for in the folders; anything with a slash or an ending is a path. */
static int find_manifest(char path[PATH_MAX], const char *value, const struct places *places)
{
	char candidates[4][PATH_MAX];
	unsigned count = 0;

	if (strlen(value) > 1024)
		return -ENAMETOOLONG;
	for (size_t i = 0; i < ARRAY_LENGTH(places->folders) && !strchr(value, '/'); i++)
		if (places->folders[i])
			snprintf(candidates[count++], PATH_MAX, "%s/%s.mtree.zst",
				 places->folders[i], value);
	if (places->as_given)
		snprintf(candidates[count++], PATH_MAX, "%s", value);
	if (places->paths_below)
		snprintf(candidates[count++], PATH_MAX, "%s/%s", places->paths_below, value);
	for (unsigned i = 0; i < count; i++) {
		if (!access(candidates[i], R_OK)) {
			memcpy(path, candidates[i], PATH_MAX);
			return 0;
		}
	}
	return -ENOENT;
}

static void plan_workload(struct plan *plan, struct config *config, const struct places *places)
{
	plan->workload = config_get(config, KEY_WORKLOAD);
	plan->delta = config_get(config, KEY_DELTA);
	if (find_manifest(plan->base_path, plan->workload, places))
		config_mistake(config, KEY_WORKLOAD, "%s", places->missing);
	char automatic[CONFIG_VALUE_BYTES + 8];
	const char *delta = plan->delta;
	bool by_name = !strcmp(delta, "auto");
	if (by_name) {
		snprintf(automatic, sizeof(automatic), "%s-nano", plan->workload);
		delta = automatic;
	}
	if (!strcmp(delta, "none") || !*delta)
		return;
	if (find_manifest(plan->delta_path, delta, places)) {
		plan->delta_path[0] = '\0';
		if (!by_name)
			config_mistake(config, KEY_DELTA, "%s", places->missing);
	}
}

static unsigned number_or(const struct config *config, enum config_key key, unsigned automatic)
{
	const char *value = config_get(config, key);

	return strcmp(value, "auto") ? (unsigned)strtoul(value, NULL, 10) : automatic;
}

static void plan_states(struct plan *plan, const struct config *config)
{
	plan->age = number_or(config, KEY_AGE, 0);
	plan->keep_states = number_or(config, KEY_KEEP_STATES, plan->age);
}

static void plan_stores(struct plan *plan, struct config *config)
{
	const char *cursor = NULL;
	char word[CONFIG_WORD_BYTES];

	while (next_name(config, KEY_STORE, plan->store_count, &cursor, word))
		plan->stores[plan->store_count++] = fanout_find(word);
}

/* A value that leaves things as they were found is "". */
static const char *unless_kept(const char *value)
{
	return strcmp(value, "keep") ? value : "";
}

static void plan_clock(struct plan *plan, struct config *config)
{
	const char *boost = config_get(config, KEY_BOOST), *cursor = NULL;
	char word[CONFIG_WORD_BYTES];

	while (next_name(config, KEY_GOVERNOR, plan->governor_count, &cursor, word))
		snprintf(plan->governors[plan->governor_count++], CONFIG_WORD_BYTES, "%s",
			 unless_kept(word));
	plan->epp = unless_kept(config_get(config, KEY_EPP));
	plan->boost = !strcmp(boost, "on")  ? BOOST_ON :
		      !strcmp(boost, "off") ? BOOST_OFF :
					      BOOST_KEEP;
	plan->cool_down_seconds = number_or(config, KEY_COOL_DOWN, 0);
}

static void plan_fill(struct plan *plan, struct config *config)
{
	const char *cap;

	plan->content = config_get(config, KEY_CONTENT);
	cap = strchr(plan->content, ':');
	plan->cap_bytes = cap ? strtoull(cap + 1, NULL, 10) : 0;
	plan->order = config_get(config, KEY_ORDER);
	bool linear = !strcmp(plan->order, "linear");
	plan->writers = number_or(config, KEY_WRITERS, linear ? 1 : POPULATE_MOSS_WRITERS);
	if (linear && plan->writers != 1)
		config_mistake(config, KEY_WRITERS,
			       "order = linear has one writer; leave writers out, or set order = moss");
}

static bool is_yes(const struct config *config, enum config_key key)
{
	return !strcmp(config_get(config, key), "yes");
}

static void plan_end(struct plan *plan, const struct config *config, bool virtual_machine)
{
	const char *after = config_get(config, KEY_AFTER);

	plan->dry_run = is_yes(config, KEY_DRY_RUN);
	plan->resume = is_yes(config, KEY_RESUME);
	plan->countdown_seconds =
		number_or(config, KEY_COUNTDOWN, virtual_machine ? 0 : PLAN_COUNTDOWN_SECONDS);
	plan->hold_seconds = number_or(config, KEY_HOLD, virtual_machine ? 0 : PLAN_HOLD_SECONDS);
	plan->pstore = is_yes(config, KEY_PSTORE);
	plan->watchdog_seconds = number_or(config, KEY_WATCHDOG, 0);
	plan->after = !strcmp(after, "hold")     ? AFTER_HOLD
		      : !strcmp(after, "reboot") ? AFTER_REBOOT
						 : AFTER_POWEROFF;
}

static void plan_work(struct plan *plan, struct config *config, const struct places *places)
{
	plan->profile = config_get(config, KEY_PROFILE);
	plan_clock(plan, config);
	plan->link_power = unless_kept(config_get(config, KEY_LINK_POWER));
	plan->redact = is_yes(config, KEY_REDACT);
	plan_engines(plan, config);
	plan_strategies(plan, config);
	plan_caches(plan, config);
	plan_operations(plan, config);
	plan_workload(plan, config, places);
	plan_stores(plan, config);
	plan_fill(plan, config);
	plan_states(plan, config);
	plan->threads = number_or(config, KEY_THREADS, workers_processors(BLIT_THREADS_MAX));
	plan->rounds = (unsigned)strtoul(config_get(config, KEY_ROUNDS), NULL, 10);
	plan->trials = (unsigned)strtoul(config_get(config, KEY_TRIALS), NULL, 10);
	plan->limit_minutes =
		(unsigned)strtoul(config_get(config, KEY_LIMIT_MINUTES), NULL, 10); /* none: 0 */
	plan->latency = is_yes(config, KEY_LATENCY);
}

static void plan_target(struct plan *plan, struct config *config)
{
	plan->wish = (struct target_wish){
		.partlabel = config_get(config, KEY_PARTLABEL),
		.partuuid = config_get(config, KEY_PARTUUID),
		.model = config_get(config, KEY_MODEL),
		.serial = config_get(config, KEY_SERIAL),
		.overwrite = is_yes(config, KEY_OVERWRITE),
		.same_disk = is_yes(config, KEY_SAME_DISK),
	};
	/* Who names a PARTUUID and no label means that partition, whatever its label. */
	if (*plan->wish.partuuid && !strcmp(config_origin(config, KEY_PARTLABEL), "default"))
		plan->wish.partlabel = "";
	if (!*plan->wish.partlabel && !*plan->wish.partuuid)
		config_mistake(
			config, KEY_PARTLABEL,
			"empty, and no partuuid either: one of the two must name the target");
}

static int told_mistakes(const struct config *config)
{
	const char *mistakes = config_mistakes(config);

	return *mistakes ? error_set(-EINVAL, "%s", mistakes) : 0;
}

static int make_for_target(struct plan *plan, struct config *config, const struct places *places,
			   bool virtual_machine)
{
	memset(plan, 0, sizeof(*plan));
	plan_filesystems(plan, config);
	plan_work(plan, config, places);
	plan_target(plan, config);
	plan_end(plan, config, virtual_machine);
	return told_mistakes(config);
}

int plan_make(struct plan *plan, struct config *config, const char *results_top,
	      bool virtual_machine)
{
	char on_results[PATH_MAX];
	struct places places = {
		.folders = { PLAN_WORKLOADS },
		.missing = "no such workload in the image; small is built in, others are files on "
			   "BLITRESULTS",
	};

	if (results_top) {
		snprintf(on_results, sizeof(on_results), "%s/workloads", results_top);
		places.folders[1] = on_results;
		places.paths_below = results_top;
		places.missing = "no such workload in the image or on BLITRESULTS; small is built "
				 "in, others are files on BLITRESULTS";
	}
	return make_for_target(plan, config, &places, virtual_machine);
}

int plan_make_ahead(struct plan *plan, struct config *config, const char *workloads, bool as_given)
{
	char missing[CONFIG_VALUE_BYTES + PATH_MAX], above[PATH_MAX + 4];
	const struct places places = {
		.folders = { workloads },
		.as_given = as_given,
		.paths_below = workloads ? above : NULL,
		.missing = missing,
	};

	snprintf(above, sizeof(above), "%s/..", workloads ? workloads : "");
	snprintf(missing, sizeof(missing), "no such %s in %s",
		 as_given ? "file, and no such workload" : "workload",
		 workloads ? workloads : "the folder that --workloads would name");
	return make_for_target(plan, config, &places, false);
}

bool plan_is_for_targets(enum config_key key)
{
	switch (key) {
	case KEY_FILESYSTEMS:
	case KEY_PARTLABEL:
	case KEY_PARTUUID:
	case KEY_MODEL:
	case KEY_SERIAL:
	case KEY_OVERWRITE:
	case KEY_SAME_DISK:
	case KEY_DRY_RUN:
	case KEY_RESUME:
	case KEY_COUNTDOWN:
	case KEY_HOLD:
	case KEY_WATCHDOG:
	case KEY_PSTORE:
	case KEY_AFTER:
	case KEY_REPORT:
		return true;
	default:
		return false;
	}
}

static const enum config_key machine_keys[] = { KEY_GOVERNOR, KEY_EPP, KEY_BOOST,
						KEY_LINK_POWER };

/* What a directory has no use for: nothing is formatted there, and it is somebody's machine. */
static void refuse_keys(struct config *config, bool control_machine)
{
	for (enum config_key key = 0; key < CONFIG_KEYS; key++)
		if (plan_is_for_targets(key) && config_is_on_command_line(config, key))
			config_mistake(config, key,
				       "only the image knows this key: in a directory nothing is "
				       "formatted; leave it out");
	if (config_is_on_command_line(config, KEY_COLD) &&
	    strcmp(config_get(config, KEY_COLD), "drop"))
		config_mistake(config, KEY_COLD,
			       "a directory's filesystem is not remounted; leave it out");
	for (size_t i = 0; !control_machine && i < ARRAY_LENGTH(machine_keys); i++)
		if (config_is_on_command_line(config, machine_keys[i]) &&
		    strcmp(config_get(config, machine_keys[i]), "keep"))
			config_mistake(config, machine_keys[i],
				       "the machine is left alone unless --control-machine is "
				       "given");
	if (!control_machine && config_is_on_command_line(config, KEY_CACHES) &&
	    strstr(config_get(config, KEY_CACHES), "cold"))
		config_mistake(config, KEY_CACHES,
			       "cold empties the caches of the whole machine, and needs root and "
			       "--control-machine");
}

int plan_make_in_directory(struct plan *plan, struct config *config, const char *workloads,
			   bool control_machine)
{
	char missing[CONFIG_VALUE_BYTES + PATH_MAX];
	const struct places places = {
		.folders = { workloads },
		.as_given = true,
		.missing = missing,
	};

	config_fallback(config, KEY_COLD, "drop");
	if (!control_machine) {
		config_fallback(config, KEY_CACHES, "hot");
		config_fallback(config, KEY_COOL_DOWN, "0");
		for (size_t i = 0; i < ARRAY_LENGTH(machine_keys); i++)
			config_fallback(config, machine_keys[i], "keep");
	}
	snprintf(missing, sizeof(missing), "no such file, and no workload of this name in %s%s",
		 workloads ? workloads : "the folder that --workloads would name",
		 workloads ? "; --workloads FOLDER names another folder" : "");
	memset(plan, 0, sizeof(*plan));
	plan_work(plan, config, &places);
	refuse_keys(config, control_machine);
	return told_mistakes(config);
}
