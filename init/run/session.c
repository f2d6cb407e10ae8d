/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/session.h"

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/values.h"
#include "machine/caches.h"
#include "run/age.h"
#include "run/quiet.h"
#include "run/trials.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct session {
	const struct session_request *request;
	json_t *record; /* an element of the report's sessions */
	struct ageing ageing;
	struct site site;
	struct cache_counters pinned; /* what the empty, mounted filesystem keeps in memory */
	bool mounted;
};

static void note(struct session *session, const char *key, json_t *value)
{
	json_object_set_new(session->record, key, value);
}

static const char *name_of(const struct session *session)
{
	return session->request->name;
}

int session_phase(const struct session_request *request, const char *what)
{
	char text[64];

	snprintf(text, sizeof(text), "%s: %s", request->name, what);
	return progress_update(request->progress, text, 0, 0)
		       ? error_set(-EINTR, "stopped by the user")
		       : 0;
}

static int session_discard(struct session *session)
{
	const struct target *target = session->request->target;
	struct discard_result discard;
	struct quiet quiet;
	bool reached;

	int result = session_phase(session->request, "discarding");
	if (!result)
		result = target_discard(target, &discard);
	if (result)
		return result;
	note(session, "discard",
	     json_pack("{s:s,s:o,s:o}", "result", discard.done ? "done" : "unsupported", "seconds",
		       json_measured(discard.seconds), "detail", json_text(discard.detail)));
	result = quiet_begin(target->stat_path, &quiet);
	return result ? result : quiet_wait(target->stat_path, &quiet, &reached);
}

/* The last look stands directly before the tool that writes. */
static int session_make(struct session *session)
{
	const struct session_request *request = session->request;
	struct child_result made;

	int result = session_phase(request, "making the filesystem");
	if (result)
		return result;
	/* Asks the tool for its version, which may fail with a sentence of its own. */
	json_t *mkfs = filesystem_make_json(request->fs, request->target->node);
	result = target_last_look(request->target);
	if (!result) {
		result = filesystem_make(request->fs, request->target->node, &made);
		json_object_set_new(mkfs, "seconds", json_measured(made.seconds));
		if (result)
			json_object_set_new(mkfs, "output", json_text(made.output));
	}
	note(session, "mkfs", mkfs);
	return result;
}

static int session_mount(struct session *session)
{
	const struct session_request *request = session->request;

	mkdir(request->mountpoint, 0755);
	int result = filesystem_mount(request->fs, request->target->node, request->mountpoint);
	session->mounted = !result;
	if (result)
		return result;
	json_t *mounted = filesystem_mount_json(request->fs, request->mountpoint);
	json_object_set_new(mounted, "type", json_string(request->fs->type));
	note(session, "mount", mounted);
	struct caches_drop_result drop;
	const struct cache_counters nothing = { .inodes = 0 };
	result = caches_drop(&drop, request->fs->inode_slab, &nothing, &nothing, "");
	session->pinned = drop.cold;
	if (result)
		return result;
	note(session, "features",
	     filesystem_features(request->fs, request->target->node, request->mountpoint));
	return 0;
}

/* Before the first write: whoever has too small a partition need not wait for its store to fill. */
static int session_check_room(struct session *session)
{
	const struct session_request *request = session->request;

	return room_check(request->room, request->fs, request->mountpoint);
}

/* The phase's name in front of what the store itself tells. */
static int store_update(void *context, const char *what, uint64_t done, uint64_t total)
{
	const struct session *session = context;
	char text[64];

	snprintf(text, sizeof(text), "%s: %s", name_of(session), what);
	return progress_update(session->request->progress, text, done, total);
}

/* Whether there is something to be done between filling and trials. */
static bool ages(const struct session *session)
{
	return session->request->plan->age || session->request->plan->keep_states;
}

static int session_populate(struct session *session)
{
	const struct session_request *request = session->request;
	const struct plan *plan = request->plan;
	const struct contents *contents = &request->workload->contents;
	const struct progress progress = { .update = store_update, .context = session };
	struct populate_result populated;
	int result = 0;

	if (ages(session)) {
		result = ageing_start(&session->ageing, request->workload, plan->age, CONTENT_SEED,
				      &progress);
		contents = &session->ageing.now;
	}
	if (!result)
		result = site_create(&session->site, request->mountpoint,
				     request->target->stat_path, request->workload, request->fanout);
	session->site.can_freeze = true;
	session->site.keep_states = plan->keep_states;
	if (!result)
		result = site_fill(&session->site, contents, CONTENT_SEED, plan->writers, &progress,
				   &populated);
	if (result)
		return result;
	note(session, "populate",
	     json_pack("{s:I,s:I,s:I,s:o,s:s,s:i}", "assets", (json_int_t)populated.assets, "bytes",
		       (json_int_t)populated.bytes, "directories",
		       (json_int_t)populated.directories, "seconds",
		       json_measured(populated.seconds), "order", plan->order, "writers",
		       (int)plan->writers));
	progress_say(request->progress, "%s: store of %llu assets, %.1f MiB, filled in %.2fs",
		     name_of(session), (unsigned long long)populated.assets,
		     (double)populated.bytes / (1 << 20), populated.seconds);
	return 0;
}

