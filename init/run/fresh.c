/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run/fresh.h"

#include "disk/smart.h"
#include "lib/cleanup.h"
#include "lib/error.h"
#include "lib/values.h"
#include "run/caches.h"
#include "run/quiet.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct fresh {
	const struct target *target;
	const struct room *room;
	struct cache_counters pinned; /* what the empty, mounted filesystem keeps in memory */
	bool mounted;
};

/* Before anything is written, and after everything is: never beside what is timed. */
static void ask_drive(const struct fresh *fresh, const char *when, json_t *record)
{
	const struct target *target = fresh->target;
	json_t *drive = json_object_get(record, "drive");
	struct smart smart;

	if (!drive) {
		drive = json_pack("{s:n,s:n}", "before", "after");
		json_object_set_new(record, "drive", drive);
	}
	smart_read(&smart, target->identity.number, target->identity.transport,
		   target->node_directory);
	json_object_set_new(drive, when, smart_json(&smart));
}

static int look_before(struct fresh *fresh, const struct session_request *request, json_t *record)
{
	int result = session_phase(request, "asking the drive");

	if (!result)
		ask_drive(fresh, "before", record);
	return result;
}

static int discard(struct fresh *fresh, const struct session_request *request, json_t *record)
{
	const struct target *target = fresh->target;
	struct discard_result discarded;
	struct quiet quiet;
	bool reached;

	int result = session_phase(request, "discarding");
	if (!result)
		result = target_discard(target, &discarded);
	if (result)
		return result;
	json_object_set_new(record, "discard",
			    json_pack("{s:s,s:o,s:o}", "result",
				      discarded.done ? "done" : "unsupported", "seconds",
				      json_measured(discarded.seconds), "detail",
				      json_text(discarded.detail)));
	result = quiet_begin(target->stat_path, &quiet);
	return result ? result
		      : quiet_wait(target->stat_path, &quiet, request->progress, "discarding", &reached);
}

/* The last look stands directly before the tool that writes. */
static int make(struct fresh *fresh, const struct session_request *request, json_t *record)
{
	struct child_result made;

	int result = session_phase(request, "making the filesystem");
	if (result)
		return result;
	/* Asks the tool for its version, which may fail with a sentence of its own. */
	json_t *mkfs = filesystem_make_json(request->fs, request->node);
	result = target_last_look(fresh->target);
	if (!result) {
		result = filesystem_make(request->fs, request->node, &made);
		json_object_set_new(mkfs, "seconds", json_measured(made.seconds));
		if (result)
			json_object_set_new(mkfs, "output", json_text(made.output));
	}
	json_object_set_new(record, "mkfs", mkfs);
	return result;
}

static int mount_it(struct fresh *fresh, const struct session_request *request, json_t *record)
{
	mkdir(request->path, 0755);
	int result = filesystem_mount(request->fs, request->node, request->path);
	fresh->mounted = !result;
	if (result)
		return result;
	json_t *mounted = filesystem_mount_json(request->fs, request->path);
	json_object_set_new(mounted, "type", json_string(request->fs->type));
	json_object_set_new(record, "mount", mounted);
	struct caches_drop_result drop;
	const struct cache_counters nothing = { .inodes = 0 };
	result = caches_drop(&drop, request->fs->inode_slab, &nothing, &nothing, "");
	fresh->pinned = drop.cold;
	if (result)
		return result;
	json_object_set_new(record, "features",
			    filesystem_features(request->fs, request->node, request->path));
	return 0;
}

/* Before the first write: whoever has too small a partition need not wait for its store to fill. */
static int check_room(struct fresh *fresh, const struct session_request *request, json_t *record)
{
	(void)record;
	return room_check(fresh->room, request->fs, request->path);
}

static int enter(const struct session_place *place, const struct session_request *request,
		 json_t *record)
{
	static int (*const steps[])(struct fresh *, const struct session_request *, json_t *) = {
		look_before,
		discard,
		make,
		mount_it,
		check_room,
	};
	int result = 0;

	for (size_t i = 0; !result && i < ARRAY_LENGTH(steps); i++)
		result = steps[i](place->context, request, record);
	return result;
}

static int unmount_and_check(const struct fresh *fresh, const struct session_request *request,
			     json_t *record)
{
	int result = fresh->mounted ? filesystem_unmount(request->path) : 0;

	if (!fresh->mounted || result)
		return result;
	session_phase(request, "checking");
	json_t *check;
	result = filesystem_check(request->fs, request->node, &check);
	const char *status = json_string_value(json_object_get(check, "status"));
	bool errors = status && !strcmp(status, "errors");
	progress_say(request->progress, "%s: filesystem check: %s", request->name,
		     status ? status : "not run");
	json_object_set_new(record, "fsck", check);
	if (!result && errors)
		return error_set(-EUCLEAN,
				 "the filesystem check found errors on %s after the trials",
				 request->name);
	return result;
}

/* The target is given back unmounted. */
static int leave(const struct session_place *place, const struct session_request *request,
		 unsigned made, json_t *record)
{
	int result = unmount_and_check(place->context, request, record);
	char reason[512];

	(void)made;
	snprintf(reason, sizeof(reason), "%s", result ? error_text() : "");
	ask_drive(place->context, "after", record); /* which may have something to say, too */
	return result ? error_set(result, "%s", reason) : 0;
}

int fresh_run(struct session_request *request, const struct target *target,
	      const struct room *room)
{
	struct fresh fresh = { .target = target, .room = room };
	const struct session_place place = {
		.enter = enter, .leave = leave, .context = &fresh, .pinned = &fresh.pinned
	};

	request->directory_fd = -1;
	request->node = target->node;
	request->stat_path = target->stat_path;
	request->can_freeze = true;
	return session_run(request, &place);
}
