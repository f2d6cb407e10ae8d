/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "blit/timed.h"

#include "lib/cleanup.h"
#include "lib/clock.h"

_Thread_local struct latency *timed_mine;

/* The call between two readings of the clock; errno stays the call's. */
#define TIMED(histogram, call)                                           \
	({                                                               \
		uint64_t began_ = clock_nanoseconds();                   \
		__typeof__(call) result_ = (call);                       \
		latency_record(histogram, clock_nanoseconds() - began_); \
		result_;                                                 \
	})

#define TIMED_DEFINITION(kind, told, type, name, parameters, values, call) \
	type timed_##name parameters                                       \
	{                                                                  \
		return TIMED(&timed_mine[TIMED_##kind], call);             \
	}
TIMED_TABLE(TIMED_DEFINITION)

#define TIMED_NAME(kind, told, type, name, parameters, values, call) [TIMED_##kind] = told,

const char *timed_name(enum timed_kind kind)
{
	static const char *const names[] = { TIMED_TABLE(TIMED_NAME) };

	return names[kind];
}

/* The cheapest call there is, and it does nothing. */
static __attribute__((noinline)) void close_nothing(struct latency *latency, unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		(void)(latency ? TIMED(latency, close(-1)) : close(-1));
}

static uint64_t nanoseconds_of(struct latency *latency, unsigned times, uint64_t least)
{
	uint64_t began = clock_nanoseconds();

	close_nothing(latency, times);
	began = clock_nanoseconds() - began;
	return began < least ? began : least;
}

/* Around real calls: between two of them the processor guesses worse than in a loop of nothing
 * else. The least of several rounds, since what else ran meanwhile is not the clock's. */
double timed_cost_nanoseconds(void)
{
	enum { ROUNDS = 15, CALLS = 1000 };
	struct latency latency = { .count = 0 };
	uint64_t plain = UINT64_MAX, timed = UINT64_MAX;

	for (int round = 0; round < ROUNDS; round++) {
		plain = nanoseconds_of(NULL, CALLS, plain);
		timed = nanoseconds_of(&latency, CALLS, timed);
	}
	return timed > plain ? (double)(timed - plain) / CALLS : 0;
}
