/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A crew: threads that wait until there is work and then all do the same. */
#ifndef BLITBENCH_BLIT_CREW_H
#define BLITBENCH_BLIT_CREW_H

struct crew;

/* With the calling thread they are count; all wait when it returns. -ENOMEM, -EAGAIN with a
 * sentence, and then *crew is NULL.
 */
int crew_start(struct crew **crew, unsigned count);

/* Runs work in each thread, the caller being number 0; returns once it has returned in all. */
void crew_run(struct crew *crew, void (*work)(void *context, unsigned number), void *context);

/* Ends the threads; *crew may be NULL and is then. */
void crew_end(struct crew **crew);

#endif
