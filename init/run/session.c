/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/session.h"

#include "lib/cleanup.h"
#include "lib/clock.h"
#include "lib/error.h"
#include "lib/values.h"
#include "run/age.h"
#include "run/cool.h"
#include "run/trials.h"

#include <errno.h>
#include <string.h>

struct session {
	const struct session_request *request;
	json_t *record; /* an element of the report's sessions */
	struct ageing ageing;
	struct site site;
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
		result = site_create(&session->site, request->directory_fd, request->path,
				     request->stat_path, request->workload, request->fanout);
	session->site.can_freeze = request->can_freeze;
	session->site.keep_states = plan->keep_states;
	session->site.others = request->watch ? &request->watch->others : NULL;
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

/* The record is in the journal before the trials, and again, with how it ended, after them. */
static void tell(const struct session *session, const char *status, const char *reason)
{
	json_object_set_new(session->record, "status", json_string(status));
	json_object_set_new(session->record, "reason", json_text(reason));
	watch_session(session->request->watch, session->record);
	journal_append(session->request->journal, "session", json_deep_copy(session->record));
}

static int fill_and_try(struct session *session, const struct session_place *place)
{
	int result = session_populate(session);

	if (!result)
		result = session_age(session);
	if (result)
		return result;
	tell(session, "running", NULL);
	return trials_run(session->request, &session->site, place->pinned);
}

static json_t *cooling_json(const struct cooling *cooling)
{
	return json_pack("{s:s,s:o,s:b,s:o,s:o}", "result", cooling->result, "seconds",
			 json_measured(cooling->seconds), "idle", cooling->idle, "package_celsius",
			 json_measured(cooling->temperatures.package_celsius), "drive_celsius",
			 json_measured(cooling->temperatures.drive_celsius));
}

/* So that no session has to bear what the one before it has heated. */
static int cool_down(struct session *session)
{
	const struct session_request *request = session->request;
	struct cooling cooling;

	if (!request->plan->cool_down_seconds)
		return 0;
	int result = cool_wait(&cooling, request->plan->cool_down_seconds, request->stat_path,
			       request->progress, name_of(session), "");
	if (!result)
		note(session, "cooling", cooling_json(&cooling));
	return result;
}

/* Whatever happened before, the place is left. Both errors are told. */
int session_run(const struct session_request *request, const struct session_place *place)
{
	struct session session = { .request = request };
	double started = clock_boot_seconds();
	char reason[1024];

	session.site = SITE_CLOSED;
	session.record = json_pack("{s:i,s:s,s:s,s:s,s:i}", "round", (int)request->round,
				   "filesystem", request->fs->type, "variant",
				   request->fs->variant, "store", request->fanout->name, "age", 0);
	note(&session, "at_seconds", json_measured(started - request->run_started));
	int result = cool_down(&session);
	if (!result)
		result = place->enter(place, request, session.record);
	if (!result)
		result = fill_and_try(&session, place);
	snprintf(reason, sizeof(reason), "%s", result ? error_text() : "");
	unsigned made = (session.site.made ? SESSION_MADE_STORE : 0) |
			(session.site.state ? SESSION_MADE_USR : 0);
	ageing_free(&session.ageing);
	site_free(&session.site);
	int left = place->leave(place, request, made, session.record);
	size_t used = strlen(reason);
	if (left)
		snprintf(reason + used, sizeof(reason) - used, "%s%s",
			 result ? "; and then: " : "", error_text());
	/* That the place could not be let go of counts more than what came before it. */
	if (!result || (left == -EBUSY && result != -EINTR))
		result = left;
	note(&session, "seconds", json_measured(clock_boot_seconds() - started));
	tell(&session, result ? "failed" : "complete", result ? reason : NULL);
	json_decref(session.record);
	return result ? error_set(result, "%s: %s", request->name, reason) : 0;
}
