/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays that double as they fill. */
#ifndef BLITBENCH_WORKLOAD_GROW_H
#define BLITBENCH_WORKLOAD_GROW_H

#include "lib/error.h"

#include <errno.h>
#include <stdlib.h>

static inline int grow(void **array, size_t *capacity, size_t needed, size_t element_bytes)
{
	size_t wanted = *capacity ? *capacity : 64;
	void *bigger;

	if (needed <= *capacity)
		return 0;
	while (wanted < needed)
		wanted *= 2;
	bigger = reallocarray(*array, wanted, element_bytes);
	if (!bigger)
		return error_set(-ENOMEM, "out of memory: %zu elements of %zu bytes were needed",
				 wanted, element_bytes);
	*array = bigger;
	*capacity = wanted;
	return 0;
}

/* Makes room for needed elements in an array pointer of any type. */
#define GROW(array, capacity, needed) \
	grow((void **)&(array), &(capacity), (needed), sizeof(*(array)))

#endif
