/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/record.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/values.h"
#include "report/json.h"

const char *run_status_name(enum run_status status)
{
	static const char *const names[] = {
		[RUN_INCOMPLETE] = "incomplete",
		[RUN_COMPLETE] = "complete",
		[RUN_PARTIAL] = "partial",
		[RUN_FAILED] = "failed",
		[RUN_REFUSED] = "refused",
		[RUN_ABORTED] = "aborted",
	};

	return (unsigned)status < ARRAY_LENGTH(names) ? names[status] : "incomplete";
}

/* Puts "; NAME DETAIL" behind the last flag's detail; what is cut where that is full is no name. */
static void merge_flag(struct trial_flag *last, const struct trial_flag *flag)
{
	char more[sizeof(flag->name) + sizeof(flag->detail) + 4];
	size_t name_length = strlen(flag->name) + 2, room = sizeof(last->detail) - 1;
	size_t used = strnlen(last->detail, room - name_length), length;

	length = (size_t)snprintf(more, sizeof(more), "; %s %s", flag->name, flag->detail);
	if (length > room - used)
		length = room - used;
	memcpy(last->detail + used, more, length);
	last->detail[used + length] = '\0';
	if (flag->level == FLAG_INVALID)
		last->level = FLAG_INVALID;
}

void trial_flag(struct trial_record *trial, const char *name, enum flag_level level,
		const char *format, ...)
{
	struct trial_flag flag = { .level = level };
	va_list arguments;

	snprintf(flag.name, sizeof(flag.name), "%s", name);
	va_start(arguments, format);
	vsnprintf(flag.detail, sizeof(flag.detail), format, arguments);
	va_end(arguments);
	if (trial->flag_count < TRIAL_FLAGS_MAX)
		trial->flags[trial->flag_count++] = flag;
	else
		merge_flag(&trial->flags[TRIAL_FLAGS_MAX - 1], &flag);
}

bool trial_valid(const struct trial_record *trial)
{
	if (!trial->verified)
		return false;
	for (unsigned i = 0; i < trial->flag_count; i++)
		if (trial->flags[i].level == FLAG_INVALID)
			return false;
	return true;
}

/*
 * The bytes of a field of this size; an empty one is null: not told. Where replacing what is no UTF-8
 * would make it too long to be read back, whatever is no ASCII becomes a question mark.
 */
static json_t *cell_text(const char *field, size_t size)
{
	json_t *text = json_text(*field ? field : NULL);
	char plain[64];

	if (json_string_length(text) < size)
		return text;
	json_decref(text);
	snprintf(plain, sizeof(plain), "%s", field);
	for (char *at = plain; *at; at++)
		if (*at & 0x80)
			*at = '?';
	return json_string(plain);
}

static json_t *flags_to_json(const struct trial_record *trial)
{
	json_t *flags = json_array();

	for (unsigned i = 0; i < trial->flag_count; i++) {
		const struct trial_flag *flag = &trial->flags[i];

		json_array_append_new(flags, json_pack("{s:o, s:s, s:o}",
			"name", json_text(flag->name),
			"level", flag->level == FLAG_INVALID ? "invalid" : "note",
			"detail", json_text(flag->detail)));
	}
	return flags;
}

/* True where that failed, for want of memory. */
static bool put(json_t *object, const char *key, json_t *value)
{
	return json_object_set_new_nocheck(object, key, value);
}

