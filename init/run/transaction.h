/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One transaction as moss does it: blit a tree under staging, make it durable, exchange it with the
 * live one, archive the old one, prune the oldest. Every part is timed on its own; nothing but the
 * work happens inside a timed region.
 */
#ifndef BLITBENCH_RUN_TRANSACTION_H
#define BLITBENCH_RUN_TRANSACTION_H

#include "measure/counters.h"
#include "measure/others.h"
#include "run/site.h"

struct transaction {
	double begun_boot_seconds; /* the blit, by clock_boot_seconds(); NAN = it did not begin */
	/* Seconds; NAN = not done, as is pruning while no more states are archived than stay.
	 * durable and quiesced run on from the start of the blit. */
	double seconds, durable_seconds, quiesced_seconds, swap_seconds, archive_seconds,
		prune_seconds;
	/* Of what the engine does before the blit; seconds are NAN where it does nothing. */
	double prime_seconds;
	struct disk_counters prime_disk;
	/* From the start of the blit until the filesystem was frozen (where it cannot freeze: until
	 * syncfs returned). */
	struct disk_counters disk;
	struct others_io others; /* meanwhile, of who is no part of this */
	struct cpu_counters cpu; /* NAN where the blit failed */
	bool disk_counted; /* false where no block device stands behind the site, or the blit failed
			    */
	struct blit_figure figures[BLIT_FIGURES_MAX]; /* the engine's own */
	unsigned figure_count;
};

/* The blit of a layout from the site's store into its staging, not begun yet. */
struct blit transaction_blit(const struct site *site, const struct blit_method *method,
			     const struct layout *layout);

/*
 * What the engine does, untimed, once for a full store; 0 where it has been done since the store last
 * changed. It reads the whole store, so that it must come before caches are emptied. A negative errno
 * with a sentence.
 */
int transaction_prepare(struct site *site, const struct blit_method *method,
			const struct layout *layout);

/*
 * Runs it. The first transaction on a site has nothing to exchange with and renames instead. A
 * failed blit is -errno with a sentence that names the entry's path and the call; the half-made
 * tree is removed and the live one stays. Prepares before, where that was not done.
 * method's strategy is settled.
 */
int transaction_run(struct site *site, const struct blit_method *method,
		    const struct layout *layout, struct transaction *transaction);

#endif
