/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "workload/workers.h"

#include "lib/error.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEP_NANOSECONDS = 100 * 1000 * 1000, SECOND_NANOSECONDS = 1000 * 1000 * 1000 };

struct workers {
	const struct workers_job *job;
	pthread_mutex_t lock; /* over what stands between it and the counters */
	pthread_cond_t ended;
	unsigned running;
	int error; /* the first one */
	char sentence[1024];
	uint64_t done; /* atomic, as is stop */
	bool stop;
};

void workers_advance(struct workers *workers, uint64_t amount)
{
	__atomic_fetch_add(&workers->done, amount, __ATOMIC_RELAXED);
}

bool workers_stopped(const struct workers *workers)
{
	return __atomic_load_n(&workers->stop, __ATOMIC_RELAXED);
}

unsigned workers_processors(unsigned most)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);

	return online < 1 ? 1 : online > most ? most : (unsigned)online;
}

static void stop(struct workers *workers)
{
	__atomic_store_n(&workers->stop, true, __ATOMIC_RELAXED);
}

static void *run_one(void *context)
{
	struct workers *workers = context;
	int error = workers->job->work(workers->job->context, workers);

	pthread_mutex_lock(&workers->lock);
	if (error && !workers->error) {
		workers->error = error;
		/* Sentences belong to the thread that made them. */
		snprintf(workers->sentence, sizeof(workers->sentence), "%s", error_text());
	}
	if (error)
		stop(workers);
	workers->running--;
	pthread_cond_signal(&workers->ended);
	pthread_mutex_unlock(&workers->lock);
	return NULL;
}

static bool asked_to_stop(const struct workers *workers)
{
	const struct workers_job *job = workers->job;

	return progress_update(job->progress, job->phase,
			       __atomic_load_n(&workers->done, __ATOMIC_RELAXED), job->total);
}

/* Until all have ended. True where the progress asked to stop. */
static bool await(struct workers *workers)
{
	bool asked = false;

	pthread_mutex_lock(&workers->lock);
	while (workers->running) {
		struct timespec until;

		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += STEP_NANOSECONDS;
		if (until.tv_nsec >= SECOND_NANOSECONDS) {
			until.tv_nsec -= SECOND_NANOSECONDS;
			until.tv_sec++;
		}
		if (pthread_cond_timedwait(&workers->ended, &workers->lock, &until) != ETIMEDOUT)
			continue;
		pthread_mutex_unlock(&workers->lock);
		if (!asked && asked_to_stop(workers)) {
			asked = true;
			stop(workers);
		}
		pthread_mutex_lock(&workers->lock);
	}
	pthread_mutex_unlock(&workers->lock);
	return asked;
}

static int start_and_await(struct workers *workers)
{
	const struct workers_job *job = workers->job;
	pthread_t threads[WORKERS_MAX];
	unsigned started = 0;
	int refused = 0;

	while (started < job->count && !refused) {
		pthread_mutex_lock(&workers->lock);
		workers->running++;
		pthread_mutex_unlock(&workers->lock);
		refused = pthread_create(&threads[started], NULL, run_one, workers);
		started += !refused;
	}
	if (refused) {
		pthread_mutex_lock(&workers->lock);
		workers->running--;
		pthread_mutex_unlock(&workers->lock);
		stop(workers);
	}
	bool asked = await(workers);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	if (refused)
		return error_set(-refused, "cannot start thread %u of %u (%s): %s", started + 1,
				 job->count, job->phase, strerror(refused));
	if (workers->error)
		return error_set(workers->error, "%s", workers->sentence);
	return asked ? error_set(-EINTR, "%s", job->stopped) : 0;
}

int workers_run(const struct workers_job *job)
{
	struct workers workers = { .job = job };
	pthread_condattr_t attributes;

	if (asked_to_stop(&workers))
		return error_set(-EINTR, "%s", job->stopped);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_mutex_init(&workers.lock, NULL);
	pthread_cond_init(&workers.ended, &attributes);
	int error = start_and_await(&workers);
	pthread_cond_destroy(&workers.ended);
	pthread_mutex_destroy(&workers.lock);
	pthread_condattr_destroy(&attributes);
	return error;
}
