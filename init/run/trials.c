/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/trials.h"

#include "lib/error.h"
#include "run/trial.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static void say_trial(const struct session_request *request, struct trial_series *series,
		      const struct trial_record *trial)
{
	const struct progress *progress = request->progress;
	double thousands = (double)trial->entries / trial->seconds / 1000;

	if (isnan(trial->seconds))
		progress_say(progress, "%s %s %s %u: FAILED", request->name,
			     trial->cell.cache, trial->cell.operation, trial->number);
	else
		progress_say(progress, "%s %s %s %u: %llu entries blitted in %.2fs (%.*fk / s)%s",
			     request->name, trial->cell.cache, trial->cell.operation,
			     trial->number, (unsigned long long)trial->entries, trial->seconds,
			     thousands < 1 ? 3 : 1, thousands,
			     trial->verified ? "" : " NOT VERIFIED");
	for (unsigned i = 0; i < trial->flag_count; i++) {
		/* Of the place or the machine and not of the trial: said once. */
		bool lasting = !strcmp(trial->flags[i].name, "unproven") ||
			       !strcmp(trial->flags[i].name, "clock-source");

		if (lasting && series->said_lasting)
			continue;
		progress_say(progress, "  %s (%s): %s", trial->flags[i].name,
			     trial->flags[i].level == FLAG_INVALID ? "invalid" : "note",
			     trial->flags[i].detail);
	}
	series->said_lasting = true;
}

static int one_trial(const struct session_request *request, struct trial_series *series,
		     enum cache_state cache, enum operation operation, unsigned number)
{
	struct trial_record trial;
	char text[48], reason[1024] = "";

	snprintf(text, sizeof(text), "%s %s %u of %u", cache_state_name(cache),
		 operation_name(operation), number, series->plan->trials);
	int result = session_phase(request, text);
	if (result)
		return result;
	snprintf(series->phase, sizeof(series->phase), "%s: %s", request->name, text);
	result = trial_run(series, cache, operation, number, &trial);
	if (result == -EINTR) {
		trial_record_free(&trial);
		return result;
	}
	if (result) {
		snprintf(reason, sizeof(reason), "%s", error_text());
		trial_flag(&trial, "failed", FLAG_INVALID, "%s", reason);
	}
	say_trial(request, series, &trial);
	if (!trial.verified)
		++*request->unverified;
	/* A journal that cannot be written is the journal's own business: the run goes on in
	 * memory. */
	journal_append(request->journal, "trial", trial_to_json(&trial));
	trial_record_free(&trial);
	return result ? error_set(result, "%s", reason) : 0;
}

/* Remove and install alternate, as a person's transactions would. */
static int cache_trials(const struct session_request *request, struct trial_series *series,
			enum cache_state cache)
{
	const struct plan *plan = series->plan;

	for (unsigned number = 1; number <= plan->trials; number++) {
		for (unsigned i = 0; i < plan->operation_count; i++) {
			int result = one_trial(request, series, cache, plan->operations[i], number);

			if (result)
				return result;
		}
	}
	return 0;
}

static struct trial_series series_of(const struct session_request *request, struct site *site,
				     const struct cache_counters *pinned,
				     const struct blit_method *method, const char *governor)
{
	return (struct trial_series){
		.plan = request->plan,
		.fs = request->fs,
		.method = *method,
		.site = site,
		.node = request->node,
		.watch = request->watch,
		.progress = request->progress,
		.round = request->round,
		.pinned = pinned,
		.governor = governor,
		.run_started = request->run_started,
		.vitals = vitals_new(governor, request->plan->boost),
	};
}

/* One flagged trial for each operation, with the sentence. */
static void tell_not_run(const struct session_request *request, const struct trial_series *series,
			 enum cache_state cache, const char *flag, const char *reason)
{
	const struct plan *plan = series->plan;