static json_t *whole(json_t *object, bool failed)
{
	if (!failed)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *io_to_json(const struct trial_record *trial)
{
	json_t *io = json_object();

	return whole(io, put(io, "reads", json_count(trial->io.reads)) ||
				 put(io, "read_bytes", json_count(trial->io.read_bytes)) ||
				 put(io, "writes", json_count(trial->io.writes)) ||
				 put(io, "write_bytes", json_count(trial->io.write_bytes)) ||
				 put(io, "discards", json_count(trial->io.discards)));
}

static json_t *cpu_to_json(const struct trial_record *trial)
{
	json_t *cpu = json_object();

	return whole(cpu, put(cpu, "user_seconds", json_measured(trial->cpu.user_seconds)) ||
				  put(cpu, "system_seconds",
				      json_measured(trial->cpu.system_seconds)) ||
				  put(cpu, "machine_busy_seconds",
				      json_measured(trial->cpu.machine_busy_seconds)));
}

static bool put_cell(json_t *object, const struct cell_key *cell, const json_t *alike)
{
	const struct {
		const char *key, *text;
		size_t size;
	} keys[] = {
		{ "filesystem", cell->filesystem, sizeof(cell->filesystem) },
		{ "variant", cell->variant, sizeof(cell->variant) },
		{ "engine", cell->engine, sizeof(cell->engine) },
		{ "strategy", cell->strategy, sizeof(cell->strategy) },
		{ "threads", NULL, 0 },
		{ "store", cell->store, sizeof(cell->store) },
		{ "governor", cell->governor, sizeof(cell->governor) },
		{ "cache", cell->cache, sizeof(cell->cache) },
		{ "operation", cell->operation, sizeof(cell->operation) },
	};
	bool failed = false;

	for (size_t i = 0; i < ARRAY_LENGTH(keys) && !failed; i++)
		if (alike)
			failed = put(object, keys[i].key,
				     json_incref(json_object_get(alike, keys[i].key)));
		else if (keys[i].text)
			failed = put(object, keys[i].key, cell_text(keys[i].text, keys[i].size));
		else
			failed = put(object, keys[i].key, json_integer((json_int_t)cell->threads));
	return failed;
}

static bool put_seconds(json_t *object, const struct trial_record *trial)
{
	const struct {
		const char *key;
		double value;
	} times[] = {
		{ "seconds", trial->seconds },
		{ "entries_per_second", (double)trial->entries / trial->seconds },
		{ "durable_seconds", trial->durable_seconds },
		{ "quiesced_seconds", trial->quiesced_seconds },
		{ "swap_seconds", trial->swap_seconds },
		{ "archive_seconds", trial->archive_seconds },
		{ "prune_seconds", trial->prune_seconds },
	};
	bool failed = false;

	for (size_t i = 0; i < ARRAY_LENGTH(times) && !failed; i++)
		failed = put(object, times[i].key, json_measured(times[i].value));
	return failed;
}

/* json_pack, which reads its format and checks the keys each time, takes twice as long. */
static bool put_trial(json_t *object, const struct trial_record *trial, const json_t *alike)
{
	return put(object, "round", json_integer((json_int_t)trial->round)) ||
	       put(object, "number", json_integer((json_int_t)trial->number)) ||
	       put_cell(object, &trial->cell, alike) ||
	       put(object, "at_seconds", json_measured(trial->at_seconds)) ||
	       put(object, "entries", json_count(trial->entries)) ||
	       put_seconds(object, trial) ||
	       put(object, "io", io_to_json(trial)) ||
	       put(object, "cpu", cpu_to_json(trial)) ||
	       put(object, "verified", json_boolean(trial->verified)) ||
	       put(object, "flags", flags_to_json(trial)) ||
	       put(object, "details", trial->details ? json_incref(trial->details) : json_null());
}

json_t *trial_to_json(const struct trial_record *trial)
{
	json_t *line = json_object();

	return whole(line, put(line, "record", json_string("trial")) ||
				   put_trial(line, trial, NULL));
}

json_t *trial_to_element(const struct trial_record *trial, const json_t *alike)
{
	json_t *element = json_object();

	return whole(element, put_trial(element, trial, alike));
}

/* The readers below: a missing key is as good as null, a value of another type is an error. */

static int wrong(const char *key, const char *wanted)
{
	return error_set(-EINVAL, "trial: \"%s\" is not %s", key, wanted);
}

static int read_text(char *field, size_t size, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!value || json_is_null(value))
		return 0;
	if (!json_is_string(value) || json_string_length(value) >= size)
		return wrong(key, "a string that fits its field");
	memcpy(field, json_string_value(value), json_string_length(value) + 1);
	return 0;
}

static int read_unsigned(unsigned *number, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    json_integer_value(value) > UINT_MAX)
		return wrong(key, "a whole number");
	*number = (unsigned)json_integer_value(value);
	return 0;
}

static int read_count(uint64_t *count, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	*count = COUNT_UNKNOWN;
	if (!value || json_is_null(value))
		return 0;
	if (!json_is_integer(value) || json_integer_value(value) < 0)
		return wrong(key, "a count");
	*count = (uint64_t)json_integer_value(value);
	return 0;
}

static int read_real(double *number, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	*number = NAN;
	if (!value || json_is_null(value))
		return 0;
	if (!json_is_number(value))
		return wrong(key, "a number");
	*number = json_number_value(value);
	return 0;
}

static int read_flags(struct trial_record *trial, const json_t *flags)
{
	const json_t *flag;
	size_t index;

	if (!json_is_array(flags))
		return wrong("flags", "a list");
	json_array_foreach(flags, index, flag) {
		const char *name = json_string_value(json_object_get(flag, "name"));
		const char *level = json_string_value(json_object_get(flag, "level"));
		const char *detail = json_string_value(json_object_get(flag, "detail"));

		if (!name || !level || (strcmp(level, "invalid") && strcmp(level, "note")))
			return wrong("flags",
				     "a list of flags with a name and the level invalid or note");
		trial_flag(trial, name, strcmp(level, "note") ? FLAG_INVALID : FLAG_NOTE, "%s",
			   detail ? detail : "");
	}
	return 0;
}

