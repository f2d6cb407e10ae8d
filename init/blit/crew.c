/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/crew.h"

#include "lib/error.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct hand {
	struct crew *crew;
	unsigned number;
	pthread_t thread;
};

struct crew {
	unsigned count;
	pthread_mutex_t lock; /* over what follows */
	pthread_cond_t called, done;
	unsigned long call;                           /* counts the runs */
	unsigned working;                             /* hands that do not wait */
	void (*work)(void *context, unsigned number); /* NULL: there is nothing more to do */
	void *context;
	struct hand hands[]; /* the first is the caller's, without a thread */
};

/* Waits for the next call; NULL work ends the thread. */
static void *hand_main(void *argument)
{
	const struct hand *hand = argument;
	struct crew *crew = hand->crew;
	unsigned long seen = 0;

	for (;;) {
		pthread_mutex_lock(&crew->lock);
		if (!--crew->working)
			pthread_cond_signal(&crew->done);
		while (crew->call == seen)
			pthread_cond_wait(&crew->called, &crew->lock);
		seen = crew->call;
		pthread_mutex_unlock(&crew->lock);
		if (!crew->work)
			return NULL;
		crew->work(crew->context, hand->number);
	}
}

static void wait_for_all(struct crew *crew)
{
	pthread_mutex_lock(&crew->lock);
	while (crew->working)
		pthread_cond_wait(&crew->done, &crew->lock);
	pthread_mutex_unlock(&crew->lock);
}

static void call(struct crew *crew, void (*work)(void *context, unsigned number), void *context)
{
	pthread_mutex_lock(&crew->lock);
	crew->work = work;
	crew->context = context;
	crew->working = crew->count - 1;
	crew->call++;
	pthread_cond_broadcast(&crew->called);
	pthread_mutex_unlock(&crew->lock);
}

int crew_start(struct crew **crew, unsigned count)
{
	struct crew *new = calloc(1, sizeof(*new) + count * sizeof(new->hands[0]));

	*crew = NULL;
	if (!new)
		return error_set(-ENOMEM, "out of memory for %u threads", count);
	pthread_mutex_init(&new->lock, NULL);
	pthread_cond_init(&new->called, NULL);
	pthread_cond_init(&new->done, NULL);
	new->working = count - 1;
	for (new->count = 1; new->count < count; new->count++) {
		struct hand *hand = &new->hands[new->count];

		*hand = (struct hand){ .crew = new, .number = new->count };
		int error = pthread_create(&hand->thread, NULL, hand_main, hand);
		if (error) {
			crew_end(&new);
			return error_set(-error, "cannot start %u threads: %s", count,
					 strerror(error));
		}
	}
	wait_for_all(new);
	*crew = new;
	return 0;
}

void crew_run(struct crew *crew, void (*work)(void *context, unsigned number), void *context)
{
	if (crew->count > 1)
		call(crew, work, context);
	work(context, 0);
	if (crew->count > 1)
		wait_for_all(crew);
}

void crew_end(struct crew **crew)
{
	struct crew *old = *crew;

	*crew = NULL;
	if (!old)
		return;
	call(old, NULL, NULL);
	for (unsigned i = 1; i < old->count; i++)
		pthread_join(old->hands[i].thread, NULL);
	pthread_mutex_destroy(&old->lock);
	pthread_cond_destroy(&old->called);
	pthread_cond_destroy(&old->done);
	free(old);
}