	progress_say(request->progress, "%s %s: %s %s: %s: %s", request->name,
		     cache_state_name(cache), series->method.engine->name,
		     strategy_name(series->method.strategy), flag, reason);
	for (unsigned i = 0; i < plan->operation_count; i++) {
		struct trial_record trial;

		trial_not_run(series, cache, plan->operations[i], flag, reason, &trial);
		journal_append(request->journal, "trial", trial_to_json(&trial));
		trial_record_free(&trial);
	}
}

/* An engine that this kernel or filesystem cannot do. */
static void tell_unsupported(const struct session_request *request,
			     const struct trial_series *series)
{
	char reason[256];

	snprintf(reason, sizeof(reason), "%s", error_text());
	for (unsigned i = 0; i < series->plan->cache_count; i++)
		tell_not_run(request, series, series->plan->caches[i], "unsupported", reason);
}

/* Where the untimed transaction fails already, its trials are told as failed and the session goes
 * on. */
static int warm_up(const struct session_request *request, struct trial_series *series,
		   enum cache_state cache)
{
	const struct plan *plan = series->plan;
	char reason[256];

	int result = session_phase(request, "first transaction, untimed");
	if (!result)
		result = trial_warm_up(series, plan->operations[plan->operation_count - 1]);
	if (result != TRIAL_BLIT_FAILED)
		return result;
	snprintf(reason, sizeof(reason), "%s", error_text());
	result = site_learn_assets(series->site);
	if (result)
		return result;
	*request->unverified += plan->operation_count;
	tell_not_run(request, series, cache, "failed", reason);
	return TRIAL_BLIT_FAILED;
}

/* The first trials, and hot ones in any case, start after an untimed transaction by the same method. */
static int method_trials(const struct session_request *request, struct trial_series *series)
{
	const struct plan *plan = series->plan;
	bool begun = false;

	progress_say(request->progress, "%s: %s %s, %u thread%s%s%s", request->name,
		     series->method.engine->name, strategy_name(series->method.strategy),
		     series->method.threads, series->method.threads == 1 ? "" : "s",
		     *series->governor ? ", governor " : "", series->governor);
	for (unsigned i = 0; i < plan->cache_count; i++) {
		int result = begun && plan->caches[i] == CACHE_COLD ?
				     0 :
				     warm_up(request, series, plan->caches[i]);

		begun = !result;
		if (!result)
			result = cache_trials(request, series, plan->caches[i]);
		if (result < 0)
			return result;
	}
	return 0;
}

/* By each strategy of the plan where the engine has a choice. What two of them come to is tried
 * once. */
static int engine_trials(const struct session_request *request, struct site *site,
			 const struct cache_counters *pinned, const struct engine *engine,
			 const char *governor)
{
	const struct plan *plan = request->plan;
	unsigned tried = 0;
	int result = 0;

	for (unsigned i = 0; !result && i < plan_wishes(plan, engine); i++) {
		struct blit_method method = plan_method(plan, engine, plan->strategies[i]);
		int unsupported = engine_probe(&method, site->store_fd, site->staging_fd);
		struct trial_series series = series_of(request, site, pinned, &method, governor);

		if (unsupported) {
			tell_unsupported(request, &series);
			continue;
		}
		if (tried & 1u << method.strategy)
			continue;
		tried |= 1u << method.strategy;
		result = method_trials(request, &series);
	}
	return result;
}

static int governor_trials(const struct session_request *request, struct site *site,
			   const struct cache_counters *pinned, const struct engine *engine)
{
	const struct plan *plan = request->plan;
	int result = 0;

	for (unsigned place = 0; !result && place < plan->governor_count; place++) {
		const char *governor = plan_governor(plan, request->round, place);

		result = request->hold ? hold_governor(request->hold, governor) : 0;
		if (!result)
			result = engine_trials(request, site, pinned, engine, governor);
	}
	return result;
}

int trials_run(const struct session_request *request, struct site *site,
	       const struct cache_counters *pinned)
{
	const struct plan *plan = request->plan;
	int result = 0;

	for (unsigned place = 0; !result && place < plan->engine_count; place++)
		result = governor_trials(request, site, pinned,
					 plan_engine(plan, request->round, place));
	return result;
}