static int read_trial(struct trial_record *trial, const json_t *json)
{
	const json_t *io = json_object_get(json, "io"), *cpu = json_object_get(json, "cpu");
	const json_t *verified = json_object_get(json, "verified");
	struct cell_key *cell = &trial->cell;
	const struct {
		const char *key;
		char *field;
		size_t size;
	} texts[] = {
		{ "filesystem", cell->filesystem, sizeof(cell->filesystem) },
		{ "variant", cell->variant, sizeof(cell->variant) },
		{ "engine", cell->engine, sizeof(cell->engine) },
		{ "strategy", cell->strategy, sizeof(cell->strategy) },
		{ "store", cell->store, sizeof(cell->store) },
		{ "governor", cell->governor, sizeof(cell->governor) },
		{ "cache", cell->cache, sizeof(cell->cache) },
		{ "operation", cell->operation, sizeof(cell->operation) },
	};
	const struct {
		const char *key;
		unsigned *number;
	} numbers[] = {
		{ "round", &trial->round },
		{ "number", &trial->number },
		{ "threads", &cell->threads },
	};
	const struct {
		const json_t *object;
		const char *key;
		uint64_t *count;
	} counts[] = {
		{ json, "entries", &trial->entries },
		{ io, "reads", &trial->io.reads },
		{ io, "read_bytes", &trial->io.read_bytes },
		{ io, "writes", &trial->io.writes },
		{ io, "write_bytes", &trial->io.write_bytes },
		{ io, "discards", &trial->io.discards },
	};
	const struct {
		const json_t *object;
		const char *key;
		double *number;
	} reals[] = {
		{ json, "at_seconds", &trial->at_seconds },
		{ json, "seconds", &trial->seconds },
		{ json, "durable_seconds", &trial->durable_seconds },
		{ json, "quiesced_seconds", &trial->quiesced_seconds },
		{ json, "swap_seconds", &trial->swap_seconds },
		{ json, "archive_seconds", &trial->archive_seconds },
		{ json, "prune_seconds", &trial->prune_seconds },
		{ cpu, "user_seconds", &trial->cpu.user_seconds },
		{ cpu, "system_seconds", &trial->cpu.system_seconds },
		{ cpu, "machine_busy_seconds", &trial->cpu.machine_busy_seconds },
	};
	int error = 0;

	for (size_t i = 0; i < ARRAY_LENGTH(texts) && !error; i++)
		error = read_text(texts[i].field, texts[i].size, json, texts[i].key);
	for (size_t i = 0; i < ARRAY_LENGTH(numbers) && !error; i++)
		error = read_unsigned(numbers[i].number, json, numbers[i].key);
	for (size_t i = 0; i < ARRAY_LENGTH(counts) && !error; i++)
		error = read_count(counts[i].count, counts[i].object, counts[i].key);
	for (size_t i = 0; i < ARRAY_LENGTH(reals) && !error; i++)
		error = read_real(reals[i].number, reals[i].object, reals[i].key);
	if (error)
		return error;
	if (trial->entries == COUNT_UNKNOWN)
		return wrong("entries", "a count");
	if (!*cell->filesystem || !*cell->cache || !*cell->operation)
		return error_set(-EINVAL, "trial: filesystem, cache and operation must be told");
	if (!json_is_boolean(verified))
		return wrong("verified", "true or false");
	trial->verified = json_is_true(verified);
	return read_flags(trial, json_object_get(json, "flags"));
}

int trial_from_json(struct trial_record *trial, const json_t *json)
{
	json_t *details;
	int error;

	memset(trial, 0, sizeof(*trial));
	if (!json_is_object(json))
		return error_set(-EINVAL, "trial: not a JSON object");
	error = read_trial(trial, json);
	if (error)
		return error;
	details = json_object_get(json, "details");
	trial->details = json_is_object(details) ? json_incref(details) : NULL;
	return 0;
}

void trial_record_free(struct trial_record *trial)
{
	json_decref(trial->details);
	trial->details = NULL;
}

struct trial_record *trial_keep(struct trial_record *trial)
{
	size_t size = offsetof(struct trial_record, flags) +
		      trial->flag_count * sizeof(trial->flags[0]);
	struct trial_record *kept = malloc(size);

	if (kept) {
		memcpy(kept, trial, size);
		trial->details = NULL;
	}
	return kept;
}

void trial_drop(struct trial_record *trial)
{
	trial_record_free(trial);
	free(trial);
}
