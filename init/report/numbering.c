/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/numbering.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/cleanup.h"
#include "report/fields.h"

static int number(struct numbering *numbering, const json_t *element, size_t index)
{
	_cleanup_free_ char *key = fields_key(element, numbering->keys);
	const json_t *known = key ? json_object_get(numbering->numbers, key) : NULL;

	if (known) {
		numbering->of[index] = (size_t)json_integer_value(known);
		return 0;
	}
	if (!key || json_object_set_new_nocheck(numbering->numbers, key,
						json_integer((json_int_t)numbering->count)))
		return -ENOMEM;
	numbering->first[numbering->count] = index;
	numbering->of[index] = numbering->count++;
	return 0;
}

int numbering_make(struct numbering *numbering, const json_t *list, const char *const *keys)
{
	size_t size = json_array_size(list), index;
	const json_t *element;
	int error = 0;

	*numbering = (struct numbering){
		.of = calloc(size + 1, sizeof(*numbering->of)),
		.first = calloc(size + 1, sizeof(*numbering->first)),
		.keys = keys,
		.numbers = json_object(),
	};
	if (!numbering->of || !numbering->first || !numbering->numbers)
		return -ENOMEM;
	json_array_foreach(list, index, element)
		error = error ?: number(numbering, element, index);
	return error;
}

void numbering_free(struct numbering *numbering)
{
	free(numbering->of);
	free(numbering->first);
	json_decref(numbering->numbers);
	*numbering = (struct numbering){ 0 };
}

size_t numbering_find(const struct numbering *numbering, const json_t *object)
{
	_cleanup_free_ char *key = fields_key(object, numbering->keys);
	const json_t *known = key ? json_object_get(numbering->numbers, key) : NULL;

	return known ? (size_t)json_integer_value(known) : numbering->count;
}
