/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/bar.h"

#include "lib/cleanup.h"

#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

enum { BAR_CELLS = 30 };

static volatile sig_atomic_t stop;
static bool shown;

static void on_signal(int signal)
{
	stop = signal;
}

static void show(const char *phase, uint64_t done, uint64_t total)
{
	char cells[BAR_CELLS + 1];
	unsigned filled;

	shown = true;
	if (!total) {
		fprintf(stderr, "\r\033[K%s", phase);
		if (done)
			fprintf(stderr, " %" PRIu64, done);
		return;
	}
	if (done > total)
		done = total;
	filled = (unsigned)((double)done / (double)total * BAR_CELLS);
	for (unsigned i = 0; i < BAR_CELLS; i++)
		cells[i] = i < filled ? '#' : '.';
	cells[BAR_CELLS] = '\0';
	fprintf(stderr, "\r\033[K%s [%s] %3.0f %%", phase, cells,
		(double)done / (double)total * 100);
}

static int update(void *context, const char *phase, uint64_t done, uint64_t total)
{
	(void)context;
	if (isatty(STDERR_FILENO)) {
		show(phase, done, total);
		fflush(stderr);
	}
	return stop != 0;
}

const struct progress *bar_start(void)
{
	static const struct progress progress = { .update = update };
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGXCPU };
	/* No SA_RESTART: a read from a pipe that does not come to an end ends too. */
	const struct sigaction action = { .sa_handler = on_signal };
	struct sigaction before;

	stop = 0;
	for (size_t i = 0; i < ARRAY_LENGTH(signals); i++)
		if (!sigaction(signals[i], NULL, &before) && before.sa_handler != SIG_IGN)
			sigaction(signals[i], &action, NULL);
	return &progress;
}

int bar_signal(void)
{
	return stop;
}

void bar_end(void)
{
	if (shown)
		fputs("\r\033[K", stderr);
	shown = false;
}
