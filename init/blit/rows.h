/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of the table of engines, each defined in a file of its own, and what some of them share.
 */
#ifndef BLITBENCH_BLIT_ROWS_H
#define BLITBENCH_BLIT_ROWS_H

#include "blit/engine.h"

/* moss of January 2025, which the published figures were measured with: one thread, hard links, a
 * chmod for every file. */
extern const struct engine engine_moss2025;

/* moss of May 2025: the same calls, by all threads. */
extern const struct engine engine_moss2025_parallel;

int moss2025_probe(enum strategy *strategy, int store_fd, int staging_fd);
int moss2025_blit(struct blit *blit);
uint16_t moss2025_made_mode(const struct entry *entry);
void moss2025_expect_asset_modes(const struct blit_method *method, const struct layout *layout,
				 uint16_t *asset_modes);

enum { MOSS2025_UMASK = 022 };

/* moss of August 2026: hard links, reflinks or copies, without write bits. */
extern const struct engine engine_moss2026;

enum { MOSS2026_STRIPPED = 0222 };

int moss2026_probe_link(int store_fd, int staging_fd);
uint16_t moss2026_link_mode(uint16_t asset_mode, uint16_t mode);
uint16_t moss2026_made_mode(const struct entry *entry);
void moss2026_expect_asset_modes(const struct blit_method *method, const struct layout *layout,
				 uint16_t *asset_modes);

/* Assets found by file handle, in the order of their inodes. */
extern const struct engine engine_handle;

/* moss of January 2025 after a pass that makes the caches warm. */
extern const struct engine engine_primed;

#endif