/* The first of the plan's engines that works here, on one thread so that it always does the same;
 * without an engine where none does, which its trials tell. */
static struct blit_method working_method(const struct session *session)
{
	const struct plan *plan = session->request->plan;

	for (unsigned i = 0; i < plan->engine_count * plan->strategy_count; i++) {
		struct blit_method method =
			plan_method(plan, plan->engines[i / plan->strategy_count],
				       plan->strategies[i % plan->strategy_count]);

		method.threads = 1;
		if (!engine_probe(&method, session->site.store_fd, session->site.staging_fd))
			return method;
	}
	return (struct blit_method){ .engine = NULL };
}

static int run_ageing(struct session *session, const struct blit_method *method)
{
	const struct session_request *request = session->request;
	const struct plan *plan = request->plan;
	const struct progress progress = { .update = store_update, .context = session };
	struct ageing_result aged;
	int result = ageing_run(&session->ageing, &session->site, method, plan->writers, &progress,
				&aged);

	ageing_free(&session->ageing);
	if (result)
		return result;
	note(session, "age", json_integer(plan->age));
	note(session, "ageing",
	     json_pack("{s:i,s:I,s:I,s:I,s:o}", "kept_states", (int)plan->keep_states,
		       "assets_written", (json_int_t)aged.assets_written, "bytes_written",
		       (json_int_t)aged.bytes_written, "assets_removed",
		       (json_int_t)aged.assets_removed, "seconds", json_measured(aged.seconds)));
	progress_say(request->progress, "%s: aged by %u updates, %u old states stay, in %.2fs",
		     name_of(session), plan->age, plan->keep_states, aged.seconds);
	return 0;
}

static int session_age(struct session *session)
{
	struct blit_method method = working_method(session);
	int result = 0;

	if (!method.engine)
		return 0;
	if (ages(session))
		result = run_ageing(session, &method);
	if (!result)
		result = site_learn_assets(&session->site);
	return result ? result : site_settle(&session->site);
}

/* Whatever happened before, the target is given back unmounted; the first error is the one that is
 * told. */
static int session_finish(struct session *session)
{
	const struct session_request *request = session->request;
	int result = 0;

	ageing_free(&session->ageing);
	if (session->mounted) {
		site_free(&session->site);
		result = filesystem_unmount(request->mountpoint);
	}
	if (!session->mounted || result)
		return result;
	session_phase(request, "checking");
	json_t *check = filesystem_check(request->fs, request->target->node);
	const char *status = json_string_value(json_object_get(check, "status"));
	progress_say(request->progress, "%s: filesystem check: %s", name_of(session),
		     status ? status : "not run");
	note(session, "fsck", check);
	if (status && !strcmp(status, "errors"))
		return error_set(-EUCLEAN,
				 "the filesystem check found errors on %s after the trials",
				 name_of(session));
	return 0;
}

/* The record is in the journal before the trials, and again, with how it ended, after them. */
static void tell(const struct session *session, const char *status, const char *reason)
{
	json_object_set_new(session->record, "status", json_string(status));
	json_object_set_new(session->record, "reason", json_text(reason));
	journal_append(session->request->journal, "session", json_deep_copy(session->record));
}

int session_run(const struct session_request *request)
{
	static int (*const steps[])(struct session *) = {
		session_discard,
		session_make,
		session_mount,
		session_check_room,
		session_populate,
		session_age,
	};
	struct session session = { .request = request };
	char reason[1024];
	int result = 0;

	session.site = SITE_CLOSED;
	session.record = json_pack("{s:i,s:s,s:s,s:s,s:i}", "round", (int)request->round,
				   "filesystem", request->fs->type, "variant",
				   request->fs->variant, "store", request->fanout->name, "age", 0);
	for (size_t i = 0; !result && i < ARRAY_LENGTH(steps); i++)
		result = steps[i](&session);
	if (!result) {
		tell(&session, "running", NULL);
		result = trials_run(request, &session.site, &session.pinned);
	}
	snprintf(reason, sizeof(reason), "%s", error_text());
	int finished = session_finish(&session);
	if (!result && finished)
		snprintf(reason, sizeof(reason), "%s", error_text());
	result = result ? result : finished;
	tell(&session, result ? "failed" : "complete", result ? reason : NULL);
	json_decref(session.record);
	return result ? error_set(result, "%s: %s", request->name, reason) : 0;
}
