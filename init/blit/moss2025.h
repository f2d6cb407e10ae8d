/* SPDX-License-Identifier: GPL-2.0-or-later */
/* moss of January 2025, which the published figures were measured with: one thread, hard links, a
 * chmod for every file. */
#ifndef BLITBENCH_BLIT_MOSS2025_H
#define BLITBENCH_BLIT_MOSS2025_H

#include "blit/engine.h"

extern const struct engine engine_moss2025;

#endif
