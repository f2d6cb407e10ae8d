/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/watch.h"

#include "lib/cleanup.h"
#include "lib/values.h"

#include <limits.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Its folder in sysfs has the device's name; that of a partition lies in its disk's. */
static void name_devices(struct kmsg_devices *devices, dev_t target)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", major(target), minor(target));
	_cleanup_free_ char *real = target ? realpath(path, NULL) : NULL;
	for (size_t i = 0; real && i < ARRAY_LENGTH(devices->names); i++) {
		char *slash = strrchr(real, '/');

		if (!slash)
			return;
		snprintf(devices->names[i], sizeof(devices->names[i]), "%s", slash + 1);
		*slash = '\0';
	}
}

void watch_open(struct watch *watch, dev_t target, dev_t results, int results_fd)
{
	*watch = (struct watch){ .results_fd = results_fd };
	if (!kmsg_open(&watch->kmsg, "/dev/kmsg"))
		watch->messages = json_array();
	name_devices(&watch->kmsg.ours, target);
	others_find(&watch->others, target, results, "");
}

void watch_close(struct watch *watch)
{
	kmsg_close(&watch->kmsg);
	json_decref(watch->messages);
	watch->messages = NULL;
}

/* As [{"level", "text"}]; what there was no room for, and what the kernel itself dropped, is told in
 * the same way. */
static void append(json_t *messages, const struct kmsg_lines *lines)
{
	unsigned more = lines->notes + lines->errors - lines->count;
	char text[64];

	for (unsigned i = 0; i < lines->count; i++)
		json_array_append_new(
			messages, json_pack("{s:s,s:o}", "level",
					    lines->lines[i].class == KMSG_ERROR ? "error" : "note",
					    "text", json_text(lines->lines[i].text)));
	snprintf(text, sizeof(text), "%u more lines like these", more);
	if (more)
		json_array_append_new(messages,
				      json_pack("{s:s,s:s}", "level", "note", "text", text));
	if (lines->overwritten)
		json_array_append_new(messages,
				      json_pack("{s:s,s:s}", "level", "note", "text",
						"lines were lost: the kernel overwrote them before "
						"they could be read"));
}

static const struct kmsg_line *first_of(const struct kmsg_lines *lines, enum kmsg_class class)
{
	for (unsigned i = 0; i < lines->count; i++)
		if (lines->lines[i].class == class)
			return &lines->lines[i];
	return NULL;
}

static void flag_messages(const struct kmsg_lines *lines, struct trial_record *record)
{
	unsigned all = lines->notes + lines->errors;
	const struct kmsg_line *first =
		first_of(lines, lines->errors ? KMSG_ERROR : KMSG_NOTE);
	char others[48] = "";

	if (all > 1)
		snprintf(others, sizeof(others), "; %u more line%s", all - 1, all > 2 ? "s" : "");
	if (first)
		trial_flag(record, "kernel-error", lines->errors ? FLAG_INVALID : FLAG_NOTE,
			   "the kernel says: %.190s%s", first->text, others);
	else if (lines->overwritten)
		trial_flag(record, "kernel-error", FLAG_NOTE,
			   "the kernel said more than its memory for it holds: some of it is lost");
}

static void flag_io(const char *place, const struct disk_counters *io, struct trial_record *record)
{
	char words[128];

	if (*others_words(io, words, sizeof(words)))
		trial_flag(record, "other-io", FLAG_NOTE, "%s %s", words, place);
}

void watch_prepare(const struct watch *watch)
{
	if (watch && watch->results_fd >= 0)
		syncfs(watch->results_fd);
}

void watch_trial(const struct watch *watch, const struct transaction *transaction,
		 struct trial_record *record)
{
	struct kmsg_lines lines = { .count = 0 };

	if (!watch)
		return;
	flag_io("at the target's disk, outside the target", &transaction->others.disk, record);
	flag_io("at the disk of the results", &transaction->others.results, record);
	kmsg_read(&watch->kmsg, &lines);
	flag_messages(&lines, record);
	if (!lines.count && !lines.overwritten)
		return;
	json_t *messages = json_array();
	append(messages, &lines);
	json_object_set_new(record->details, "kernel_messages", messages);
}

void watch_session(const struct watch *watch, json_t *record)
{
	struct kmsg_lines lines = { .count = 0 };

	if (!watch || !watch->messages)
		return;
	kmsg_read(&watch->kmsg, &lines);
	append(watch->messages, &lines);
	json_object_set(record, "kernel_messages", watch->messages);
}
